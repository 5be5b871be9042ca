//! The parts of a set, existing or not. Only this module enumerates replicas, once for each
//! decision (docs/semantics.md §1.3).

mod find;
mod members;
mod minimum;
mod positions;
mod tree;

use std::collections::{BTreeSet, HashSet};

use api::names;
use api::podcliqueset::{
    PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec, PodCliqueTemplateSpec,
};

pub(super) use self::find::standalone_part;
pub use self::find::{find, find_group, group_of, grouped_part};
pub use self::members::{
    Member, Members, enumerate_members, members_of_group, members_of_group_replica,
};
pub use self::positions::{Position, Positions};
use super::gang::{self, ExpectedGang};

/// All parts, by the live replica counts of the set and of its scaling groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout<'a> {
    /// Replicas of the set, by index.
    pub replicas: Vec<Replica<'a>>,
}

/// One replica of the set.
#[derive(Clone, Debug, PartialEq)]
pub struct Replica<'a> {
    /// Its index.
    pub index: i32,
    /// Name of its base PodGang.
    pub base_gang: String,
    /// Cliques that belong to no scaling group, in the order of the template.
    pub standalone: Vec<LayoutSlot<'a>>,
    /// Scaling groups, in the order of the template.
    pub groups: Vec<Group<'a>>,
}

/// A scaling group in one replica of the set.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<'a> {
    /// Name of the PodCliqueScalingGroup object.
    pub name: String,
    /// The group in the template.
    pub config: &'a PodCliqueScalingGroupConfig,
    /// Its live replicas, or those that it will have, by index.
    pub replicas: Vec<GroupReplica<'a>>,
    /// Its surge replicas during an update, by index; they may exist.
    pub surge: Vec<GroupReplica<'a>>,
}

/// One replica of a scaling group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupReplica<'a> {
    /// Its index.
    pub index: i32,
    /// Name of its PodGang.
    pub gang: String,
    /// The base PodGang, if its own is a scaled one.
    pub base_gang: Option<String>,
    /// Its cliques, in the order of the group.
    pub cliques: Vec<LayoutSlot<'a>>,
}

/// A PodClique.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutSlot<'a> {
    /// Its name.
    pub name: String,
    /// Index of the set's replica.
    pub replica: i32,
    /// Name of its clique in the template.
    pub clique: &'a str,
    /// The scaling group that it belongs to.
    pub group: Option<&'a PodCliqueScalingGroupConfig>,
    /// Index of the replica of that group.
    pub group_replica: Option<i32>,
}

/// The replicas of a scaling group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupIndexes {
    /// How many replicas it has, or will have.
    pub replicas: i32,
    /// The indexes of its surge replicas.
    pub surge: BTreeSet<i32>,
}

/// This many replicas, without surge.
impl From<i32> for GroupIndexes {
    fn from(replicas: i32) -> Self {
        Self {
            replicas,
            surge: BTreeSet::new(),
        }
    }
}

/// Enumerates the set of that name with this many replicas. `indexes_of` returns the replicas of
/// the scaling group of that object name. The caller bounds both (docs/semantics.md §12.1).
pub fn enumerate<'a, I: Into<GroupIndexes>>(
    set: &str,
    template: &'a PodCliqueSetTemplateSpec,
    replicas: i32,
    indexes_of: impl Fn(&str, &PodCliqueScalingGroupConfig) -> I,
) -> Layout<'a> {
    let standalone: Vec<&str> = standalone_cliques(template)
        .map(|c| c.name.as_str())
        .collect();
    let replicas =
        (0..replicas).map(|i| enumerate_replica(set, template, &standalone, i, &indexes_of));
    Layout {
        replicas: replicas.collect(),
    }
}

fn enumerate_replica<'a, I: Into<GroupIndexes>>(
    set: &str,
    template: &'a PodCliqueSetTemplateSpec,
    standalone: &[&'a str],
    i: i32,
    indexes_of: &impl Fn(&str, &PodCliqueScalingGroupConfig) -> I,
) -> Replica<'a> {
    let base_gang = names::base_gang(set, i);
    let standalone = standalone
        .iter()
        .map(|clique| standalone_part(set, i, clique));
    let groups = template.scaling_groups.iter().map(|config| {
        let name = names::scaling_group(set, i, &config.name);
        let indexes = indexes_of(&name, config).into();
        enumerate_group(&base_gang, name, config, i, &indexes)
    });
    Replica {
        index: i,
        standalone: standalone.collect(),
        groups: groups.collect(),
        base_gang,
    }
}

