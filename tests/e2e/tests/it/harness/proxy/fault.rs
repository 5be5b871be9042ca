//! Faults of requests.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use serde_json::Value;

use super::Asked;

/// The fate of a request.
#[derive(Clone)]
pub enum Fault {
    /// It passes.
    None,
    /// It gets this status code and does not reach the API server.
    Answer(u16),
    /// It is carried out, and the connection ends before the answer.
    AnswerLost,
    /// It is accepted and never answered.
    Hang,
    /// The head of an answer arrives, and nothing more.
    Silence,
    /// This function edits the objects in its answer.
    Edit(Edit),
}

/// The shown form of an object, given the place where it is shown (`LISTED`, `FOUND`, or the type
/// of the watch's event).
pub type Edit = Arc<dyn Fn(&str, Value) -> Shown + Send + Sync>;

/// The shown form of an object.
pub enum Shown {
    /// This object, in the same place.
    As(Value),
    /// Nothing.
    Nothing,
    /// The watch reports that its version has expired.
    Expired,
    /// The watch ends in the middle of this object.
    CutWithin,
}

impl Fault {
    /// A fault that edits.
    pub fn edit(edit: impl Fn(&str, Value) -> Shown + Send + Sync + 'static) -> Self {
        Self::Edit(Arc::new(edit))
    }

    /// This fault if `is_so`; otherwise none.
    pub fn when(self, is_so: bool) -> Self {
        if is_so { self } else { Self::None }
    }
}

/// A number below 100 from the seed and the request, the same in each run.
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
