//! A plan: what one reconcile wants done, as data that prints as readable text.

mod kind;
mod note;
mod object;
mod portion;
mod purpose;

use std::fmt;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde_json::Value;

use crate::{Key, ownership};

pub use kind::Kind;
pub use note::Note;
pub use object::{Object, WritableKind};
pub use portion::first_portion;
pub use purpose::Purpose;

/// An object that exists, identified so that no other of the same name can be meant.
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

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// POST.
    Create(Object),
    /// PUT of the whole object with the resourceVersion that was observed.
    Replace(Object),
    /// JSON merge patch of what differs; for objects whose spec the API server completes.
    Merge {
        /// What to patch.
        target: Target,
        /// The patch.
        patch: Value,
    },
    /// JSON patch that tests what it replaces.
    Patch {
        /// What to patch.
        target: Target,
        /// The operations (RFC 6902).
        operations: Value,
        /// What for.
        purpose: Purpose,
    },
    /// DELETE with the uid as precondition.
    Delete {
        /// What to delete.
        target: Target,
        /// The only version that may be deleted; `None` if any may.
        resource_version: Option<String>,
        /// What for.
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

    /// A deletion of the object with this metadata.
    pub fn delete<K: Resource<DynamicType = ()>>(meta: &ObjectMeta, purpose: Purpose) -> Self {
        Self::Delete {
            target: Target::of::<K>(meta),
            resource_version: None,
            purpose,
        }
    }

    /// A deletion of the very version with this metadata: whoever changed it since, its owner
    /// references above all, is asked again first.
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
            Self::Create(object) | Self::Replace(object) => object.kind(),
            Self::Merge { target, .. }
            | Self::Patch { target, .. }
            | Self::Delete { target, .. }
            | Self::Finalizers { target, .. } => target.kind,
        }
    }

    /// Name of the object that is written.
    pub fn key(&self) -> Key {
        match self {
            Self::Create(object) | Self::Replace(object) => Key::of(object.meta()),
            Self::Merge { target, .. }
            | Self::Patch { target, .. }
            | Self::Delete { target, .. }
            | Self::Finalizers { target, .. } => target.key.clone(),
        }
    }

    /// The object that is written as a whole, if it is of this type.
    pub fn written<K: WritableKind>(&self) -> Option<&K> {
        match self {
            Self::Create(object) | Self::Replace(object) => object.get(),
            _ => None,
        }
    }

    /// What for, where that is not plain from what is done.
    pub fn purpose(&self) -> Option<Purpose> {
        match self {
            Self::Patch { purpose, .. } | Self::Delete { purpose, .. } => Some(*purpose),
            _ => None,
        }
    }

    /// What is done, in one word.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Replace(_) => "replace",
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
            Self::Create(_) | Self::Replace(_) => Ok(()),
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

/// What one reconcile wants done.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<S> {
    /// Writes; waves one after the other, the actions of a wave at once.
    pub waves: Vec<Vec<Action>>,
    /// The status as it follows from what was observed; `None` leaves it alone.
    pub status: Option<S>,
    /// Events; said before the first write, so that what follows from them never comes first.
    pub notes: Vec<Note>,
    /// When to decide again if nothing happens before.
    pub wake_at: Option<Timestamp>,
}

impl<S> Default for Plan<S> {
    fn default() -> Self {
        Self {
            waves: Vec::new(),
            status: None,
            notes: Vec::new(),
            wake_at: None,
        }
    }
}

impl<S> Plan<S> {
    /// A plan that does one thing and nothing else.
    pub fn only(action: Action) -> Self {
        Self {
            waves: vec![vec![action]],
            ..Self::default()
        }
    }

    /// Adds a wave unless it is empty.
    pub fn wave(&mut self, actions: Vec<Action>) {
        if !actions.is_empty() {
            self.waves.push(actions);
        }
    }

    /// Decides again at that time, or at an earlier one that was asked for.
    pub fn wake(&mut self, at: Timestamp) {
        self.wake_at = Some(self.wake_at.map_or(at, |before| before.min(at)));
    }

    /// Whether nothing is written but, maybe, the status.
    pub fn writes_nothing(&self) -> bool {
        self.waves.is_empty()
    }
}

impl<S: serde::Serialize> fmt::Display for Plan<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, wave) in self.waves.iter().enumerate() {
            writeln!(f, "wave {}", number + 1)?;
            for action in wave {
                writeln!(f, "  {action}")?;
            }
        }
        for note in &self.notes {
            let kind = if note.is_warning { "warning" } else { "event" };
            let about = note.about.as_ref();
            let about = about.map_or(String::new(), |t| format!(" on {} {}", t.kind, t.key.name));
            writeln!(f, "{kind} {}{about}: {}", note.reason, note.message)?;
        }
        if let Some(wake_at) = self.wake_at {
            writeln!(f, "wake at {wake_at}")?;
        }
        match self.status.as_ref().map(serde_json::to_string_pretty) {
            Some(Ok(status)) => writeln!(f, "status {status}"),
            Some(Err(_)) => Err(fmt::Error),
            None => writeln!(f, "status unchanged"),
        }
    }
}
