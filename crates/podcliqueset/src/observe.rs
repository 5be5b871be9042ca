//! Everything that a decision on a PodCliqueSet depends on.

mod clique;
mod full_namespace;
mod obstacle;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use admission::minimums::{self, Minimums};
use admission::validated_set::ValidatedSet;
use admission::{FieldError, oversize};
use api::podcliqueset::{LiveReplicas, PodCliqueScalingGroupConfig, ReplicaAttempt};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, names};
use domain::health::stuck::StuckTimeouts;
use domain::health::{fence, training};
use domain::object::ownership;
use domain::scheduling::{Backend, Obstacle};
use domain::workload::limits;
use domain::{Key, Pod};
use engine::{Cache, Caches};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

pub use self::clique::ObservedClique;
use self::clique::observe_clique;
use crate::desired;
use crate::{PodCliqueSetReconciler, ScaledGangsWaitFor};

/// What was observed. Children of the set are those that it controls, whatever their labels, and
/// those without a controller that are labelled as part of it: it adopts the wanted ones of these.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The set as stored.
    pub stored: Arc<PodCliqueSet>,
    /// The set with defaults applied, and its faults.
    pub validated: ValidatedSet,
    /// Its scaling groups, by name.
    pub groups: Vec<Arc<PodCliqueScalingGroup>>,
    /// Its PodCliques, standalone and grouped, by name.
    pub podcliques: HashMap<String, ObservedClique>,
    /// Names of other PodCliques that say they are part of it: their scaling group was deleted with
    /// `--cascade=orphan`, and the next one adopts them. Only looked for in a training job.
    pub unadopted: HashSet<String>,
    /// Pods that are labelled as part of it and that nobody controls.
    pub orphan_pods: Vec<Arc<Pod>>,
    /// Its PodGangs, by name.
    pub gangs: Vec<Arc<PodGang>>,
    /// Its headless Services, by name.
    pub services: Vec<Arc<Service>>,
    /// Its HorizontalPodAutoscalers, by name.
    pub autoscalers: Vec<Arc<HorizontalPodAutoscaler>>,
    /// What scaled gangs wait for.
    pub scaled_gangs_wait_for: ScaledGangsWaitFor,
    /// How long after its deletionTimestamp a pod is waited for.
    pub stuck_timeouts: StuckTimeouts,
    /// The nodes of terminating pods of a job that was given up, as far as they are Ready and not out
    /// of service.
    pub nodes_in_service: HashSet<String>,
    /// Whether the set's scheduler itself places scaled gangs after the base gang.
    pub scheduler_orders_gangs: bool,
    /// How the set's scheduler is told of its gangs.
    pub backend: Backend,
    /// Whether the set's scheduler looks for the PodGang as soon as there are pods.
    pub gangs_come_first: bool,
    /// What the set's scheduler lacks in this cluster: no gang starts.
    pub obstacle: Option<Obstacle>,
    /// Whether it is being deleted and its children stay: some version of it said so.
    pub is_orphaning: bool,
    /// Whether its watch has yet to show how it came to what is known of it.
    pub is_ahead_of_watch: bool,
    /// Whether something of it may be other than it is seen, as a watch is lost or is being listed anew:
    /// nothing that runs is torn down for what is seen.
    pub is_view_outdated: bool,
    /// Whether a pod of the set may be there unseen: its POST was sent and is not settled.
    pub may_have_more_pods: bool,
}

impl Snapshot {
    /// Name of the set.
    pub fn name(&self) -> &str {
        ownership::name(&self.stored.metadata)
    }

    /// What makes the set, with all that exists of it, too large to be acted on.
    pub fn over_limits(&self) -> Vec<FieldError> {
        if self.validated.is_over_limits {
            return self.validated.errors.clone();
        }
        let groups = self.groups.iter().map(AsRef::as_ref);
        let cliques = self.podcliques.values().map(|c| &*c.podclique);
        oversize::of_live(&self.validated.set, groups, cliques)
    }

    /// Replicas of the set.
    pub fn replicas(&self) -> i32 {
        limits::bounded(self.validated.set.spec.replicas)
    }

    /// Live replicas of a scaling group, or those that it will have.
    pub fn group_replicas(&self, name: &str, config: &PodCliqueScalingGroupConfig) -> i32 {
        let live = self.group(name).map(|g| g.spec.replicas);
        limits::bounded(live.or(config.replicas).unwrap_or(1))
    }

    /// The PodClique of that name, unless it is terminating or of an earlier attempt.
    pub fn podclique(&self, name: &str) -> Option<&ObservedClique> {
        self.podcliques
            .get(name)
            .filter(|c| !c.is_terminating() && self.is_current(c))
    }

