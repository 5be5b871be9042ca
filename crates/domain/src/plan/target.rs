//! The object that a plan writes to, or that an event is about.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use super::Kind;
use crate::Key;
use crate::object::ownership;

/// An existing object, identified so that no other of the same name can be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub key: Key,
    /// Its uid.
    pub uid: String,
}

impl Target {
    /// The object of this kind with this metadata.
    pub fn of<K: Resource<DynamicType = ()>>(meta: &ObjectMeta) -> Self {
        Self {
            kind: Kind::of::<K>(),
            key: Key::of(meta),
            uid: ownership::uid(meta).to_owned(),
        }
    }
}
