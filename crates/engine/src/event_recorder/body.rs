//! The content of an event, and the identity that makes two events one.

use api::labels;
use domain::object::fnv;
use domain::plan::Event;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event as ApiEvent;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};

use crate::context::Context;

/// The namespace of events about objects without a namespace: API servers take no other.
const OF_CLUSTER: &str = "default";
/// The action that events name.
const ACTION: &str = "Reconcile";

/// Builds the event from its note.
pub(super) fn build_event(
    context: &Context,
    about: ObjectReference,
    note: &Event,
    now: Timestamp,
) -> ApiEvent {
    let object_name = about.name.clone().unwrap_or_default();
    ApiEvent {
        metadata: ObjectMeta {
            name: Some(format!(
                "{object_name}.{}",
                fnv::encode(fnv::hash(name_seed(&about, note, now).as_bytes()), 14)
            )),
            namespace: Some(about.namespace.clone().unwrap_or_else(|| OF_CLUSTER.into())),
            ..ObjectMeta::default()
        },
        regarding: Some(about),
        reason: Some(note.reason.to_string()),
        note: Some(shorten(&note.message, MAX_NOTE_BYTES)),
        action: Some(ACTION.to_owned()),
        type_: Some(if note.is_warning { "Warning" } else { "Normal" }.to_owned()),
        event_time: Some(MicroTime(now)),
        reporting_controller: Some(labels::MANAGER.to_owned()),
        reporting_instance: Some(shorten(context.instance(), MAX_INSTANCE_BYTES)),
        ..ApiEvent::default()
    }
}

/// Equal texts under the same name are one event. A warning is repeated on every attempt and
/// published once; a successful write has its own time.
fn name_seed(about: &ObjectReference, note: &Event, now: Timestamp) -> String {
    let uid = about.uid.as_deref().unwrap_or_default();
    match &note.identity {
        Some(identity) => format!("{}/{uid}/{identity}", note.reason),
        None if note.is_warning => format!("{}/{uid}/{}/", note.reason, note.message),
        None => format!("{}/{uid}/{}/{now}", note.reason, note.message),
    }
}

/// API servers accept 1024 bytes.
const MAX_NOTE_BYTES: usize = 1000;
/// API servers accept 128.
const MAX_INSTANCE_BYTES: usize = 120;

fn shorten(text: &str, max_bytes: usize) -> String {
    let end = text.floor_char_boundary(max_bytes);
    match text.get(..end) {
        Some(cut) if end < text.len() => format!("{cut}…"),
        _ => text.to_owned(),
    }
}
