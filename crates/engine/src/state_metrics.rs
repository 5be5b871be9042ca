//! How many objects there are in which state, counted when somebody asks.

use std::sync::atomic::AtomicI64;

use api::PodGang;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::caches::Caches;
use crate::context::Context;
use crate::controllers::{ReadyState, ready_labels};

/// State of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByState {
    /// Kind of the object.
    kind: &'static str,
    /// Status of condition `Ready`; `Unknown` if it has none yet.
    ready: String,
    /// Reason of condition `Ready`, out of the documented list.
    reason: String,
}

/// State of a gang.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByPhase {
    /// `status.phase`: `Pending`, `Starting`, `Running`.
    phase: String,
    /// Reason of condition `Ready`.
    reason: String,
}

/// The gauges as of now.
pub fn registry(context: &Context) -> Registry {
    let mut registry = Registry::with_prefix("grove");
    registry.register(
        "objects",
        "Objects by kind and what condition Ready says",
        count_states(context),
    );
    registry.register(
        "podgangs",
        "PodGangs by phase and reason of condition Ready",
        count_phases(&context.caches),
    );
    registry
}

fn count_states(context: &Context) -> Family<ByState, Gauge<i64, AtomicI64>> {
    let counts = Family::<ByState, Gauge<i64, AtomicI64>>::default();
    let states = context.controllers();
    let states = states.flat_map(|(_, controller)| (controller.states)(&context.caches));
    for state in states {
        let ReadyState {
            kind,
            ready,
            reason,
        } = state;
        let labels = ByState {
            kind,
            ready,
            reason,
        };
        counts.get_or_create(&labels).inc();
    }
    counts
}

fn count_phases(caches: &Caches) -> Family<ByPhase, Gauge<i64, AtomicI64>> {
    let counts = Family::<ByPhase, Gauge<i64, AtomicI64>>::default();
    for gang in caches.of::<PodGang>().all() {
        let status = gang.status.as_ref();
        let (_, reason) = ready_labels(status.map(|s| s.conditions.as_slice()));
        let phase = status.map(|s| s.phase).unwrap_or_default().to_string();
        counts.get_or_create(&ByPhase { phase, reason }).inc();
    }
    counts
}
