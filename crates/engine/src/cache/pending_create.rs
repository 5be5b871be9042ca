//! Objects that may exist unseen, since their POST was sent.

use domain::Key;
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::index::set_of;

/// The owner of an object with a pending create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingCreate {
    /// The owner; `None` if the object has no controller.
    pub owner: Option<Key>,
    /// Uid of the owner.
    pub owner_uid: String,
    /// The PodCliqueSet that it is a part of.
    pub set: Option<Key>,
    /// Whether an answer may still come; until then a live read proves nothing.
    pub(super) is_in_flight: bool,
    /// Whether an earlier POST of the name got no answer: the watch may be about to show an object
    /// that came of that one.
    pub(super) is_repeated: bool,
}

impl PendingCreate {
    /// An object whose POST is about to be sent.
    pub(super) fn in_flight(meta: &ObjectMeta, is_repeated: bool) -> Self {
        let owner = ownership::controller(meta);
        let namespace = meta.namespace.clone().unwrap_or_default();
        Self {
            owner: owner.map(|o| Key::new(namespace, o.name.clone())),
            owner_uid: owner.map_or_else(String::new, |o| o.uid.clone()),
            set: set_of(meta),
            is_in_flight: true,
            is_repeated,
        }
    }
}
