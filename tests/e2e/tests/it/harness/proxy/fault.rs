//! What may become of a request.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use serde_json::Value;

use super::Asked;

/// What becomes of a request.
#[derive(Clone)]
pub enum Fault {
    /// It goes through.
    None,
    /// It is answered with this code and does not reach the API server.
    Answer(u16),
    /// It is carried out, and the connection ends before the answer comes.
    AnswerLost,
    /// It is taken and never answered.
    Hang,
    /// The head of an answer comes, and then nothing more.
    Silence,
    /// What it finds, one object or many, goes through this.
    Edit(Edit),
}

/// What is shown of an object, given how it is shown (`LISTED`, `FOUND`, or the type of the watch's
/// event).
pub type Edit = Arc<dyn Fn(&str, Value) -> Shown + Send + Sync>;

/// What is shown of an object.
pub enum Shown {
    /// This one, shown in the same way.
    As(Value),
    /// Nothing.
    Nothing,
    /// The watch says that its version is too old.
    Expired,
    /// The watch breaks off in the middle of this object.
    CutWithin,
}

impl Fault {
    /// A fault that edits.
    pub fn edit(edit: impl Fn(&str, Value) -> Shown + Send + Sync + 'static) -> Self {
        Self::Edit(Arc::new(edit))
    }

    /// This, if so; else nothing happens.
    pub fn when(self, is_so: bool) -> Self {
        if is_so { self } else { Self::None }
    }
}

/// A number below 100 that follows from the seed and the request, the same in each run.
pub fn share(seed: u64, asked: &Asked) -> u64 {
    let Asked {
        verb,
        resource,
        subresource,
        slot,
        turn,
        ..
    } = asked;
    let mut hasher = DefaultHasher::new();
    (seed, verb, resource, subresource, slot, turn).hash(&mut hasher);
    hasher.finish() % 100
}
