//! The PodCliques that a set consists of, standalone and grouped, whether they exist or not.

use std::collections::HashSet;

use api::names;
use api::podcliqueset::PodCliqueScalingGroupConfig;
use domain::{fence, gang, ownership, training};

use crate::observe::{CliqueSeen, Snapshot, is_owned};

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'a> {
    /// Its name.
    pub name: String,
    /// Index of the PodCliqueSet replica.
    pub replica: i32,
    /// Name of its clique in the template.
    pub clique: &'a str,
    /// The scaling group it belongs to.
    pub group: Option<&'a PodCliqueScalingGroupConfig>,
    /// Index of the replica of that group.
    pub group_replica: Option<i32>,
}

impl Part<'_> {
    /// Whether it is stored that its work is done.
    pub fn is_latched(&self, snapshot: &Snapshot) -> bool {
        snapshot.is_latched(self.replica, &self.name)
    }

    /// Whether it is there in the present attempt, and ours, or need not be there any more.
    pub fn is_there(&self, snapshot: &Snapshot) -> bool {
        let found = snapshot.of_present_attempt(&self.name);
        found.is_some_and(|c| is_owned(&c.podclique.metadata)) || self.is_latched(snapshot)
    }

    /// Whether its work was found to be done; latched by the set, whatever became of it since.
    pub fn has_succeeded(&self, snapshot: &Snapshot) -> bool {
        self.is_latched(snapshot)
            || snapshot
                .of_present_attempt(&self.name)
                .is_some_and(|c| training::has_succeeded(&c.podclique))
    }

    /// Whether it is there in the present attempt and nobody controls it.
    fn is_to_be_adopted(&self, snapshot: &Snapshot) -> bool {
        let found = snapshot.of_present_attempt(&self.name);
        found.is_some_and(|c| is_loose(c) && c.attempt().group == self.group_attempt(snapshot))
    }

    /// The attempt of its group replica.
    fn group_attempt(&self, snapshot: &Snapshot) -> i32 {
        let place = self.group.zip(self.group_replica);
        place.map_or(0, |(config, j)| {
            let group = names::scaling_group(snapshot.name(), self.replica, &config.name);
            let status = snapshot.group(&group).and_then(|g| g.status.as_ref());
            status.map_or(0, |s| fence::present(&s.replica_attempts, j))
        })
    }

    /// Whether all its pods have done their work, found or not.
    pub fn is_done(&self, snapshot: &Snapshot) -> bool {
        self.has_succeeded(snapshot)
            || snapshot
                .podclique(&self.name)
                .is_some_and(|c| training::is_done(&c.podclique, &c.completed()))
    }
}

/// Replicas of which a part that is wanted is in nobody's hands: it was cut loose, or its owner was
/// deleted with `--cascade=orphan`. Torn down before it is adopted it would be left over, and its
/// pods with it.
pub fn being_adopted(snapshot: &Snapshot) -> HashSet<i32> {
    let mut replicas = with_group_to_be_adopted(snapshot);
    if snapshot.podcliques.values().any(is_loose) {
        let parts = expected(snapshot).into_iter();
        let loose = parts.filter(|part| part.is_to_be_adopted(snapshot));
        replicas.extend(loose.map(|part| part.replica));
    }
    replicas
}

/// Replicas of which a scaling group that is wanted is in nobody's hands: what it has of earlier
/// attempts is known once it is adopted.
pub fn with_group_to_be_adopted(snapshot: &Snapshot) -> HashSet<i32> {
    let template = &snapshot.intake.set.spec.template;
    let is_wanted = |i, name: &str| {
        let mut groups = template.scaling_groups.iter();
        groups.any(|g| names::scaling_group(snapshot.name(), i, &g.name) == name)
    };
    let metas = snapshot.groups.iter().map(|g| &g.metadata);
    let loose = metas.filter(|m| !is_owned(m) && !ownership::is_terminating(m));
    let places = loose.filter_map(|meta| {
        let i = ownership::replica_in(snapshot.name(), meta)?;
        is_wanted(i, ownership::name(meta)).then_some(i)
    });
    places.filter(|i| *i < snapshot.replicas()).collect()
}

fn is_loose(seen: &CliqueSeen) -> bool {
    !is_owned(&seen.podclique.metadata) && !seen.is_terminating()
}

/// All of them, by the live replica counts of the groups.
pub fn expected(snapshot: &Snapshot) -> Vec<Part<'_>> {
    let set = &snapshot.intake.set;
    let template = &set.spec.template;
    let of_replica = |i: i32| {
        let standalone = gang::standalone(template).map(move |c| Part {
            name: names::standalone_clique(snapshot.name(), i, &c.name),
            replica: i,
            clique: &c.name,
            group: None,
            group_replica: None,
        });
        let groups = template.scaling_groups.iter();
        standalone.chain(groups.flat_map(move |config| of_group(snapshot, i, config)))
    };
    (0..snapshot.replicas()).flat_map(of_replica).collect()
}

fn of_group<'a>(
    snapshot: &'a Snapshot,
    i: i32,
    config: &'a PodCliqueScalingGroupConfig,
) -> impl Iterator<Item = Part<'a>> {
    let group = names::scaling_group(snapshot.name(), i, &config.name);
    (0..snapshot.group_replicas(&group, config)).flat_map(move |j| {
        let group = group.clone();
        config.clique_names.iter().map(move |clique| Part {
            name: names::grouped_clique(&group, j, clique),
            replica: i,
            clique,
            group: Some(config),
            group_replica: Some(j),
        })
    })
}
