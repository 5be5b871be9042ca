//! What is known of the PodCliques that a set consists of.

use std::collections::{HashMap, HashSet};

use api::names;
use domain::health::{fence, training};
use domain::object::ownership;
use domain::workload::layout::{self, Layout, Part};

use crate::observe::{ObservedClique, Snapshot, is_owned};

impl Snapshot {
    /// What the set consists of, by the live replica counts of its groups. A group whose object
    /// does not exist yet counts with the replicas that it will have: its gang must not start
    /// without it.
    pub fn layout(&self) -> Layout<'_> {
        let template = &self.validated.set.spec.template;
        layout::enumerate(self.name(), template, self.replicas(), |name, config| {
            self.group_replicas(name, config)
        })
    }

    /// Whether it is stored that the work of the part is done.
    pub fn is_part_latched(&self, part: &Part<'_>) -> bool {
        self.is_latched(part.replica, &part.name)
    }

    /// Whether the part is there in the present attempt, and ours, or need not be there any more.
    pub fn is_part_there(&self, part: &Part<'_>) -> bool {
        let found = self.of_present_attempt(&part.name);
        found.is_some_and(|c| is_owned(&c.podclique.metadata)) || self.is_part_latched(part)
    }

    /// Whether the work of the part was found to be done; latched by the set, whatever became of it
    /// since.
    pub fn has_part_succeeded(&self, part: &Part<'_>) -> bool {
        self.is_part_latched(part)
            || self
                .of_present_attempt(&part.name)
                .is_some_and(|c| training::has_succeeded(&c.podclique))
    }

    /// Whether all pods of the part have done their work, found or not.
    pub fn is_part_done(&self, part: &Part<'_>) -> bool {
        self.has_part_succeeded(part)
            || self
                .podclique(&part.name)
                .is_some_and(|c| training::is_done(&c.podclique, &c.completed()))
    }

    /// Whether the part exists in the current attempt and has no controller.
    fn is_part_to_be_adopted(&self, part: &Part<'_>) -> bool {
        let found = self.of_present_attempt(&part.name);
        found.is_some_and(|c| is_loose(c) && c.attempt().group == self.group_attempt(part))
    }

    /// The attempt of the part's group replica.
    fn group_attempt(&self, part: &Part<'_>) -> i32 {
        let place = part.group.zip(part.group_replica);
        place.map_or(0, |(config, j)| {
            let group = names::scaling_group(self.name(), part.replica, &config.name);
            let group = self.group(&group);
            group.map_or(0, |g| {
                fence::current_attempt(fence::attempts_of_group(g), j)
            })
        })
    }
}

/// The PodCliques that have no pods to have: they are scaled to 0, or will be created so.
pub struct Idle<'a> {
    snapshot: &'a Snapshot,
    /// Cliques by their replicas in the template.
    counts: HashMap<&'a str, i32>,
}

impl<'a> Idle<'a> {
    /// Of a set.
    pub fn of(snapshot: &'a Snapshot) -> Self {
        let cliques = &snapshot.validated.set.spec.template.cliques;
        let counts = cliques.iter().map(|c| (c.name.as_str(), c.spec.replicas));
        Self {
            counts: counts.collect(),
            snapshot,
        }
    }

    /// Whether the part is one of them.
    pub fn contains(&self, part: &Part<'_>) -> bool {
        let live = self.snapshot.podclique(&part.name);
        live.map_or_else(|| self.count_to_create(part), |c| c.podclique.spec.replicas) <= 0
    }

    fn count_to_create(&self, part: &Part<'_>) -> i32 {
        let template = self.counts.get(part.clique).copied().unwrap_or(1);
        if part.group.is_some() {
            return template;
        }
        let remembered = self.snapshot.live_replicas();
        fence::count_to_create(remembered, part.replica, part.clique, template).replicas
    }
}

/// Replicas that have a wanted PodClique or group without a controller: its owner reference was
/// removed, or its owner was deleted with `--cascade=orphan`. Terminated before it is adopted it
/// would be left over, and its pods with it (decision 71).
pub fn being_adopted(snapshot: &Snapshot, layout: &Layout<'_>) -> HashSet<i32> {
    let mut replicas = with_group_to_be_adopted(snapshot, layout);
    if snapshot.podcliques.values().any(is_loose) {
        let loose = layout
            .parts()
            .filter(|part| snapshot.is_part_to_be_adopted(part));
        replicas.extend(loose.map(|part| part.replica));
    }
    replicas
}

/// Replicas that have a wanted scaling group without a controller: which of its PodCliques are of
/// earlier attempts is known once it is adopted (decision 71).
pub fn with_group_to_be_adopted(snapshot: &Snapshot, layout: &Layout<'_>) -> HashSet<i32> {
    let groups = snapshot.groups.iter().map(|g| &g.metadata);
    let loose = groups.filter(|meta| ownership::is_adoptable(meta));
    let loose: HashSet<&str> = loose.map(ownership::name).collect();
    if loose.is_empty() {
        return HashSet::new();
    }
    let has_loose = |replica: &&layout::Replica<'_>| {
        let mut groups = replica.groups.iter();
        groups.any(|group| loose.contains(group.name.as_str()))
    };
    let replicas = layout.replicas.iter().filter(has_loose);
    replicas.map(|replica| replica.index).collect()
}

fn is_loose(seen: &ObservedClique) -> bool {
    ownership::is_adoptable(&seen.podclique.metadata)
}
