//! Everything that a decision on a PodClique depends on.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use api::podcliqueset::PodCliqueScalingGroupConfig;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, WorkloadType, labels, names};
use domain::fence::{self, Attempt};
use domain::readiness::{self, Start};
use domain::{Key, Pod, gang, hash, ownership, termination, training};
use engine::World;
use engine::world::Tombstone;
use jiff::SignedDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::Rules;

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The PodClique.
    pub podclique: Arc<PodClique>,
    /// The set it is part of, unless that is gone.
    pub set: Option<SetFacts>,
    /// Whether its owners exist and stay, its replica is not being torn down, and its job is not
    /// over.
    pub may_create: bool,
    /// Its pods by index, those that it may adopt among them.
    pub pods: Vec<Arc<Pod>>,
    /// Whether a pod may exist that is not among them: its POST got no answer, and a second pod for
    /// its slot may get another name. It is read live, which wakes the PodClique.
    pub may_have_more: bool,
    /// The PodGang that it is a part of, if it exists and belongs to the set.
    pub gang: Option<Arc<PodGang>>,
    /// What that PodGang waits for.
    pub start: Start,
    /// The last holders of slots whose pods are gone.
    pub tombstones: HashMap<i32, Tombstone>,
    /// Names that turned out to be taken by pods of others.
    pub taken_names: HashSet<String>,
    /// How long after its deletionTimestamp a pod still holds its slot.
    pub stuck_pod_timeout: SignedDuration,
}

impl Snapshot {
    /// Whether the pods do a job that ends.
    pub fn is_training(&self) -> bool {
        self.podclique.spec.workload_type == Some(WorkloadType::Training)
    }

    /// For how long a breach that has ended may come back as the same one.
    pub fn breach_memory(&self) -> SignedDuration {
        self.set
            .as_ref()
            .map_or(SignedDuration::ZERO, |s| s.breach_memory)
    }

    /// Slots whose work is done.
    pub fn completed(&self) -> BTreeSet<i32> {
        training::completed(&self.podclique, self.pods.iter().map(AsRef::as_ref))
    }

    /// Names of the pods that the gang lists for this PodClique.
    pub fn listed(&self) -> BTreeSet<&str> {
        let name = ownership::name(&self.podclique.metadata);
        let groups = self
            .gang
            .iter()
            .flat_map(|g| &g.spec.pod_groups)
            .filter(|g| g.name == name);
        groups
            .flat_map(|g| &g.pod_references)
            .map(|r| r.name.as_str())
            .collect()
    }
}

/// What matters of the PodCliqueSet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetFacts {
    /// Its name.
    pub name: String,
    /// Whether it is being deleted.
    pub is_terminating: bool,
    /// `template.priorityClassName`.
    pub priority_class_name: String,
    /// `status.currentGenerationHash`.
    pub generation_hash: Option<String>,
    /// Hash of this clique's newest template.
    pub template_hash: Option<String>,
    /// Its uid.
    pub uid: String,
    /// Whether it is a training job that is over.
    pub is_over: bool,
    /// How long a breach of this clique may last, in a training job.
    pub training_delay: SignedDuration,
    /// For how long a breach of this clique that has ended may come back as the same one.
    pub breach_memory: SignedDuration,
}

/// Reads the caches.
pub fn observe(podclique: &Arc<PodClique>, world: &World, rules: &Rules) -> Snapshot {
    let meta = &podclique.metadata;
    let namespace = meta.namespace.clone().unwrap_or_default();
    let set_name = ownership::label(meta, labels::PART_OF).unwrap_or_default();
    let set = world
        .podcliquesets
        .get(&Key::new(namespace.clone(), set_name));
    let set_uid = set
        .as_ref()
        .map_or("", |s| ownership::uid(&s.metadata))
        .to_owned();
    let mut pods = pods_of(podclique, set_name, world);
    pods.sort_by_key(|p| (p.index(), p.name().to_owned()));
    let gang = gang_of(meta, &set_uid, world);
    let is_torn_down = set
        .as_ref()
        .is_some_and(|set| is_being_torn_down(podclique, set, world));
    Snapshot {
        taken_names: world.taken_names.within(&namespace),
        may_create: set.as_ref().is_some_and(|set| {
            has_living_owner(podclique, set, world)
                && !is_torn_down
                && !training::is_over(set.status.as_ref())
        }),
        start: if is_torn_down {
            Start::TornDown
        } else {
            readiness::start(podclique, gang.as_deref(), |base| {
                let base = world.podgangs.get(&Key::new(namespace.clone(), base));
                base.is_some_and(|base| gang::is_ready(&base))
            })
        },
        set: set.map(|s| facts(&s, podclique, rules)),
        pods,
        may_have_more: world.pods.may_have_more_of(ownership::uid(meta)),
        gang,
        tombstones: world.tombstones.of(ownership::uid(meta)),
        podclique: podclique.clone(),
        stuck_pod_timeout: rules.stuck_pod_timeout,
    }
}

