//! Events on objects. Their names follow from what they say, so saying it twice is one event.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use api::labels;
use domain::object::fnv;
use domain::plan::{Kind, Note, Target};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use crate::apply::Outcome;
use crate::requests::{RequestError, Requests};
use crate::routes::Watched;

/// How many names are remembered to spare the API server repetitions.
const REMEMBERED: usize = 10_000;
/// What waits for an event waits no longer.
const LONGEST_TO_SAY: Duration = Duration::from_secs(10);
/// Event reason: what became of an object cannot be written into its status.
pub const STATUS_FAILED: &str = "StatusUpdateFailed";
/// Event reason: a name that we need is taken by an object of somebody else.
const NAME_CONFLICT: &str = "NameConflict";

/// Says things once.
#[derive(Debug, Default)]
pub struct Events {
    said: Mutex<HashSet<String>>,
}

impl Events {
    /// Posts the note about `object` unless it was said before. A failure is logged and holds
    /// nothing up.
    pub async fn say<K>(&self, requests: &Requests, object: &K, note: &Note, now: Timestamp)
    where
        K: Watched,
    {
        let event = build(object, note, now);
        let name = event.metadata.name.clone().unwrap_or_default();
        if !self.is_new(&name) {
            return;
        }
        let namespace = event.metadata.namespace.clone().unwrap_or_default();
        let posted = requests.create::<Event, Event>(&namespace, &event);
        let posted = tokio::time::timeout(LONGEST_TO_SAY, posted).await;
        match posted {
            Ok(Ok(_) | Err(RequestError::AlreadyExists)) => {}
            failed => {
                let error = match failed {
                    Ok(Err(error)) => error.to_string(),
                    _ => format!("no answer within {LONGEST_TO_SAY:?}"),
                };
                tracing::warn!(event = name, error, "event not posted");
                self.said
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(&name);
            }
        }
    }

    fn is_new(&self, name: &str) -> bool {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() >= REMEMBERED {
            said.clear();
        }
        said.insert(name.to_owned())
    }
}

fn build<K: Watched>(object: &K, note: &Note, now: Timestamp) -> Event {
    let about = reference(object, note);
    let object_name = about.name.clone().unwrap_or_default();
    Event {
        metadata: ObjectMeta {
            name: Some(format!(
                "{object_name}.{}",
                fnv::encode(fnv::hash(seed(&about, note, now).as_bytes()), 14)
            )),
            namespace: about.namespace.clone(),
            ..ObjectMeta::default()
        },
        involved_object: about,
        reason: Some(note.reason.to_owned()),
        message: Some(shorten(&note.message)),
        type_: Some(if note.is_warning { "Warning" } else { "Normal" }.to_owned()),
        first_timestamp: Some(Time(now)),
        last_timestamp: Some(Time(now)),
        count: Some(1),
        source: Some(EventSource {
            component: Some(labels::MANAGER.to_owned()),
            host: None,
        }),
        reporting_component: Some(labels::MANAGER.to_owned()),
        ..Event::default()
    }
}

fn reference<K: Watched>(object: &K, note: &Note) -> ObjectReference {
    let own = || Target::of(K::KIND, object.meta());
    let target = note.about.clone().unwrap_or_else(own);
    ObjectReference {
        api_version: Some(crate::routes::api_version(target.kind)),
        kind: Some(target.kind.to_string()),
        name: Some(target.key.name),
        namespace: Some(target.key.namespace),
        uid: Some(target.uid),
        ..ObjectReference::default()
    }
}

/// What is said again under the same name is one event. A warning is repeated on every attempt and
/// said once; what was done is done at some time.
fn seed(about: &ObjectReference, note: &Note, now: Timestamp) -> String {
    let uid = about.uid.as_deref().unwrap_or_default();
    match &note.identity {
        Some(identity) => format!("{}/{uid}/{identity}", note.reason),
        None if note.is_warning => format!("{}/{uid}/{}/", note.reason, note.message),
        None => format!("{}/{uid}/{}/{now}", note.reason, note.message),
    }
}

/// The API server takes 1024 bytes.
fn shorten(message: &str) -> String {
    const LONGEST: usize = 1000;
    if message.len() <= LONGEST {
        return message.to_owned();
    }
    let cut: String = message.chars().take(LONGEST / 4).collect();
    format!("{cut}…")
}

/// What was done or refused, one event per verb and kind (Grove, §12.1, but one for all objects
/// of a reconcile instead of one each).
pub fn summaries(outcome: &Outcome) -> Vec<Note> {
    let mut by_reason: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
    for (verb, kind, name) in &outcome.done {
        if let Some((success, _)) = reasons(verb, *kind) {
            by_reason.entry(success).or_default().push(name);
        }
    }
    let mut notes: Vec<Note> = by_reason
        .into_iter()
        .map(|(reason, mut names)| {
            names.sort_unstable();
            Note::normal(reason, list(&names))
        })
        .collect();
    notes.extend(outcome.failures.iter().map(|failure| {
        let (verb, kind) = failure.class;
        let reason = match reasons(verb, kind) {
            _ if failure.is_name_conflict => NAME_CONFLICT,
            Some((_, reason)) => reason,
            None => "SyncFailed",
        };
        Note::warning(reason, failure.error.description.clone())
    }));
    notes
}

fn list(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown = names
        .iter()
        .take(SHOWN)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Grove's reasons for success and failure.
fn reasons(verb: &str, kind: Kind) -> Option<(&'static str, &'static str)> {
    Some(match (verb, kind) {
        ("create", Kind::Pod) => ("PodCreateSuccessful", "PodCreateFailed"),
        ("delete", Kind::Pod) => ("PodDeleteSuccessful", "PodDeleteFailed"),
        ("create", Kind::PodClique) => ("PodCliqueCreateSuccessful", "PodCliqueCreateFailed"),
        ("delete", Kind::PodClique) => ("PodCliqueDeleteSuccessful", "PodCliqueDeleteFailed"),
        ("replace", Kind::PodClique) => (
            "PodCliqueCreateOrUpdateSuccessful",
            "PodCliqueCreateOrUpdateFailed",
        ),
        ("create" | "replace", Kind::PodCliqueScalingGroup) => (
            "PodCliqueScalingGroupCreateSuccessful",
            "PodCliqueScalingGroupCreateOrUpdateFailed",
        ),
        ("delete", Kind::PodCliqueScalingGroup) => (
            "PodCliqueScalingGroupDeleteSuccessful",
            "PodCliqueScalingGroupDeleteFailed",
        ),
        ("create", Kind::PodGang) => (
            "PodGangCreateOrUpdateSuccessful",
            "PodGangCreateOrUpdateFailed",
        ),
        ("delete", Kind::PodGang) => ("PodGangDeleteSuccessful", "PodGangDeleteFailed"),
        _ => return None,
    })
}
