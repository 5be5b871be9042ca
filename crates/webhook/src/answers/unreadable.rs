//! Objects that cannot be read.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::review::{Answer, Undecodable, decode};

#[derive(Deserialize)]
struct PartialObject {
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    deletion_timestamp: Option<String>,
}

/// An object that is being deleted may be invalid: its finalizers must be removable.
pub(super) fn answer_unreadable(what: &str, sent: &RawValue, error: &Undecodable) -> Answer {
    let object = decode::<PartialObject>(sent);
    let is_deleted = |object: PartialObject| object.metadata.deletion_timestamp.is_some();
    if object.is_ok_and(is_deleted) {
        return Answer::allowed();
    }
    Answer::undecodable(what, error)
}
