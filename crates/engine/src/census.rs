//! How many objects there are in which state, counted when somebody asks.

use std::sync::atomic::AtomicI64;

use api::conditions::{self, ConditionType};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::world::World;

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
pub fn registry(world: &World) -> Registry {
    let mut registry = Registry::with_prefix("grove");
    registry.register(
        "objects",
        "Objects by kind and what condition Ready says",
        states(world),
    );
    registry.register(
        "podgangs",
        "PodGangs by phase and reason of condition Ready",
        phases(world),
    );
    registry
}

fn states(world: &World) -> Family<ByState, Gauge<i64, AtomicI64>> {
    let counts = Family::<ByState, Gauge<i64, AtomicI64>>::default();
    macro_rules! count {
        ($($kind:literal: $cache:ident;)*) => {$(
            for object in world.$cache.all() {
                let status = object.status.as_ref();
                let (ready, reason) = ready(status.map(|s| s.conditions.as_slice()));
                let state = ByState { kind: $kind, ready, reason };
                counts.get_or_create(&state).inc();
            }
        )*};
    }
    count! {
        "PodCliqueSet": podcliquesets;
        "PodCliqueScalingGroup": scaling_groups;
        "PodClique": podcliques;
        "PodGang": podgangs;
    }
    counts
}

fn phases(world: &World) -> Family<ByPhase, Gauge<i64, AtomicI64>> {
    let counts = Family::<ByPhase, Gauge<i64, AtomicI64>>::default();
    for gang in world.podgangs.all() {
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
