//! The PodCliques that a set consists of, standalone and grouped, whether they exist or not.

use api::names;
use api::podcliqueset::PodCliqueScalingGroupConfig;
use domain::{gang, training};

use crate::observe::{Snapshot, is_owned};

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

    /// Whether all its pods have done their work, found or not.
    pub fn is_done(&self, snapshot: &Snapshot) -> bool {
        self.has_succeeded(snapshot)
            || snapshot
                .podclique(&self.name)
                .is_some_and(|c| training::is_done(&c.podclique, &c.completed()))
    }
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