    /// Whether the PodClique of that name is scaled to 0.
    pub fn is_idle(&self, name: &str) -> bool {
        let found = self.podclique(name);
        found.is_some_and(|c| c.podclique.spec.replicas <= 0)
    }

    /// The PodClique of that name and of the current attempt, also if it is terminating.
    pub fn of_present_attempt(&self, name: &str) -> Option<&ObservedClique> {
        self.podcliques.get(name).filter(|c| self.is_current(c))
    }

    /// Whether the PodClique was found to have done its work in the present attempt.
    pub fn is_latched(&self, replica: i32, podclique: &str) -> bool {
        fence::is_stored_as_succeeded(self.attempts(), replica, podclique)
    }

    /// Whether all PodCliques of the job's replica existed in the current attempt: one that is
    /// missing since then is a failure and is not created again in this attempt (decision 59).
    pub fn is_closed(&self, replica: i32) -> bool {
        self.is_training() && fence::is_complete(self.attempts(), replica)
    }

    /// Whether the PodClique of that name has done its work and is gone, or going.
    pub fn is_done_and_gone(&self, name: &str) -> bool {
        let place = names::parts_of_standalone_clique(self.name(), name);
        let is_latched = place.is_some_and(|(replica, _)| self.is_latched(replica, name));
        is_latched && self.podclique(name).is_none()
    }

    /// Whether it is a training job.
    pub fn is_training(&self) -> bool {
        training::is_training(&self.validated.set)
    }

    /// The attempts of the replicas.
    pub fn attempts(&self) -> &[ReplicaAttempt] {
        fence::attempts_of_set(&self.stored)
    }

    /// Scaled counts that standalone cliques get back after a termination.
    pub fn live_replicas(&self) -> &[LiveReplicas] {
        let status = self.stored.status.as_ref();
        status.map_or(&[], |s| &s.live_replicas)
    }

    /// The present attempt of a replica.
    pub fn attempt(&self, replica: i32) -> i32 {
        fence::current_attempt(self.attempts(), replica)
    }

    /// Index of the replica that the PodClique is of.
    pub fn replica_of(&self, clique: &ObservedClique) -> Option<i32> {
        ownership::replica_in(self.name(), &clique.podclique.metadata)
    }

    /// Whether the PodClique is of the present attempt of its replica.
    fn is_current(&self, clique: &ObservedClique) -> bool {
        self.replica_of(clique)
            .is_none_or(|i| clique.attempt().set == self.attempt(i))
    }

    /// Whether the set controls the PodClique, or a scaling group that the set controls. PodCliques
    /// without a controller may be adopted, and nothing else is done to them.
    pub fn is_own(&self, clique: &ObservedClique) -> bool {
        let set = ownership::uid(&self.stored.metadata);
        let owner = ownership::controller(&clique.podclique.metadata);
        owner.is_some_and(|owner| {
            let group = || self.group(&owner.name).map(|g| &g.metadata);
            let is_own_group = |g: &ObjectMeta| {
                ownership::uid(g) == owner.uid && ownership::is_controlled_by(g, set)
            };
            owner.uid == set || group().is_some_and(is_own_group)
        })
    }

    /// PodCliques of an earlier attempt, terminating or not, with their replicas. PodCliques
    /// without a controller never count.
    pub fn earlier(&self) -> impl Iterator<Item = (i32, &ObservedClique)> {
        self.podcliques.values().filter_map(|c| {
            let i = self.replica_of(c)?;
            (c.attempt().set < self.attempt(i) && self.is_own(c)).then_some((i, c))
        })
    }

    /// How many PodCliques of an earlier attempt each replica has.
    pub fn earlier_counts(&self) -> HashMap<i32, usize> {
        let mut counts: HashMap<i32, usize> = HashMap::new();
        for (i, _) in self.earlier() {
            let count = counts.entry(i).or_default();
            *count = count.saturating_add(1);
        }
        counts
    }

    /// The scaling group of that name, also if it is terminating. It is looked up for each replica,
    /// hence by binary search in the sorted list.
    pub fn group(&self, name: &str) -> Option<&Arc<PodCliqueScalingGroup>> {
        let at = self.groups.binary_search_by(|g| named(g).cmp(name)).ok()?;
        self.groups.get(at)
    }

    /// Whether the PodClique belongs to no scaling group.
    pub fn is_standalone(&self, podclique: &PodClique) -> bool {
        ownership::is_controlled_by(&podclique.metadata, ownership::uid(&self.stored.metadata))
    }
}

