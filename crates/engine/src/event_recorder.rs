//! Records events on objects. An event's name follows from its content, so publishing it twice is
//! one event.
//!
//! API servers forget an event after an hour. A warning that goes on is repeated before that,
//! as a series of the same event (docs/semantics.md §13.4). kube's `Recorder` also has series,
//! but it names events at random and bypasses the write gate, the limits and the counts of
//! [`Requests`] (decision 103).

mod body;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use api::events::{self, EventReason};
use domain::Key;
use domain::plan::{Event, Target};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event as ApiEvent;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use serde_json::json;

use crate::apply::Outcome;
use crate::caches::watched::Watched;
use crate::context::Context;
use crate::kinds::{AnyKind, find_kind};
use crate::metrics::ByDrop;
use crate::requests::{self, RequestError, Requests};
use body::build_event;

/// How many events are remembered to spare the API server repetitions.
const MAX_POSTED: usize = 10_000;
/// A warning that goes on is repeated after this.
pub const REPEAT_AFTER: SignedDuration = SignedDuration::from_mins(30);

/// Publishes each event once, and a warning that goes on every half hour.
#[derive(Debug)]
pub struct EventRecorder {
    posted: Mutex<HashMap<String, PostedEvent>>,
    repeat_after: SignedDuration,
}

impl Default for EventRecorder {
    fn default() -> Self {
        Self {
            posted: Mutex::default(),
            repeat_after: repeat_after(),
        }
    }
}

/// The last publication of an event.
#[derive(Clone, Copy, Debug)]
struct PostedEvent {
    at: Timestamp,
    /// How often this process published it.
    count: i32,
}

impl EventRecorder {
    /// Posts the event about that object unless it was published before, or is routine in a
    /// namespace that has used up its budget. A failure is logged. If the call is dropped before
    /// the answer, the event counts as not published.
    pub async fn publish(
        &self,
        context: &Context,
        about: ObjectReference,
        note: &Event,
        now: Timestamp,
    ) {
        let event = build_event(context, about, note, now);
        let name = event.metadata.name.clone().unwrap_or_default();
        let Some(count) = self.count(&name, note, now) else {
            return;
        };
        if !context.allows_event(&event, note) {
            return self.note_posted(name, count, now);
        }
        match post(&context.requests, &event, count, now).await {
            Ok(()) | Err(RequestError::AlreadyExists) => self.note_posted(name, count, now),
            Err(error) => tracing::warn!(event = name, %error, "event not posted"),
        }
    }

    /// How often the event was published, including this time; `None` if it is not due now.
    fn count(&self, name: &str, note: &Event, now: Timestamp) -> Option<i32> {
        let before = self.posted().get(name).copied();
        let is_due = |posted: PostedEvent| {
            note.is_warning && now.duration_since(posted.at) >= self.repeat_after
        };
        if before.is_some_and(|posted| !is_due(posted)) {
            return None;
        }
        Some(before.map_or(1, |posted| posted.count.saturating_add(1)))
    }

    /// Only a published event need not be published again: the caller may have stopped waiting for
    /// the answer.
    fn note_posted(&self, name: String, count: i32, now: Timestamp) {
        let mut posted = self.posted();
        if posted.len() >= MAX_POSTED {
            posted.clear();
        }
        posted.insert(name, PostedEvent { at: now, count });
    }

    fn posted(&self) -> MutexGuard<'_, HashMap<String, PostedEvent>> {
        self.posted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Posts the event the first time, and again if the API server has forgotten it; otherwise updates
/// its series.
async fn post(
    requests: &Requests,
    event: &ApiEvent,
    count: i32,
    now: Timestamp,
) -> Result<(), RequestError> {
    let (name, namespace) = (&event.metadata.name, &event.metadata.namespace);
    let key = Key {
        namespace: namespace.clone().unwrap_or_default(),
        name: name.clone().unwrap_or_default(),
    };
    if count > 1 {
        let series = json!({"series": {"count": count, "lastObservedTime": MicroTime(now)}});
        match requests.merge::<ApiEvent>(&key, &series).await {
            Err(RequestError::NotFound) => {}
            answer => return answer.map(drop),
        }
    }
    let body = requests::encode_body(event)?;
    let posted = requests.create::<ApiEvent>(&key.namespace, body).await;
    posted.map(drop)
}

impl Context {
    /// Whether the event may be published. A routine one counts against its namespace's budget.
    fn allows_event(&self, event: &ApiEvent, note: &Event) -> bool {
        let namespace = event.metadata.namespace.as_deref().unwrap_or_default();
        if !note.is_routine() || self.event_budget.take(namespace) {
            return true;
        }
        let labels = ByDrop { reason: "Budget" };
        self.metrics.events_dropped.get_or_create(&labels).inc();
        tracing::debug!(namespace, reason = %note.reason, "event dropped");
        false
    }

    /// The object that an event is about: the reconciled object, unless the event names another.
    pub fn reference<K: Watched>(&self, object: &K, note: &Event) -> ObjectReference {
        let own = || Target::of::<K>(object.meta());
        reference_to(note.about.clone().unwrap_or_else(own))
    }
}

/// An object that an event is about.
pub(crate) fn reference_to(target: Target) -> ObjectReference {
    let kind = find_kind(target.kind).ok();
    ObjectReference {
        api_version: kind.map(AnyKind::api_version),
        kind: Some(target.kind.to_string()),
        name: Some(target.key.name),
        namespace: Some(target.key.namespace).filter(|namespace| !namespace.is_empty()),
        uid: Some(target.uid),
        ..ObjectReference::default()
    }
}

/// In tests of debug builds, this many seconds replace the half hour.
fn repeat_after() -> SignedDuration {
    let asked = if cfg!(debug_assertions) {
        std::env::var("GROVE_REPEAT_WARNINGS_AFTER").ok()
    } else {
        None
    };
    let seconds = asked.and_then(|seconds| seconds.parse().ok());
    seconds.map_or(REPEAT_AFTER, SignedDuration::from_secs)
}

/// Events about the writes and refusals: one event for each reason of successful writes, however
/// many objects they concern (docs/semantics.md §13.2).
pub fn summaries(outcome: &Outcome) -> Vec<Event> {
    let mut done: BTreeMap<EventReason, Writes<'_>> = BTreeMap::new();
    for (verb, kind, name) in &outcome.done {
        if let Some((success, _)) = events::of_writes(verb, kind.name()) {
            let writes = done.entry(success).or_default();
            writes.entry((verb, kind.name())).or_default().push(name);
        }
    }
    let mut all: Vec<Event> = done
        .into_iter()
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

/// Names of objects by the write that was done: verb and kind.
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
