//! The inputs of a decision on a scaling group.

pub(crate) mod claims;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use admission::Validator;
use admission::minimums::{self, Minimums};
use admission::validated_set::ValidatedSet;
use api::conditions::{self, ConditionType};
use api::podcliqueset::{PodCliqueScalingGroupConfig, ReplicaAttempt, RollingUpdate};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, labels, names};
use domain::health::{fence, suspension, termination, training};
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::roster::{self, Owner, Slot};
use domain::sharing::ClaimFacts;
use domain::workload::limits;
use domain::workload::revision::Revisions;
use domain::{Claim, Key, Pod, Revision, update};
use engine::Caches;
use engine::cache::set_of;
use jiff::{SignedDuration, Timestamp};

use crate::PodCliqueScalingGroupReconciler;

/// The observation.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The group.
    pub group: Arc<PodCliqueScalingGroup>,
    /// The set that owns it, unless the set is gone.
    pub owner: Option<ValidatedSet>,
    /// Its PodCliques by name, and those that it may adopt.
    pub podcliques: BTreeMap<String, Arc<PodClique>>,
    /// Pods of its PodCliques, by the PodClique's uid; read only while one of them is breached or
    /// the group is updated.
    pub pods: HashMap<String, Vec<Arc<Pod>>>,
    /// Whether the observation may be outdated, as a watch is lost or is being listed again: then
    /// nothing that runs is torn down.
    pub is_view_outdated: bool,
    /// Whether a PodClique of an earlier attempt exists anywhere in its PodCliqueSet replica.
    pub is_set_replica_terminating: bool,
    /// The pod templates that its set accepted earlier.
    pub revisions: Revisions,
    /// The resource claims that pods of the group share, and their users.
    pub claims: ClaimFacts,
    /// The ResourceClaims that it controls.
    pub own_claims: Vec<Arc<Claim>>,
    /// Whether MNNVL groups have ComputeDomains.
    pub is_mnnvl_enabled: bool,
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

    /// The limits of its update.
    pub fn rolling_update(&self) -> Option<Cow<'_, RollingUpdate>> {
        let set = &self.owner.as_ref()?.set;
        let given = self.config()?.rolling_update.as_ref();
        update::rolling_in_force(set, given, self.min_available())
    }

    /// Group replicas below this index keep their templates.
    pub fn partition(&self) -> i32 {
        let config = self.config();
        update::partition_of(config.and_then(|c| c.rolling_update.as_ref()))
    }

    /// The lowest index of the group replicas that the update may replace now.
    pub fn first_replaced(&self) -> i32 {
        let set = self.owner.as_ref().map(|owner| &owner.set);
        set.zip(self.config()).map_or(0, |(set, config)| {
            update::first_replaced(set, &config.name, config.rolling_update.as_ref())
        })
    }

    /// Live replicas, limited to the number that is acted on.
    pub fn replicas(&self) -> i32 {
        limits::bounded(self.group.spec.replicas)
    }

    /// The indexes of its surge replicas; empty outside of an update.
    pub fn surge_indexes(&self) -> BTreeSet<i32> {
        let rolling = self.rolling_update();
        let existing = || self.podcliques.values().filter_map(|c| self.replica_of(c));
        update::surge_of_group(&self.group, rolling.as_deref(), existing)
    }

    /// Returns whether the group may have a replica with an index.
    pub fn allowed_indexes(&self) -> impl Fn(i32) -> bool + use<> {
        let (replicas, surge) = (0..self.group.spec.replicas, self.surge_indexes());
        move |j| replicas.contains(&j) || surge.contains(&j)
    }

    /// Whether the set, with all its existing objects, is larger than it may be.
    pub fn is_set_over_limits(&self) -> bool {
        self.owner.as_ref().is_some_and(|o| o.is_over_limits)
    }

    /// For how long a breach that has ended may return as the same breach.
    pub fn breach_memory(&self) -> SignedDuration {
        let Some(owner) = &self.owner else {
            return SignedDuration::ZERO;
        };
        termination::memory(&owner.set, self.config(), None)
    }

    /// `spec.minAvailable`; 1 if unset.
    pub fn min_available(&self) -> i32 {
        self.group.spec.min_available.unwrap_or(1)
    }

    /// The attempt in which PodCliques of group replica `j` are created.
    pub fn attempt(&self, j: i32) -> Attempt {
        Attempt {
            set: self.set_attempt(),
            group: fence::current_attempt(self.replica_attempts(), j),
        }
    }

    /// The attempts of single group replicas.
    pub fn replica_attempts(&self) -> &[ReplicaAttempt] {
        fence::attempts_of_group(&self.group)
    }

    /// Whether the set is a training job that is over.
    pub fn is_over(&self) -> bool {
        let set = self.owner.as_ref().map(|o| &o.set);
        set.is_some_and(|s| training::is_over(s.status.as_ref()))
    }

    /// Whether the set is suspended.
    pub fn is_suspended(&self) -> bool {
        let set = self.owner.as_ref().map(|o| &o.set);
        set.is_some_and(|s| suspension::is_suspended(s.status.as_ref()))
    }

    /// The earliest time from which a breach counts: the last resume of the set.
    pub fn breaches_from(&self) -> Timestamp {
        let set = self.owner.as_ref().map(|o| &o.set);
        let resumed = set.and_then(|s| suspension::resumed_at(s.status.as_ref()));
        resumed.unwrap_or(Timestamp::MIN)
    }

    /// Whether its PodCliqueSet replica has the turn in an update.
    pub fn is_updating(&self) -> bool {
        self.owner
            .as_ref()
            .zip(self.replica())
            .is_some_and(|(owner, i)| update::is_updating(&owner.set, i))
    }

    /// Whether nothing is replaced for the sake of a template now.
    pub fn is_update_held(&self) -> bool {
        let owner = self.owner.as_ref();
        owner.is_some_and(|o| update::is_held(&o.set, &o.generation_hash()))
    }

    /// Whether the record of the update stays as it is outside of the turn.
    pub fn keeps_records(&self) -> bool {
        let owner = self.owner.as_ref();
        owner.is_some_and(|o| update::keeps_records(&o.set, &o.generation_hash()))
    }

    /// Whether the set's newest template waits for the answer to its check.
    pub fn is_update_unchecked(&self) -> bool {
        let owner = self.owner.as_ref();
        owner.is_some_and(|o| update::is_unchecked(&o.set, &o.generation_hash()))
    }

    /// Pods of the PodClique that stay; known only while the group is updated or breached.
    pub fn staying_pods(&self, podclique: &PodClique) -> impl Iterator<Item = &Arc<Pod>> {
        let pods = self.pods.get(ownership::uid(&podclique.metadata));
        let pods = pods.into_iter().flatten();
        pods.filter(|p| !p.is_terminating())
    }

    /// Whether the PodClique of that name has done its work, and need not exist any more.
    pub fn is_done(&self, name: &str) -> bool {
        let place = self.replica();
        place.is_some_and(|i| fence::is_stored_as_succeeded(self.attempts_of_set(), i, name))
    }

    /// Whether all PodCliques of the job's replica existed in this attempt. A PodClique that is
    /// missing since then is a failure, and the set decides how to react.
    pub fn is_closed(&self) -> bool {
        let job = self.owner.as_ref().map(|o| &o.set);
        let is_job = job.is_some_and(training::is_training);
        let place = self.replica().filter(|_| is_job);
        place.is_some_and(|i| fence::is_complete(self.attempts_of_set(), i))
    }

    /// The attempts that the set has stored for its replicas; none if the set is gone.
    fn attempts_of_set(&self) -> &[ReplicaAttempt] {
        let set = self.owner.as_ref().map(|o| &o.set);
        set.map_or(&[], |set| fence::attempts_of_set(set))
    }

    /// The attempt of the PodCliqueSet replica: the one that the set has stored, or the group's if
    /// that is higher. A set that is gone has none, and one that was recreated follows its
    /// children.
    pub fn set_attempt(&self) -> i32 {
        let stored = self.replica();
        let stored = stored.map_or(0, |i| fence::current_attempt(self.attempts_of_set(), i));
        stored.max(self.observed_attempt())
    }

    /// The attempt of the PodCliqueSet replica that this group's status is about.
    pub fn observed_attempt(&self) -> i32 {
        self.group
            .status
            .as_ref()
            .and_then(|s| s.observed_attempt)
            .unwrap_or(0)
    }

    /// The PodCliques that the group controls, of whatever attempt. It may adopt others that have no
    /// controller.
    pub fn own_podcliques(&self) -> impl Iterator<Item = &Arc<PodClique>> {
        let group = ownership::uid(&self.group.metadata);
        self.podcliques
            .values()
            .filter(move |c| ownership::is_controlled_by(&c.metadata, group))
    }

    /// The slots that have a PodClique, each with its state and the index of its group replica.
    pub fn filled_slots(&self) -> impl Iterator<Item = (i32, Slot<&Arc<PodClique>>)> {
        self.podcliques.values().filter_map(|c| {
            let j = self.replica_of(c)?;
            Some((j, self.classify(c, Some(j))))
        })
    }

    /// The slot of the PodClique of that name.
    pub fn slot(&self, podclique: &str) -> Slot<&Arc<PodClique>> {
        match self.podcliques.get(podclique) {
            Some(found) => self.classify(found, self.replica_of(found)),
            None if self.is_done(podclique) => Slot::Done,
            None => Slot::Empty,
        }
    }

    fn classify<'a>(
        &self,
        found: &'a Arc<PodClique>,
        replica: Option<i32>,
    ) -> Slot<&'a Arc<PodClique>> {
        let meta = &found.metadata;
        let wanted = replica.map(|j| self.attempt(j));
        let owner = match ownership::controller(meta) {
            None => Owner::Nobody,
            Some(owner) if owner.uid == ownership::uid(&self.group.metadata) => Owner::Set,
            Some(_) => Owner::Foreign,
        };
        roster::classify(
            found,
            meta,
            wanted.unwrap_or_else(|| Attempt::of(meta)),
            owner,
        )
    }

    /// Index of the group replica that the PodClique belongs to, from its name, which cannot be
    /// edited.
    pub fn replica_of(&self, podclique: &PodClique) -> Option<i32> {
        let group = ownership::name(&self.group.metadata);
        ownership::group_replica_in(group, &podclique.metadata)
    }
}

