//! The number of objects in each state, and the age of the oldest of them, counted on each request.

mod updates;

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicI64, AtomicU64};

use api::conditions::ConditionType;
use api::{PodCliqueSet, PodGang};
use jiff::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::caches::Caches;
use crate::context::Context;
use crate::controllers::{ReadyState, false_since, ready_labels};
use crate::metrics::Largest;

type Counts<L> = Family<L, Gauge<i64, AtomicI64>>;
type Seconds<L> = Family<L, Gauge<f64, AtomicU64>>;

/// State of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
struct ByState {
    /// Kind of the object.
    kind: &'static str,
    /// Its namespace, if it is one of the largest.
    namespace: String,
    /// Status of condition `Ready`; `Unknown` if it has none yet.
    ready: String,
    /// Reason of condition `Ready`, out of the documented list.
    reason: String,
}

/// The labels of a wait.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
struct ByWait {
    /// Kind of the object.
    kind: &'static str,
    /// Its namespace, if it is one of the largest.
    namespace: String,
    /// Reason of condition `Ready` now.
    reason: String,
}

/// State of a gang.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
struct ByPhase {
    /// Its namespace, if it is one of the largest.
    namespace: String,
    /// `status.phase`: `Pending`, `Starting`, `Running`.
    phase: String,
    /// Reason of condition `Ready`.
    reason: String,
}

/// A gang without nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
struct ByPending {
    /// Its namespace, if it is one of the largest.
    namespace: String,
    /// Reason of condition `Ready` now.
    reason: String,
}

/// Sets of a namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
struct ByNamespace {
    /// The namespace, if it is one of the largest.
    namespace: String,
}

/// The gauges as of now.
pub fn registry(context: &Context) -> Registry {
    let controllers = context.controllers();
    let states: Vec<ReadyState> = controllers
        .flat_map(|(_, controller)| (controller.states)(&context.caches))
        .collect();
    let largest = Largest::of(states.iter().map(|state| state.namespace.as_str()));
    for namespace in largest.names() {
        context.metrics.begin_namespace(namespace);
    }
    let now = context.now();
    let mut registry = Registry::with_prefix("grove");
    registry.register(
        "objects",
        "Objects by kind, namespace and state of condition Ready",
        count_states(&states, &largest),
    );
    registry.register(
        "not_ready_oldest_seconds",
        "For how long the first of these objects has not been ready; suspended ones and failed jobs do not count",
        time_states(&states, &largest, now),
    );
    registry.register(
        "podgangs",
        "PodGangs by namespace, phase and reason of condition Ready",
        count_phases(&context.caches, &largest),
    );
    registry.register(
        "podgang_pending_oldest_seconds",
        "For how long the first of these PodGangs has not been scheduled",
        time_pending(&context.caches, &largest, now),
    );
    updates::register(&mut registry, &context.caches, &largest, now);
    registry.register(
        "podcliqueset_bytes",
        "Length of the specifications of all PodCliqueSets by namespace, as JSON",
        sum_bytes(&context.caches, &largest),
    );
    registry
}

fn sum_bytes(caches: &Caches, largest: &Largest<'_>) -> Counts<ByNamespace> {
    let sums = Counts::<ByNamespace>::default();
    for (namespace, bytes) in caches.of::<PodCliqueSet>().bytes_by_namespace() {
        let namespace = largest.label(&namespace);
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        sums.get_or_create(&ByNamespace { namespace }).inc_by(bytes);
    }
    sums
}

fn count_states(states: &[ReadyState], largest: &Largest<'_>) -> Counts<ByState> {
    let counts = Counts::<ByState>::default();
    for state in states {
        let labels = ByState {
            kind: state.kind,
            namespace: largest.label(&state.namespace),
            ready: state.ready.clone(),
            reason: state.reason.clone(),
        };
        counts.get_or_create(&labels).inc();
    }
    counts
}

fn time_states(states: &[ReadyState], largest: &Largest<'_>, now: Timestamp) -> Seconds<ByWait> {
    let waits = states.iter().filter_map(|state| {
        let labels = ByWait {
            kind: state.kind,
            namespace: largest.label(&state.namespace),
            reason: state.reason.clone(),
        };
        Some((labels, state.waits_since?))
    });
    measure_oldest(waits, now)
}

fn count_phases(caches: &Caches, largest: &Largest<'_>) -> Counts<ByPhase> {
    let counts = Counts::<ByPhase>::default();
    for gang in caches.of::<PodGang>().all() {
        let status = gang.status.as_ref();
        let labels = ByPhase {
            namespace: label_namespace(&gang, largest),
            phase: status.map(|s| s.phase).unwrap_or_default().to_string(),
            reason: ready_labels(status.map(|s| s.conditions.as_slice())).1,
        };
        counts.get_or_create(&labels).inc();
    }
    counts
}

fn time_pending(caches: &Caches, largest: &Largest<'_>, now: Timestamp) -> Seconds<ByPending> {
    let gangs = caches.of::<PodGang>().all();
    let waits = gangs.iter().filter_map(|gang| {
        let conditions = gang.status.as_ref().map(|s| s.conditions.as_slice());
        let is_going = gang.metadata.deletion_timestamp.is_some();
        let since = false_since(
            &gang.metadata,
            conditions.unwrap_or_default(),
            ConditionType::Scheduled,
        );
        let labels = ByPending {
            namespace: label_namespace(gang, largest),
            reason: ready_labels(conditions).1,
        };
        Some((labels, since.filter(|_| !is_going)?))
    });
    measure_oldest(waits, now)
}

fn label_namespace(gang: &PodGang, largest: &Largest<'_>) -> String {
    largest.label(gang.metadata.namespace.as_deref().unwrap_or_default())
}

/// How long the oldest wait with the same labels has lasted.
fn measure_oldest<L>(waits: impl Iterator<Item = (L, Timestamp)>, now: Timestamp) -> Seconds<L>
where
    L: Clone + Eq + Hash + Ord + EncodeLabelSet,
{
    let mut oldest = BTreeMap::<L, Timestamp>::new();
    for (labels, since) in waits {
        let first = oldest.entry(labels).or_insert(since);
        *first = since.min(*first);
    }
    let seconds = Seconds::<L>::default();
    for (labels, since) in oldest {
        // Clocks differ: a time in the future has not waited.
        let waited = now.duration_since(since).as_secs_f64().max(0.0);
        seconds.get_or_create(&labels).set(waited);
    }
    seconds
}
