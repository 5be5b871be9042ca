//! Everything that a decision on a scaling group depends on.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use api::podcliqueset::{PodCliqueScalingGroupConfig, ReplicaAttempt};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, labels, names};
use domain::defaults::DefaultsConfig;
use domain::fence::{self, Attempt};
use domain::intake::{self, Intake};
use domain::minimums::{self, Minimums};
use domain::{Key, Pod, ownership, termination, training};
use engine::World;
use jiff::SignedDuration;

use crate::status;

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The group.
    pub group: Arc<PodCliqueScalingGroup>,
    /// The set that owns it, unless that is gone.
    pub owner: Option<Intake>,
    /// Its PodCliques by name, and those that it may adopt.
    pub podcliques: BTreeMap<String, Arc<PodClique>>,
    /// Pods of its PodCliques, by the PodClique's uid; read only while one of them is breached.
    pub pods: HashMap<String, Vec<Arc<Pod>>>,
    /// Whether a PodClique of an earlier attempt exists anywhere in its PodCliqueSet replica.
    pub is_set_replica_torn_down: bool,
}

impl Snapshot {
    /// Index of the PodCliqueSet replica.
    pub fn replica(&self) -> Option<i32> {
        let set = &self.owner.as_ref()?.set;
        ownership::replica_in(ownership::name(&set.metadata), &self.group.metadata)
    }

    /// The group's entry in the template.
    pub fn config(&self) -> Option<&PodCliqueScalingGroupConfig> {
        let set = &self.owner.as_ref()?.set;
        let (set_name, i) = (ownership::name(&set.metadata), self.replica()?);
        let name = ownership::name(&self.group.metadata);
        set.spec
            .template
            .scaling_groups
            .iter()
            .find(|g| names::scaling_group(set_name, i, &g.name) == name)
    }

    /// For how long a breach that has ended may come back as the same one.
    pub fn breach_memory(&self) -> SignedDuration {
        let Some(owner) = &self.owner else {
            return SignedDuration::ZERO;
        };
        termination::memory(&owner.set, self.config(), &DefaultsConfig::default())
    }

    /// `spec.minAvailable`; 1 if unset.
    pub fn min_available(&self) -> i32 {
        self.group.spec.min_available.unwrap_or(1)
    }

    /// The attempt in which PodCliques of group replica `j` are created.
    pub fn attempt(&self, j: i32) -> Attempt {
        Attempt {
            set: self.set_attempt(),
            group: fence::present(self.replica_attempts(), j),
        }
    }

    /// The attempts of single group replicas.
    pub fn replica_attempts(&self) -> &[ReplicaAttempt] {
        let status = self.group.status.as_ref();
        status.map_or(&[], |s| &s.replica_attempts)
    }

    /// Whether the set is a training job that is over.
    pub fn is_over(&self) -> bool {
        let set = self.owner.as_ref().map(|o| &o.set);
        set.is_some_and(|s| training::is_over(s.status.as_ref()))
    }

    /// Whether the PodClique of that name has done its work, and need not be there any more.
    pub fn is_done(&self, name: &str) -> bool {
        let status = self.owner.as_ref().and_then(|o| o.set.status.as_ref());
        let attempts = status.map_or(&[][..], |s| &s.replica_attempts);
        let mut of_replica = attempts
            .iter()
            .filter(|a| Some(a.replica) == self.replica());
        of_replica.any(|a| a.succeeded.iter().any(|done| done == name))
    }

    /// The attempt of the PodCliqueSet replica: what the set says, or what the group has seen if that
    /// is higher. A set that is gone says nothing, and one that was applied anew follows its
    /// children.
    pub fn set_attempt(&self) -> i32 {
        let status = self.owner.as_ref().and_then(|o| o.set.status.as_ref());
        let attempts = status.map_or(&[][..], |s| &s.replica_attempts);
        let said = self.replica().map_or(0, |i| fence::present(attempts, i));
        said.max(self.observed_attempt())
    }

