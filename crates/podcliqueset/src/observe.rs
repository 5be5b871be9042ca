//! Everything that a decision on a PodCliqueSet depends on.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use api::podcliqueset::ReplicaAttempt;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels, names};
use domain::availability::CliqueFacts;
use domain::fence::{self, Attempt};
use domain::intake::{self, Intake};
use domain::minimums::{self, Minimums};
use domain::{Key, Pod, ownership, training};
use engine::{Cache, World};
use jiff::SignedDuration;
use k8s_openapi::api::core::v1::{Service, ServiceAccount};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use crate::{Rules, ScaledGangsWaitFor};

/// What was seen. Children of the set are those that it controls, whatever their labels say, and
/// those that nobody controls but that say they are part of it: these it adopts, if it wants them.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The set as stored.
    pub stored: Arc<PodCliqueSet>,
    /// The set with defaults applied, and its faults.
    pub intake: Intake,
    /// Its scaling groups, by name.
    pub groups: Vec<Arc<PodCliqueScalingGroup>>,
    /// Its PodCliques, standalone and grouped, by name.
    pub podcliques: HashMap<String, CliqueSeen>,
    /// Its PodGangs, by name.
    pub gangs: Vec<Arc<PodGang>>,
    /// Its headless Services, by name.
    pub services: Vec<Arc<Service>>,
    /// Its ServiceAccount.
    pub service_accounts: Vec<Arc<ServiceAccount>>,
    /// Its Role.
    pub roles: Vec<Arc<Role>>,
    /// Its RoleBinding.
    pub role_bindings: Vec<Arc<RoleBinding>>,
    /// What scaled gangs wait for.
    pub scaled_gangs_wait_for: ScaledGangsWaitFor,
    /// How long after its deletionTimestamp a pod is waited for.
    pub stuck_pod_timeout: SignedDuration,
    /// Whether a pod of the set may be there unseen: its POST was sent and is not settled.
    pub may_have_more_pods: bool,
}

/// A PodClique and its pods.
#[derive(Clone, Debug, Default)]
pub struct CliqueSeen {
    /// The PodClique.
    pub podclique: Arc<PodClique>,
    /// Its pods, by index; pods belong to a PodClique by the owner's uid only.
    pub pods: Vec<Arc<Pod>>,
}

impl CliqueSeen {
    /// Whether the PodClique is on its way out.
    pub fn is_terminating(&self) -> bool {
        ownership::is_terminating(&self.podclique.metadata)
    }

    /// The attempt it was created in.
    pub fn attempt(&self) -> Attempt {
        Attempt::of(&self.podclique.metadata)
    }

    /// Pods that stay.
    pub fn staying(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.pods.iter().filter(|p| !p.is_terminating())
    }

    /// How many pods that stay fulfil the claim.
    pub fn count(&self, claim: impl Fn(&Pod) -> bool) -> i32 {
        i32::try_from(self.staying().filter(|p| claim(p)).count()).unwrap_or(i32::MAX)
    }

    /// How many slots hold a pod that stays and fulfils the claim, or need none any more because
    /// their work is done.
    pub fn count_or_done(&self, claim: impl Fn(&Pod) -> bool) -> i32 {
        let pods = self.staying().map(AsRef::as_ref);
        training::slots(self.completed(), pods.filter(|p: &&Pod| claim(p)))
    }

    /// Slots whose work is done; none but in a training job.
    pub fn completed(&self) -> BTreeSet<i32> {
        training::completed(&self.podclique, self.pods.iter().map(AsRef::as_ref))
    }

    /// What its breach depends on.
    pub fn facts(&self) -> CliqueFacts {
        CliqueFacts::of(&self.podclique, self.pods.iter().map(AsRef::as_ref))
    }

    /// How many pods have to be there: never more than are asked for.
    pub fn minimum(&self) -> i32 {
        domain::gang::clique_minimum(&self.podclique.spec)
    }
}

impl Snapshot {
    /// Name of the set.
    pub fn name(&self) -> &str {
        ownership::name(&self.stored.metadata)
    }

    /// The PodClique of that name, unless it is on its way out or of an earlier attempt.
    pub fn podclique(&self, name: &str) -> Option<&CliqueSeen> {
        self.podcliques
            .get(name)
            .filter(|c| !c.is_terminating() && self.is_current(c))
    }

    /// The PodClique of that name and of the present attempt, on its way out or not.
    pub fn of_present_attempt(&self, name: &str) -> Option<&CliqueSeen> {
        self.podcliques.get(name).filter(|c| self.is_current(c))
    }

    /// Whether the PodClique was found to have done its work in the present attempt.
    pub fn is_latched(&self, replica: i32, podclique: &str) -> bool {
        let mut of_replica = self.attempts().iter().filter(|a| a.replica == replica);
        of_replica.any(|a| a.succeeded.iter().any(|name| name == podclique))
    }

