//! The scheduler of a set, and the features that it lacks in this cluster.

use std::collections::HashMap;

use api::PodCliqueSet;
use domain::scheduling::{Backend, UnsupportedFeature};
use engine::Caches;

use super::topology::{self, TopologyFacts};
use super::{ObservedClique, unsupported_feature};
use crate::{PodCliqueSetReconciler, ScaledGangsWaitFor, desired};

/// How the set's scheduler handles gangs.
#[derive(Clone, Debug, Default)]
pub struct SchedulerFacts {
    /// The kind of objects that describe gangs to it.
    pub backend: Backend,
    /// The condition of the base gang that scaled gangs wait for.
    pub wait_for: ScaledGangsWaitFor,
    /// Whether the scheduler itself places scaled gangs after the base gang.
    pub orders_gangs: bool,
    /// Whether the scheduler looks for the PodGang as soon as pods exist.
    pub reads_gangs_first: bool,
    /// The feature that the scheduler lacks in this cluster: no gang starts.
    pub unsupported: Option<UnsupportedFeature>,
}

/// Reads it for the set.
pub(super) fn observe(
    set: &PodCliqueSet,
    podcliques: &HashMap<String, ObservedClique>,
    facts: &TopologyFacts,
    rules: &PodCliqueSetReconciler,
    caches: &Caches,
) -> SchedulerFacts {
    let scheduler = Some(desired::gang::scheduler_name(set));
    let backend = rules.profiles.backend_of(scheduler);
    let unsupported = unsupported_feature::find_unsupported(backend, set, podcliques, caches);
    SchedulerFacts {
        wait_for: rules.scaled_gangs_wait_for,
        orders_gangs: rules.profiles.orders_gangs(scheduler),
        reads_gangs_first: rules.profiles.reads_gangs_first(scheduler),
        unsupported: unsupported.or_else(|| {
            let found = topology::find_unsupported_topology(set, backend, facts);
            found.map(UnsupportedFeature::Topology)
        }),
        backend,
    }
}
