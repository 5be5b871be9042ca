//! The content of a refused write: a wait ends as soon as the next write would have other content.

use domain::object::fnv;
use domain::plan::Action;
use serde_json::Value;

/// An object as it was sent: its name, and a hash of its content. Fields that the API server sets
/// do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    name: String,
    content: u64,
}

impl Sent {
    /// The object of this write, if it is sent as a whole.
    pub fn of(action: &Action) -> Option<Self> {
        let (Action::Create(object) | Action::Replace(object)) = action else {
            return None;
        };
        let mut content: Value = serde_json::from_slice(&object.encode().ok()?).ok()?;
        if let Some(meta) = content.get_mut("metadata").and_then(Value::as_object_mut) {
            meta.remove("resourceVersion");
            meta.remove("managedFields");
        }
        if let Some(object) = content.as_object_mut() {
            object.remove("status");
        }
        Some(Self {
            name: action.key().name,
            content: fnv::hash(content.to_string().as_bytes()),
        })
    }

    /// Whether this write sends the same object with other content.
    pub fn is_corrected_by(&self, action: &Action) -> bool {
        let is_same = self.name == action.key().name;
        let next = is_same.then(|| Self::of(action)).flatten();
        next.is_some_and(|next| next.content != self.content)
    }
}