/// Enumerates one scaling group with these replicas, in replica `i` of its set.
pub fn enumerate_group<'a>(
    base_gang: &str,
    name: String,
    config: &'a PodCliqueScalingGroupConfig,
    i: i32,
    indexes: &GroupIndexes,
) -> Group<'a> {
    let enumerate = |indexes: &mut dyn Iterator<Item = i32>| {
        let members = enumerate_members(&name, &config.clique_names, indexes);
        let replicas = members.map(|m| group_replica(base_gang, &name, config, i, m));
        replicas.collect()
    };
    Group {
        replicas: enumerate(&mut (0..indexes.replicas)),
        surge: enumerate(&mut indexes.surge.iter().copied()),
        name,
        config,
    }
}

fn group_replica<'a>(
    base_gang: &str,
    group: &str,
    config: &'a PodCliqueScalingGroupConfig,
    i: i32,
    members: Members<'a>,
) -> GroupReplica<'a> {
    let (j, minimum) = (members.group_replica, gang::group_minimum(config));
    let (gang, base_gang) = gang::of_group_replica(base_gang, group, j, minimum);
    let cliques = members.cliques.into_iter();
    let cliques = cliques.map(|member| LayoutSlot {
        name: member.name,
        replica: i,
        clique: member.clique,
        group: Some(config),
        group_replica: Some(j),
    });
    GroupReplica {
        index: j,
        gang,
        base_gang,
        cliques: cliques.collect(),
    }
}

/// The cliques of a template that belong to no scaling group, in order.
pub fn standalone_cliques(
    template: &PodCliqueSetTemplateSpec,
) -> impl Iterator<Item = &PodCliqueTemplateSpec> {
    let groups = template.scaling_groups.iter();
    let grouped: HashSet<&String> = groups.flat_map(|g| &g.clique_names).collect();
    let cliques = template.cliques.iter();
    cliques.filter(move |c| !grouped.contains(&c.name))
}

impl<'a> Layout<'a> {
    /// The replica with this index.
    pub fn replica(&self, index: i32) -> Option<&Replica<'a>> {
        self.replicas.get(usize::try_from(index).ok()?)
    }

    /// All PodCliques without surge: of each replica the standalone ones first.
    pub fn slots(&self) -> impl Iterator<Item = &LayoutSlot<'a>> {
        self.replicas.iter().flat_map(Replica::slots)
    }

    /// All PodGangs: of each replica the base gang first, then one for each group replica beyond
    /// its group's minimum, surge ones included. `is_idle` returns whether a PodClique is scaled to
    /// zero: it is in no gang, and a gang without PodCliques does not exist (docs/semantics.md
    /// §8.1).
    pub fn gangs(&self, is_idle: impl Fn(&LayoutSlot<'a>) -> bool) -> Vec<ExpectedGang> {
        let replicas = self.replicas.iter();
        replicas.flat_map(|r| r.gangs(&is_idle)).collect()
    }
}

impl<'a> Replica<'a> {
    /// All PodCliques of the replica, without surge.
    pub fn slots(&self) -> impl Iterator<Item = &LayoutSlot<'a>> {
        let groups = self.groups.iter().flat_map(|g| &g.replicas);
        let grouped = groups.flat_map(|r| &r.cliques);
        self.standalone.iter().chain(grouped)
    }

    fn gangs(&self, is_idle: &impl Fn(&LayoutSlot<'a>) -> bool) -> Vec<ExpectedGang> {
        let names = |parts: &mut dyn Iterator<Item = &LayoutSlot<'a>>| -> Vec<String> {
            let running = parts.filter(|p| !is_idle(p));
            running.map(|p| p.name.clone()).collect()
        };
        let group_replicas = || self.groups.iter().flat_map(Group::all_replicas);
        let in_base = group_replicas().filter(|r| r.base_gang.is_none());
        let in_base = in_base.flat_map(|r| &r.cliques);
        let base = ExpectedGang {
            name: self.base_gang.clone(),
            parts: names(&mut self.standalone.iter().chain(in_base)),
            base: None,
        };
        let scaled = group_replicas().filter_map(|r| {
            Some(ExpectedGang {
                name: r.gang.clone(),
                parts: names(&mut r.cliques.iter()),
                base: Some(r.base_gang.clone()?),
            })
        });
        std::iter::once(base)
            .chain(scaled)
            .filter(|gang| !gang.parts.is_empty())
            .collect()
    }
}

impl<'a> Group<'a> {
    /// The indexes of its surge replicas.
    pub fn surge_indexes(&self) -> BTreeSet<i32> {
        self.surge.iter().map(|replica| replica.index).collect()
    }

    /// Its replicas and its surge replicas.
    pub fn all_replicas(&self) -> impl Iterator<Item = &GroupReplica<'a>> {
        self.replicas.iter().chain(&self.surge)
    }
}
