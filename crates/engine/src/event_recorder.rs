//! Records events on objects. An event's name follows from what it says, so publishing it twice is
//! one event.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api::events::EventReason;
use api::{events, labels};
use domain::object::fnv;
use domain::plan::{Event, Target};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event as ApiEvent, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};

use crate::apply::Outcome;
use crate::caches::watched::Watched;
use crate::context::Context;
use crate::kinds::{AnyKind, find_kind};
use crate::metrics::ByDrop;
use crate::requests::{self, RequestError, Requests};

/// How many names are remembered to spare the API server repetitions.
const MAX_PUBLISHED: usize = 10_000;
/// What waits for an event waits no longer.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(10);

/// Publishes each event once.
#[derive(Debug, Default)]
pub struct EventRecorder {
    published: Mutex<HashSet<String>>,
}

impl EventRecorder {
    /// Posts the event about that object unless it was published before, or is routine in a
    /// namespace that has had enough of it. A failure is logged and holds nothing up.
    pub async fn publish(
        &self,
        context: &Context,
        about: ObjectReference,
        note: &Event,
        now: Timestamp,
    ) {
        let event = build_event(about, note, now);
        let name = event.metadata.name.clone().unwrap_or_default();
        if !self.is_new(&name) || !context.allows_event(&event, note) {
            return;
        }
        let posting = post(&context.requests, &event);
        let posted = tokio::time::timeout(PUBLISH_TIMEOUT, posting).await;
        match posted {
            Ok(Ok(_) | Err(RequestError::AlreadyExists)) => {}
            failed => {
                let error = match failed {
                    Ok(Err(error)) => error.to_string(),
                    _ => format!("no answer within {PUBLISH_TIMEOUT:?}"),
                };
                tracing::warn!(event = name, error, "event not posted");
                self.names().remove(&name);
            }
        }
    }

    fn is_new(&self, name: &str) -> bool {
        let mut published = self.names();
        if published.len() >= MAX_PUBLISHED {
            published.clear();
        }
        published.insert(name.to_owned())
    }

    fn names(&self) -> MutexGuard<'_, HashSet<String>> {
        self.published
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

async fn post(requests: &Requests, event: &ApiEvent) -> Result<ApiEvent, RequestError> {
    let namespace = event.metadata.namespace.clone().unwrap_or_default();
    requests
        .create::<ApiEvent>(&namespace, requests::encode_body(event)?)
        .await
}

impl Context {
    /// Whether the event is told. One that is routine counts against its namespace's budget.
    fn allows_event(&self, event: &ApiEvent, note: &Event) -> bool {
        let namespace = event.metadata.namespace.as_deref().unwrap_or_default();
        if !note.is_routine() || self.event_budget.take(namespace) {
            return true;
        }
        let labels = ByDrop { reason: "Budget" };
        self.metrics.events_dropped.get_or_create(&labels).inc();
        tracing::debug!(namespace, reason = %note.reason, "event not told");
        false
    }

    /// What an event is about: the object that is reconciled, unless it names another.
    pub fn reference<K: Watched>(&self, object: &K, note: &Event) -> ObjectReference {
        let own = || Target::of::<K>(object.meta());
        let target = note.about.clone().unwrap_or_else(own);
        let kind = find_kind(target.kind).ok();
        ObjectReference {
            api_version: kind.map(AnyKind::api_version),
            kind: Some(target.kind.to_string()),
            name: Some(target.key.name),
            namespace: Some(target.key.namespace),
            uid: Some(target.uid),
            ..ObjectReference::default()
        }
    }
}

fn build_event(about: ObjectReference, note: &Event, now: Timestamp) -> ApiEvent {
    let object_name = about.name.clone().unwrap_or_default();
    ApiEvent {
        metadata: ObjectMeta {
            name: Some(format!(
                "{object_name}.{}",
                fnv::encode(fnv::hash(name_seed(&about, note, now).as_bytes()), 14)
            )),
            namespace: about.namespace.clone(),
            ..ObjectMeta::default()
        },
        involved_object: about,
        reason: Some(note.reason.to_string()),
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
        ..ApiEvent::default()
    }
}

/// What is said again under the same name is one event. A warning is repeated on every attempt and
/// said once; what was done is done at some time.
fn name_seed(about: &ObjectReference, note: &Event, now: Timestamp) -> String {
    let uid = about.uid.as_deref().unwrap_or_default();
    match &note.identity {
        Some(identity) => format!("{}/{uid}/{identity}", note.reason),
        None if note.is_warning => format!("{}/{uid}/{}/", note.reason, note.message),
        None => format!("{}/{uid}/{}/{now}", note.reason, note.message),
    }
}

/// The API server takes 1024 bytes.
fn shorten(message: &str) -> String {
    const MAX_MESSAGE_BYTES: usize = 1000;
    if message.len() <= MAX_MESSAGE_BYTES {
        return message.to_owned();
    }
    let cut: String = message.chars().take(MAX_MESSAGE_BYTES / 4).collect();
    format!("{cut}…")
}

/// What was done or refused: of what was done one event for each reason, however many objects it was
/// done to (docs/semantics.md §13.2).
pub fn summaries(outcome: &Outcome) -> Vec<Event> {
    let mut done: BTreeMap<EventReason, Writes<'_>> = BTreeMap::new();
    for (verb, kind, name) in &outcome.done {
        if let Some((success, _)) = events::of_writes(verb, kind.name()) {
            let writes = done.entry(success).or_default();
            writes.entry((verb, kind.name())).or_default().push(name);
        }
    }
    let done = done.into_iter();
    let mut all: Vec<Event> = done
        .map(|(reason, writes)| Event::normal(reason, describe_writes(writes)))
        .collect();
    all.extend(outcome.failures.iter().map(|failure| {
        let (verb, kind) = failure.class;
        let reason = match events::of_writes(verb, kind.name()) {
            _ if failure.is_name_conflict => events::NAME_CONFLICT,
            Some((_, reason)) => reason,
            None => events::SYNC_FAILED,
        };
        Event::warning(reason, failure.error.description.clone())
    }));
    all
}

/// Names of objects by what was done to them: verb and kind.
type Writes<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a str>>;

/// "created 2 Pods: a, b".
fn describe_writes(writes: Writes<'_>) -> String {
    let describe = |((verb, kind), mut names): ((&str, &str), Vec<&str>)| {
        names.sort_unstable();
        let done = match verb {
            "create" => "created",
            "delete" => "deleted",
            _ => "updated",
        };
        let plural = if names.len() == 1 { "" } else { "s" };
        let (count, names) = (names.len(), join_names(&names));
        format!("{done} {count} {kind}{plural}: {names}")
    };
    let all: Vec<String> = writes.into_iter().map(describe).collect();
    all.join("; ")
}

fn join_names(names: &[&str]) -> String {
    const MAX_LISTED: usize = 8;
    let shown = names
        .iter()
        .take(MAX_LISTED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(MAX_LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
