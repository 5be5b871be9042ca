//! The PodCliques of a scaling group, without its set: the group's own object suffices to name
//! them, and it may exist while the set is gone.

use api::{PodCliqueScalingGroup, names};

use crate::object::ownership;
use crate::workload::limits;

/// The PodCliques of one replica of a scaling group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members<'a> {
    /// Index of the group replica.
    pub group_replica: i32,
    /// Its PodCliques, in the order of the group.
    pub cliques: Vec<Member<'a>>,
}

/// A PodClique of a scaling group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// Its name.
    pub name: String,
    /// Name of its clique in the template.
    pub clique: &'a str,
    /// Index of the group replica.
    pub group_replica: i32,
}

/// Enumerates the PodCliques of the scaling group of that name, with these cliques, in replicas
/// with these indexes. The caller bounds them.
pub fn enumerate_members<'a, C: AsRef<str>>(
    group: &str,
    cliques: &'a [C],
    indexes: impl IntoIterator<Item = i32>,
) -> impl Iterator<Item = Members<'a>> {
    indexes
        .into_iter()
        .map(move |j| members_of(group, cliques, j))
}

/// Enumerates them by the group's own spec, without surge.
pub fn members_of_group(group: &PodCliqueScalingGroup) -> impl Iterator<Item = Members<'_>> {
    let name = ownership::name(&group.metadata);
    let live = limits::bounded(group.spec.replicas);
    enumerate_members(name, &group.spec.clique_names, 0..live)
}

/// The PodCliques of replica `j` of the group, whether it has that many replicas or not.
pub fn members_of_group_replica(group: &PodCliqueScalingGroup, j: i32) -> Members<'_> {
    let name = ownership::name(&group.metadata);
    members_of(name, &group.spec.clique_names, j)
}

fn members_of<'a, C: AsRef<str>>(group: &str, cliques: &'a [C], j: i32) -> Members<'a> {
    let member = |clique: &'a C| Member {
        name: names::grouped_clique(group, j, clique.as_ref()),
        clique: clique.as_ref(),
        group_replica: j,
    };
    Members {
        group_replica: j,
        cliques: cliques.iter().map(member).collect(),
    }
}
