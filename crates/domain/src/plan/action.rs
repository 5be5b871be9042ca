//! One write of a plan.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde_json::Value;

use super::{Check, GuardedPatch, Kind, Object, Purpose, Target, WritableKind};
use crate::Key;

/// An object in one of its versions (`metadata.resourceVersion`).
pub type Version = (Kind, Key, String);

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// POST.
    Create(Object),
    /// POST as a dry run: the API server says whether it would create the pod.
    Check(Box<Check>),
    /// PUT of the whole object with the resourceVersion that was observed.
    Replace(Object),
    /// PUT of the status of an object that another controller reads, with the resourceVersion that was
    /// observed. The status of the plan's own object is no action.
    ReplaceStatus(Object),
    /// JSON merge patch of the differences; for objects whose spec the API server completes.
    Merge {
        /// The object to patch.
        target: Target,
        /// The patch.
        patch: Value,
    },
    /// JSON patch that tests the values it replaces.
    Patch {
        /// The object and the operations.
        patch: GuardedPatch,
        /// Why.
        purpose: Purpose,
    },
    /// DELETE with the uid as precondition.
    Delete {
        /// The object to delete.
        target: Target,
        /// The only version that may be deleted; `None` if any may.
        resource_version: Option<String>,
        /// Why.
        purpose: Purpose,
    },
    /// Sets the list of finalizers, with the resourceVersion that was observed.
    Finalizers {
        /// The object.
        target: Target,
        /// The resourceVersion that was observed.
        resource_version: String,
        /// The new list.
        finalizers: Vec<String>,
    },
}

impl Action {
    /// A POST of this object.
    pub fn create<K: WritableKind>(object: K) -> Self {
        Self::Create(Object::of(object))
    }

    /// A PUT of this object with the resourceVersion that it bears.
    pub fn replace<K: WritableKind>(object: K) -> Self {
        Self::Replace(Object::of(object))
    }

    /// A PUT of the status of this object with the resourceVersion that it bears.
    pub fn replace_status<K: WritableKind>(object: K) -> Self {
        Self::ReplaceStatus(Object::of(object))
    }

    /// A deletion of the object with this metadata.
    pub fn delete<K: Resource<DynamicType = ()>>(meta: &ObjectMeta, purpose: Purpose) -> Self {
        Self::Delete {
            target: Target::of::<K>(meta),
            resource_version: None,
            purpose,
        }
    }

    /// A deletion of exactly this version: if the object changed since, its owner references above
    /// all, the API server answers 409 and the controller decides again.
    pub fn delete_as_seen<K: Resource<DynamicType = ()>>(
        meta: &ObjectMeta,
        purpose: Purpose,
    ) -> Self {
        Self::Delete {
            target: Target::of::<K>(meta),
            resource_version: Some(meta.resource_version.clone().unwrap_or_default()),
            purpose,
        }
    }

    /// Adds a finalizer.
    pub fn add_finalizer<K>(meta: &ObjectMeta, finalizer: &str) -> Self
    where
        K: Resource<DynamicType = ()>,
    {
        let mut finalizers = meta.finalizers.clone().unwrap_or_default();
        finalizers.push(finalizer.to_owned());
        Self::finalizers::<K>(meta, finalizers)
    }

    /// Takes a finalizer off.
    pub fn remove_finalizer<K>(meta: &ObjectMeta, finalizer: &str) -> Self
    where
        K: Resource<DynamicType = ()>,
    {
        let mut finalizers = meta.finalizers.clone().unwrap_or_default();
        finalizers.retain(|f| f != finalizer);
        Self::finalizers::<K>(meta, finalizers)
    }

    fn finalizers<K>(meta: &ObjectMeta, finalizers: Vec<String>) -> Self
    where
        K: Resource<DynamicType = ()>,
    {
        Self::Finalizers {
            target: Target::of::<K>(meta),
            resource_version: meta.resource_version.clone().unwrap_or_default(),
            finalizers,
        }
    }

    /// Kind of the object that is written.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Create(object) | Self::Replace(object) | Self::ReplaceStatus(object) => {
                object.kind()
            }
            Self::Check(check) => check.pod.kind(),
            Self::Merge { target, .. }
            | Self::Delete { target, .. }
            | Self::Finalizers { target, .. } => target.kind,
            Self::Patch { patch, .. } => patch.target().kind,
        }
    }

    /// Name of the object that is written.
    pub fn key(&self) -> Key {
        match self {
            Self::Create(object) | Self::Replace(object) | Self::ReplaceStatus(object) => {
                Key::of(object.meta())
            }
            Self::Check(check) => Key::of(check.pod.meta()),
            Self::Merge { target, .. }
            | Self::Delete { target, .. }
            | Self::Finalizers { target, .. } => target.key.clone(),
            Self::Patch { patch, .. } => patch.target().key.clone(),
        }
    }

    /// The object that is written as a whole, if it is of this type.
    pub fn written<K: WritableKind>(&self) -> Option<&K> {
        match self {
            Self::Create(object) | Self::Replace(object) | Self::ReplaceStatus(object) => {
                object.get()
            }
            _ => None,
        }
    }

    /// Why, if the action alone does not show it.
    pub fn purpose(&self) -> Option<Purpose> {
        match self {
            Self::Patch { purpose, .. } | Self::Delete { purpose, .. } => Some(*purpose),
            _ => None,
        }
    }

    /// The object with the version that the action expects; `None` if any version is accepted.
    pub fn expected_version(&self) -> Option<Version> {
        let version = match self {
            Self::Replace(object) | Self::ReplaceStatus(object) => {
                object.meta().resource_version.as_deref()
            }
            Self::Finalizers {
                resource_version, ..
            } => Some(&**resource_version),
            Self::Delete {
                resource_version, ..
            } => resource_version.as_deref(),
            Self::Create(_) | Self::Check(_) | Self::Merge { .. } | Self::Patch { .. } => None,
        };
        Some((self.kind(), self.key(), version?.to_owned()))
    }

    /// The verb, in one word.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Check(_) => "check",
            Self::Replace(_) => "replace",
            Self::ReplaceStatus(_) => "status",
            Self::Merge { .. } => "merge",
            Self::Patch { .. } => "patch",
            Self::Delete { .. } => "delete",
            Self::Finalizers { .. } => "finalizers",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.verb(), self.kind(), self.key().name)?;
        match self {
            Self::Create(_) | Self::Replace(_) | Self::ReplaceStatus(_) => Ok(()),
            Self::Check(check) => write!(f, " of clique {}", check.template.clique),
            Self::Merge { patch, .. } => write!(f, " {patch}"),
            Self::Delete {
                resource_version: Some(version),
                purpose,
                ..
            } => write!(f, " at version {version}: {purpose}"),
            Self::Patch { purpose, .. } | Self::Delete { purpose, .. } => write!(f, ": {purpose}"),
            Self::Finalizers { finalizers, .. } => write!(f, " [{}]", finalizers.join(", ")),
        }
    }
}