    /// Whether the PodClique of that name has done its work and is gone, or going.
    pub fn is_done_and_gone(&self, name: &str) -> bool {
        let place = names::parts_of_standalone_clique(self.name(), name);
        let is_latched = place.is_some_and(|(replica, _)| self.is_latched(replica, name));
        is_latched && self.podclique(name).is_none()
    }

    /// Whether it is a training job.
    pub fn is_training(&self) -> bool {
        training::is_training(&self.intake.set)
    }

    /// The attempts of the replicas.
    pub fn attempts(&self) -> &[ReplicaAttempt] {
        self.stored
            .status
            .as_ref()
            .map_or(&[], |s| &s.replica_attempts)
    }

    /// The present attempt of a replica.
    pub fn attempt(&self, replica: i32) -> i32 {
        fence::present(self.attempts(), replica)
    }

    /// Index of the replica that the PodClique is of.
    pub fn replica_of(&self, clique: &CliqueSeen) -> Option<i32> {
        ownership::replica_in(self.name(), &clique.podclique.metadata)
    }

    /// Whether the PodClique is of the present attempt of its replica.
    fn is_current(&self, clique: &CliqueSeen) -> bool {
        self.replica_of(clique)
            .is_none_or(|i| clique.attempt().set == self.attempt(i))
    }

    /// PodCliques of a replica that are of an earlier attempt, on their way out or not.
    pub fn of_earlier_attempts(&self, replica: i32) -> impl Iterator<Item = &CliqueSeen> {
        let present = self.attempt(replica);
        let all = self.podcliques.values();
        all.filter(move |c| self.replica_of(c) == Some(replica) && c.attempt().set < present)
    }

    /// Replicas with a PodClique of an earlier attempt.
    pub fn replicas_with_earlier_attempts(&self) -> HashSet<i32> {
        let replicas = self.podcliques.values().filter_map(|c| {
            let i = self.replica_of(c)?;
            (c.attempt().set < self.attempt(i)).then_some(i)
        });
        replicas.collect()
    }

    /// The scaling group of that name, on its way out or not.
    pub fn group(&self, name: &str) -> Option<&Arc<PodCliqueScalingGroup>> {
        self.groups
            .iter()
            .find(|g| ownership::name(&g.metadata) == name)
    }

    /// Whether the PodClique belongs to no scaling group.
    pub fn is_standalone(&self, podclique: &PodClique) -> bool {
        ownership::is_controlled_by(&podclique.metadata, ownership::uid(&self.stored.metadata))
    }
}

/// Reads the caches.
pub fn observe(stored: &Arc<PodCliqueSet>, world: &World, rules: &Rules) -> Snapshot {
    let key = Key::of(&stored.metadata);
    let uid = ownership::uid(&stored.metadata);
    let groups = children(&world.scaling_groups, uid, &key);
    let is_standalone = |c: &Arc<PodClique>| {
        ownership::label(&c.metadata, labels::SCALING_GROUP).is_none()
            || ownership::is_controlled_by(&c.metadata, uid)
    };
    let mut cliques = children(&world.podcliques, uid, &key);
    cliques.retain(is_standalone);
    for group in &groups {
        cliques.extend(world.podcliques.owned_by(ownership::uid(&group.metadata)));
    }
    let mut intake = intake::take(stored, &rules.defaults);
    minimums::keep(
        &mut intake,
        stored,
        &existing_minimums(stored, &groups, &cliques),
    );
    Snapshot {
        intake,
        podcliques: cliques.into_iter().map(|c| seen(c, world)).collect(),
        gangs: children(&world.podgangs, uid, &key),
        services: children(&world.services, uid, &key),
        service_accounts: children(&world.service_accounts, uid, &key),
        roles: children(&world.roles, uid, &key),
        role_bindings: children(&world.role_bindings, uid, &key),
        scaled_gangs_wait_for: rules.scaled_gangs_wait_for,
        stuck_pod_timeout: rules.stuck_pod_timeout,
        may_have_more_pods: world.pods.may_have_more_in(&key),
        stored: stored.clone(),
        groups,
    }
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

/// What the set controls, and what nobody controls but says it is part of the set.
fn children<K>(cache: &Cache<K>, uid: &str, set: &Key) -> Vec<Arc<K>>
where
    K: Resource<DynamicType = ()> + Clone,
{
    let mut all = cache.owned_by(uid);
    all.extend(cache.orphans_of(set));
    all
}

fn seen(podclique: Arc<PodClique>, world: &World) -> (String, CliqueSeen) {
    let mut pods = world.pods.owned_by(ownership::uid(&podclique.metadata));
    pods.sort_by_key(|p| (p.index(), p.name().to_owned()));
    (
        ownership::name(&podclique.metadata).to_owned(),
        CliqueSeen { podclique, pods },
    )
}