/// Reads the caches.
pub fn observe(
    group: &Arc<PodCliqueScalingGroup>,
    caches: &Caches,
    rules: &PodCliqueScalingGroupReconciler,
) -> Snapshot {
    let meta = &group.metadata;
    let namespace = meta.namespace.clone().unwrap_or_default();
    // A flag is read before the data that it qualifies: it may end while the rest is read, which is
    // then partly old.
    let is_view_outdated = caches.is_workload_outdated(&namespace);
    let podcliques: BTreeMap<String, Arc<PodClique>> = find_podcliques(group, caches)
        .into_iter()
        .map(|c| (ownership::name(&c.metadata).to_owned(), c))
        .collect();
    let owner = ownership::controller(meta).and_then(|owner| {
        let set = caches
            .of::<PodCliqueSet>()
            .get(&Key::new(namespace.as_str(), owner.name.as_str()))?;
        let stays = !ownership::is_terminating(&set.metadata);
        let is_it = stays && ownership::uid(&set.metadata) == owner.uid;
        is_it.then(|| validate_owner(&set, group, &podcliques, &rules.validator))
    });
    let mut snapshot = Snapshot {
        pods: HashMap::new(),
        podcliques,
        group: group.clone(),
        owner,
        is_view_outdated,
        is_set_replica_terminating: false,
        revisions: Revisions::default(),
        claims: ClaimFacts::default(),
        own_claims: caches.of::<Claim>().owned_by(&**group),
        is_mnnvl_enabled: rules.is_mnnvl_enabled,
    };
    if snapshot.is_updating() || snapshot.podcliques.values().any(|c| is_breached(c)) {
        snapshot.pods = find_pods(&snapshot.podcliques, caches);
    }
    let place = snapshot.owner.as_ref().zip(snapshot.replica());
    snapshot.is_set_replica_terminating =
        place.is_some_and(|(owner, i)| caches.has_previous(&owner.set, i));
    if let Some(owner) = &snapshot.owner {
        let namespace = group.metadata.namespace.as_deref().unwrap_or_default();
        // The flag is read before the objects that it qualifies.
        let is_outdated = caches.is_outdated::<Revision>(namespace);
        let found = caches.of::<Revision>().owned_by(&owner.set);
        snapshot.revisions = Revisions::of(&owner.set, found).seen_outdated(is_outdated);
    }
    snapshot.claims = claims::observe(&snapshot, rules, caches);
    snapshot
}

