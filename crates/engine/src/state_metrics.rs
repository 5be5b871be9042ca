//! How many objects there are in which state, counted when somebody asks.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use api::PodGang;
use api::conditions::{self, ConditionType};
use api::status::Status;
use domain::plan::Kind;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::core::object::HasStatus;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::caches::Caches;
use crate::context::Context;
use crate::controllers::Reconciler;

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

/// What an object's condition Ready says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ReadyState {
    kind: &'static str,
    ready: String,
    reason: String,
}

/// What condition Ready says of each object of a controller.
pub(crate) fn ready_states<R: Reconciler>(caches: &Caches) -> Vec<ReadyState> {
    let all = caches.of::<R::Object>().all();
    let state = |object: &Arc<R::Object>| {
        let (ready, reason) = ready(object.status().map(Status::conditions));
        ReadyState {
            kind: Kind::of::<R::Object>().name(),
            ready,
            reason,
        }
    };
    all.iter().map(state).collect()
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
        let (_, reason) = ready(status.map(|s| s.conditions.as_slice()));
        let phase = status.map(|s| s.phase).unwrap_or_default().to_string();
        counts.get_or_create(&ByPhase { phase, reason }).inc();
    }
    counts
}

fn ready(conditions: Option<&[Condition]>) -> (String, String) {
    let found = conditions.and_then(|c| conditions::find(c, ConditionType::Ready));
    found.map_or_else(
        || ("Unknown".to_owned(), String::new()),
        |c| (c.status.clone(), c.reason.clone()),
    )
}