/// The gang that the label names. Somebody may have edited that: then the one that has a part of
/// this name, or a new pod could get a name that the gang lists, and pass its gate at once.
fn gang_of(meta: &ObjectMeta, set_uid: &str, world: &World) -> Option<Arc<PodGang>> {
    let namespace = meta.namespace.clone().unwrap_or_default();
    let is_part = |g: &Arc<PodGang>| {
        let mut parts = g.spec.pod_groups.iter();
        parts.any(|part| part.name == ownership::name(meta))
    };
    let labelled = ownership::label(meta, labels::POD_GANG)
        .and_then(|name| world.podgangs.get(&Key::new(namespace, name)))
        .filter(|g| ownership::is_controlled_by(&g.metadata, set_uid));
    if labelled.as_ref().is_some_and(is_part) {
        return labelled;
    }
    let all = world.podgangs.owned_by(set_uid);
    all.into_iter().find(is_part).or(labelled)
}

/// What the PodClique controls, and what nobody controls but says it belongs to it.
fn pods_of(podclique: &PodClique, set: &str, world: &World) -> Vec<Arc<Pod>> {
    let meta = &podclique.metadata;
    let name = ownership::name(meta);
    let set = Key::new(meta.namespace.clone().unwrap_or_default(), set);
    let says_so = |p: &Arc<Pod>| ownership::label(&p.metadata, labels::POD_CLIQUE) == Some(name);
    let mut pods = world.pods.owned_by(ownership::uid(meta));
    pods.extend(world.pods.orphans_of(&set).into_iter().filter(says_so));
    pods
}

/// Whether its replica is being torn down, which it may itself be left from.
fn is_being_torn_down(podclique: &PodClique, set: &PodCliqueSet, world: &World) -> bool {
    let replica = ownership::replica_in(ownership::name(&set.metadata), &podclique.metadata);
    replica.is_some_and(|i| world.has_earlier_attempt(set, i))
}

fn has_living_owner(podclique: &PodClique, set: &PodCliqueSet, world: &World) -> bool {
    let Some(owner) = ownership::controller(&podclique.metadata) else {
        return false;
    };
    if ownership::is_terminating(&set.metadata) {
        return false;
    }
    if owner.kind == "PodCliqueSet" {
        return owner.uid == ownership::uid(&set.metadata);
    }
    let namespace = podclique.metadata.namespace.clone().unwrap_or_default();
    let group = world
        .scaling_groups
        .get(&Key::new(namespace, owner.name.clone()));
    group.is_some_and(|g| {
        ownership::uid(&g.metadata) == owner.uid
            && !ownership::is_terminating(&g.metadata)
            && ownership::is_controlled_by(&g.metadata, ownership::uid(&set.metadata))
            && !is_recycled(podclique, &g)
    })
}

/// Whether the group has torn the PodClique's replica down since it was created.
fn is_recycled(podclique: &PodClique, group: &PodCliqueScalingGroup) -> bool {
    let j = ownership::label_index(&podclique.metadata, labels::SCALING_GROUP_REPLICA_INDEX);
    let attempts = group
        .status
        .as_ref()
        .map_or(&[][..], |s| &s.replica_attempts);
    j.is_some_and(|j| Attempt::of(&podclique.metadata).group < fence::present(attempts, j))
}

fn facts(set: &PodCliqueSet, podclique: &PodClique, rules: &Rules) -> SetFacts {
    let template = &set.spec.template;
    let clique = template
        .cliques
        .iter()
        .find(|c| is_made_from(podclique, set, &c.name));
    let group = clique.and_then(|c| group_of(set, &c.name));
    SetFacts {
        name: ownership::name(&set.metadata).to_owned(),
        is_terminating: ownership::is_terminating(&set.metadata),
        priority_class_name: template.priority_class_name.clone(),
        generation_hash: set
            .status
            .as_ref()
            .and_then(|s| s.current_generation_hash.clone()),
        template_hash: clique.map(|c| hash::pod_template_hash(c, &template.priority_class_name)),
        uid: ownership::uid(&set.metadata).to_owned(),
        is_over: training::is_over(set.status.as_ref()),
        training_delay: training::delay(set, group),
        breach_memory: termination::memory(set, group, &rules.defaults),
    }
}

fn group_of<'a>(set: &'a PodCliqueSet, clique: &str) -> Option<&'a PodCliqueScalingGroupConfig> {
    let groups = &set.spec.template.scaling_groups;
    groups
        .iter()
        .find(|g| g.clique_names.iter().any(|name| name == clique))
}

/// Whether the PodClique has exactly the name that this clique gives it. Comparing ends of names
/// would take `gpu-worker` for `worker`.
fn is_made_from(podclique: &PodClique, set: &PodCliqueSet, clique: &str) -> bool {
    let meta = &podclique.metadata;
    let expected = match ownership::label(meta, labels::SCALING_GROUP) {
        Some(group) => ownership::label_index(meta, labels::SCALING_GROUP_REPLICA_INDEX)
            .map(|j| names::grouped_clique(group, j, clique)),
        None => ownership::label_index(meta, labels::PCS_REPLICA_INDEX)
            .map(|i| names::standalone_clique(ownership::name(&set.metadata), i, clique)),
    };
    expected.as_deref() == Some(ownership::name(meta))
}