    /// The attempt of the PodCliqueSet replica that this group's status speaks of.
    pub fn observed_attempt(&self) -> i32 {
        self.group
            .status
            .as_ref()
            .and_then(|s| s.observed_attempt)
            .unwrap_or(0)
    }

    /// Whether a PodClique is of the present attempt of its group replica.
    pub fn is_current(&self, podclique: &PodClique) -> bool {
        let replica =
            ownership::label_index(&podclique.metadata, labels::SCALING_GROUP_REPLICA_INDEX);
        replica.is_none_or(|j| Attempt::of(&podclique.metadata) == self.attempt(j))
    }

    /// The PodClique of that name, unless it is on its way out or of an earlier attempt.
    pub fn podclique(&self, name: &str) -> Option<&Arc<PodClique>> {
        self.podcliques
            .get(name)
            .filter(|c| !ownership::is_terminating(&c.metadata) && self.is_current(c))
    }
}

/// Reads the caches.
pub fn observe(
    group: &Arc<PodCliqueScalingGroup>,
    world: &World,
    defaults: &DefaultsConfig,
) -> Snapshot {
    let meta = &group.metadata;
    let namespace = meta.namespace.clone().unwrap_or_default();
    let podcliques: BTreeMap<String, Arc<PodClique>> = podcliques(group, world)
        .into_iter()
        .map(|c| (ownership::name(&c.metadata).to_owned(), c))
        .collect();
    let owner = ownership::controller(meta).and_then(|owner| {
        let set = world
            .podcliquesets
            .get(&Key::new(namespace, owner.name.clone()))?;
        let stays = !ownership::is_terminating(&set.metadata);
        let is_it = stays && ownership::uid(&set.metadata) == owner.uid;
        is_it.then(|| take(&set, &podcliques, defaults))
    });
    let mut snapshot = Snapshot {
        pods: pods(&podcliques, world),
        podcliques,
        group: group.clone(),
        owner,
        is_set_replica_torn_down: false,
    };
    let place = snapshot.owner.as_ref().zip(snapshot.replica());
    snapshot.is_set_replica_torn_down =
        place.is_some_and(|(owner, i)| world.has_earlier_attempt(&owner.set, i));
    snapshot
}

/// The set, with the minimums of the PodCliques that exist here.
fn take(
    set: &PodCliqueSet,
    podcliques: &BTreeMap<String, Arc<PodClique>>,
    defaults: &DefaultsConfig,
) -> Intake {
    let mut intake = intake::take(set, defaults);
    let mut found = Minimums::default();
    let owned = podcliques
        .values()
        .filter(|c| ownership::controller(&c.metadata).is_some());
    for podclique in owned {
        found.add_clique(ownership::name(&set.metadata), podclique);
    }
    minimums::keep(&mut intake, set, &found);
    intake
}

/// Only a breach has to be confirmed from pods.
fn pods(
    podcliques: &BTreeMap<String, Arc<PodClique>>,
    world: &World,
) -> HashMap<String, Vec<Arc<Pod>>> {
    if !podcliques.values().any(|c| status::is_breached(c)) {
        return HashMap::new();
    }
    let uids = podcliques.values().map(|c| ownership::uid(&c.metadata));
    uids.map(|uid| (uid.to_owned(), world.pods.owned_by(uid)))
        .collect()
}

/// What the group controls, and what nobody controls but says it belongs to it.
fn podcliques(group: &PodCliqueScalingGroup, world: &World) -> Vec<Arc<PodClique>> {
    let meta = &group.metadata;
    let set = ownership::label(meta, labels::PART_OF).unwrap_or_default();
    let set = Key::new(meta.namespace.clone().unwrap_or_default(), set);
    let name = ownership::name(meta);
    let says_so =
        |c: &Arc<PodClique>| ownership::label(&c.metadata, labels::SCALING_GROUP) == Some(name);
    let mut all = world.podcliques.owned_by(ownership::uid(meta));
    all.extend(
        world
            .podcliques
            .orphans_of(&set)
            .into_iter()
            .filter(says_so),
    );
    all
}
