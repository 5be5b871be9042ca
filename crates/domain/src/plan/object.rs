//! An object of any kind that is to be written.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::Serialize;

use super::Kind;
use crate::object::size;

/// An object to be written, of whatever kind.
#[derive(Clone)]
pub struct Object(Arc<dyn Writable>);

impl Object {
    /// This object.
    pub fn of<K: WritableKind>(object: K) -> Self {
        Self(Arc::new(object))
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.0.kind()
    }

    /// Its metadata.
    pub fn meta(&self) -> &ObjectMeta {
        self.0.metadata()
    }

    /// The object itself, if it is of this type.
    pub fn get<K: WritableKind>(&self) -> Option<&K> {
        self.0.as_any().downcast_ref()
    }

    /// It as JSON.
    ///
    /// # Errors
    /// If a map in it has keys that are no text, which no kind of the API has.
    pub fn encode(&self) -> serde_json::Result<Vec<u8>> {
        self.0.encode()
    }

    /// How long it is as JSON, in bytes.
    pub(super) fn bytes(&self) -> i128 {
        self.0.bytes()
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(other.0.as_any())
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The traits that a type needs so that its objects can be written.
pub trait WritableKind:
    Resource<DynamicType = ()> + Serialize + PartialEq + fmt::Debug + Send + Sync + 'static
{
}

impl<K> WritableKind for K where
    K: Resource<DynamicType = ()> + Serialize + PartialEq + fmt::Debug + Send + Sync + 'static
{
}

trait Writable: fmt::Debug + Send + Sync {
    fn kind(&self) -> Kind;
    fn metadata(&self) -> &ObjectMeta;
    fn as_any(&self) -> &dyn Any;
    fn is_same(&self, other: &dyn Any) -> bool;
    fn encode(&self) -> serde_json::Result<Vec<u8>>;
    fn bytes(&self) -> i128;
}

impl<K: WritableKind> Writable for K {
    fn kind(&self) -> Kind {
        Kind::of::<K>()
    }

    fn metadata(&self) -> &ObjectMeta {
        self.meta()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<K>() == Some(self)
    }

    fn encode(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    fn bytes(&self) -> i128 {
        size::bytes(self)
    }
}
