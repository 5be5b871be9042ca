//! The scheduler of a set, and the features that it lacks in this cluster.

use std::collections::HashMap;

use api::PodCliqueSet;
use domain::object::ownership;
use domain::scheduling::{Backend, GangScheduler, Peers, UnsupportedFeature, quota};
use engine::Caches;

use super::topology::TopologyFacts;
use super::{ObservedClique, unsupported_feature};
use crate::{PodCliqueSetReconciler, ScaledGangsWaitFor, desired};

/// How the set's scheduler handles gangs.
#[derive(Clone, Debug, Default)]
pub struct SchedulerFacts {
    /// The kind of objects that describe gangs to it.
    pub backend: Backend,
    /// `schedulerName` of new pods, if it is not the one that the template names.
    pub name_in_pods: Option<String>,
    /// The condition of the base gang that scaled gangs wait for.
    pub wait_for: ScaledGangsWaitFor,
    /// Whether the scheduler itself places scaled gangs after the base gang.
    pub orders_gangs: bool,
    /// Whether the scheduler looks for the PodGang as soon as pods exist.
    pub reads_gangs_first: bool,
    /// Whether the set names a queue of Kueue: its gangs wait for quota.
    pub is_queued: bool,
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
    let unsupported = find_missing_label(set, rules)
        .or_else(|| unsupported_feature::find_unsupported(backend, set, podcliques, caches));
    SchedulerFacts {
        wait_for: rules.scaled_gangs_wait_for,
        orders_gangs: rules.profiles.orders_gangs(scheduler),
        is_queued: rules.profiles.is_queueing() && quota::local_queue(&set.metadata).is_some(),
        reads_gangs_first: rules.profiles.reads_gangs_first(scheduler),
        unsupported: unsupported.or_else(|| {
            let found = facts.find_unsupported(set, backend);
            let lacks_domains = || unsupported_feature::lacks_domains(set, rules, caches);
            let domains = || lacks_domains().then_some(UnsupportedFeature::ComputeDomainsMissing);
            found.map(UnsupportedFeature::Topology).or_else(domains)
        }),
        name_in_pods: GangScheduler::of(&rules.profiles, scheduler, Peers::default()).name_in_pods,
        backend,
    }
}

/// The profile requires a queue of Kueue, and the set names none.
fn find_missing_label(
    set: &PodCliqueSet,
    rules: &PodCliqueSetReconciler,
) -> Option<UnsupportedFeature> {
    let scheduler = desired::gang::scheduler_name(set);
    let is_missing = rules.profiles.requires_queue(Some(scheduler))
        && quota::local_queue(&set.metadata).is_none();
    is_missing.then(|| UnsupportedFeature::QueueRequired {
        scheduler: scheduler.to_owned(),
        set: ownership::name(&set.metadata).to_owned(),
    })
}