/// Reads the caches.
pub fn observe(
    stored: &Arc<PodCliqueSet>,
    caches: &Caches,
    rules: &PodCliqueSetReconciler,
) -> Snapshot {
    let key = Key::of(&stored.metadata);
    // Before all that they qualify: each may end while the rest is read, of which a part is old then.
    let is_view_outdated = caches.is_workload_outdated(&key.namespace);
    let may_have_more_pods = caches.of::<Pod>().may_have_more_in(&key);
    let mut groups = children(&caches.of::<PodCliqueScalingGroup>(), stored, &key);
    groups.sort_by(|a, b| named(a).cmp(named(b)));
    let mut cliques = children(&caches.of::<PodClique>(), stored, &key);
    for group in &groups {
        cliques.extend(caches.of::<PodClique>().owned_by(&**group));
    }
    let mut validated = rules.validator.validate_set(stored);
    minimums::keep_minimums(
        &mut validated,
        stored,
        &existing_minimums(stored, &groups, &cliques),
    );
    let has_begun = !groups.is_empty() || !cliques.is_empty();
    full_namespace::refuse(&mut validated, stored, has_begun, caches);
    let scheduler = Some(desired::gang::scheduler_name(&validated.set));
    let podcliques: HashMap<_, _> = cliques
        .into_iter()
        .map(|c| observe_clique(c, caches))
        .collect();
    let backend = rules.profiles.backend_of(scheduler);
    let obstacle = obstacle::find_obstacle(backend, stored, &podcliques, caches);
    Snapshot {
        orphan_pods: caches.of::<Pod>().orphans_of(&key),
        unadopted: unadopted(stored, &podcliques, caches),
        gangs: children(&caches.of::<PodGang>(), stored, &key),
        services: children(&caches.of::<Service>(), stored, &key),
        autoscalers: children(&caches.of::<HorizontalPodAutoscaler>(), stored, &key),
        scaled_gangs_wait_for: rules.scaled_gangs_wait_for,
        stuck_timeouts: rules.stuck_timeouts,
        nodes_in_service: nodes_in_service(stored, &podcliques, caches),
        gangs_come_first: rules.profiles.reads_gangs_first(scheduler),
        scheduler_orders_gangs: rules.profiles.orders_gangs(scheduler),
        obstacle,
        is_ahead_of_watch: caches.of::<PodCliqueSet>().is_ahead(&key),
        is_orphaning: caches.is_orphaning(&stored.metadata),
        backend,
        is_view_outdated,
        may_have_more_pods,
        stored: stored.clone(),
        podcliques,
        groups,
        validated,
    }
}

/// Only a job that was given up asks.
fn nodes_in_service(
    set: &PodCliqueSet,
    podcliques: &HashMap<String, ObservedClique>,
    caches: &Caches,
) -> HashSet<String> {
    let has_failed = set.status.as_ref().is_some_and(training::has_failed);
    let pods = podcliques.values().flat_map(|c| &c.pods);
    let leaving = pods.filter(|p| has_failed && p.is_terminating());
    let nodes = leaving.filter_map(|p| p.spec.node_name.as_deref());
    let in_service = nodes.filter(|node| caches.is_node_in_service(node));
    in_service.map(str::to_owned).collect()
}

fn unadopted(
    set: &PodCliqueSet,
    known: &HashMap<String, ObservedClique>,
    caches: &Caches,
) -> HashSet<String> {
    if !training::is_training(set) {
        return HashSet::new();
    }
    let all = caches.of::<PodClique>().part_of(&Key::of(&set.metadata));
    let names = all.iter().map(|c| ownership::name(&c.metadata));
    let unknown = names.filter(|name| !known.contains_key(*name));
    unknown.map(str::to_owned).collect()
}

fn existing_minimums(
    set: &PodCliqueSet,
    groups: &[Arc<PodCliqueScalingGroup>],
    cliques: &[Arc<PodClique>],
) -> Minimums {
    let name = ownership::name(&set.metadata);
    let mut found = Minimums::default();
    for group in groups.iter().filter(|g| is_owned(&g.metadata)) {
        found.add_group(name, group);
    }
    for clique in cliques.iter().filter(|c| is_owned(&c.metadata)) {
        found.add_clique(name, clique);
    }
    found
}

/// Whether a child is controlled, by the set or one of its groups, and not only fit to be adopted.
pub fn is_owned(meta: &ObjectMeta) -> bool {
    ownership::controller(meta).is_some()
}

fn named(group: &PodCliqueScalingGroup) -> &str {
    ownership::name(&group.metadata)
}

/// The objects that the set controls, and those without a controller that are labelled as part of
/// it.
fn children<K>(cache: &Cache<K>, set: &PodCliqueSet, key: &Key) -> Vec<Arc<K>>
where
    K: Resource<DynamicType = ()> + Clone + 'static,
{
    let mut all = cache.owned_by(set);
    all.extend(cache.orphans_of(key));
    all
}
