//! One object of a list that may be undecodable without any effect on the other objects.
//!
//! Decoded from its text in one pass, without its managed fields. kube's `DeserializeGuard` builds
//! a tree of each object first, and a copy of that tree; and `ObjectMeta` builds one of the managed
//! fields.

mod bare_form;
mod managers;

use std::borrow::Cow;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use kube::core::PartialObjectMeta;
use kube::core::error_boundary::InvalidObject;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::value::RawValue;

pub(crate) use bare_form::has_bare_form;
use bare_form::{explain_unread, read_bare};
use managers::cut_managers;

/// The object, or its metadata and the error.
#[derive(Clone, Debug)]
pub struct ListItem<K> {
    /// The object. If it is being deleted, its unreadable fields may be left out.
    pub object: Result<K, InvalidObject>,
    /// The unreadable fields of that object: the place, and the error.
    pub unread: Option<String>,
}

impl<'de, K: DeserializeOwned + Resource<DynamicType = ()>> Deserialize<'de> for ListItem<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let text = text.get();
        if let Ok(mut object) = serde_json::from_str::<K>(&cut_managers(text)) {
            forget_managers(&mut object);
            return Ok(Self {
                object: Ok(object),
                unread: None,
            });
        }
        let named = serde_json::from_str::<PartialObjectMeta<K>>(text);
        let metadata = named.map_err(D::Error::custom)?.metadata;
        Ok(Self::without_unread(text, metadata))
    }
}

impl<K: DeserializeOwned + Resource<DynamicType = ()>> ListItem<K> {
    fn without_unread(text: &str, metadata: ObjectMeta) -> Self {
        let error = explain_unread::<K>(text);
        match read_bare::<K>(text, &metadata) {
            Some(mut object) => {
                forget_managers(&mut object);
                Self {
                    object: Ok(object),
                    unread: Some(error),
                }
            }
            None => Self {
                object: Err(InvalidObject { error, metadata }),
                unread: None,
            },
        }
    }
}

impl<K> ListItem<K> {
    /// The place and the reason of the decoding error.
    pub fn problem(&self) -> Option<&str> {
        let invalid = self.object.as_ref().err().map(|invalid| &*invalid.error);
        invalid.or(self.unread.as_deref())
    }
}

/// No rule reads the managed fields. They take most of an object's memory, and the API server keeps
/// them if a PUT has none.
pub(crate) fn forget_managers<K: Resource>(object: &mut K) {
    object.meta_mut().managed_fields = None;
}

impl<K: Resource> Resource for ListItem<K> {
    type DynamicType = K::DynamicType;
    type Scope = K::Scope;

    fn kind(dt: &K::DynamicType) -> Cow<'_, str> {
        K::kind(dt)
    }

    fn group(dt: &K::DynamicType) -> Cow<'_, str> {
        K::group(dt)
    }

    fn version(dt: &K::DynamicType) -> Cow<'_, str> {
        K::version(dt)
    }

    fn plural(dt: &K::DynamicType) -> Cow<'_, str> {
        K::plural(dt)
    }

    fn meta(&self) -> &ObjectMeta {
        match &self.object {
            Ok(object) => object.meta(),
            Err(invalid) => &invalid.metadata,
        }
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        match &mut self.object {
            Ok(object) => object.meta_mut(),
            Err(invalid) => &mut invalid.metadata,
        }
    }
}