/// The set, with the minimums of the group and its PodCliques that exist.
fn validate_owner(
    set: &Arc<PodCliqueSet>,
    group: &PodCliqueScalingGroup,
    podcliques: &BTreeMap<String, Arc<PodClique>>,
    validator: &Validator,
) -> ValidatedSet {
    let mut validated = validator.validate_parent(set);
    let mut found = Minimums::default();
    found.add_group(ownership::name(&set.metadata), group);
    let owned = podcliques
        .values()
        .filter(|c| ownership::controller(&c.metadata).is_some());
    for podclique in owned {
        found.add_clique(ownership::name(&set.metadata), podclique);
    }
    minimums::keep_minimums(&mut validated, set, &found);
    validated
}

/// Whether the PodClique's stored condition has it below its minimum.
pub fn is_breached(podclique: &PodClique) -> bool {
    let status = podclique.status.as_ref();
    status.is_some_and(|s| conditions::is_true(&s.conditions, ConditionType::MinAvailableBreached))
}

fn find_pods(
    podcliques: &BTreeMap<String, Arc<PodClique>>,
    caches: &Caches,
) -> HashMap<String, Vec<Arc<Pod>>> {
    podcliques
        .values()
        .map(|c| {
            let pods = caches.of::<Pod>().owned_by(&**c);
            (ownership::uid(&c.metadata).to_owned(), pods)
        })
        .collect()
}

/// The PodCliques that the group controls, and those without a controller that belong to it by name
/// and label.
fn find_podcliques(group: &PodCliqueScalingGroup, caches: &Caches) -> Vec<Arc<PodClique>> {
    let meta = &group.metadata;
    let name = ownership::name(meta);
    let says_so = |c: &Arc<PodClique>| {
        let label = ownership::label(&c.metadata, labels::SCALING_GROUP);
        label.is_none_or(|group| group == name)
            && ownership::group_replica_in(name, &c.metadata).is_some()
    };
    let mut all = caches.of::<PodClique>().owned_by(group);
    let orphans = set_of(meta).map(|set| caches.of::<PodClique>().orphans_of(&set));
    all.extend(orphans.unwrap_or_default().into_iter().filter(says_so));
    all
}
