//! Which gangs a PodCliqueSet replica consists of, and who is in them (design, §4).

use api::conditions::{self, ConditionType};
use api::podcliqueset::{
    PodCliqueScalingGroupConfig, PodCliqueSetTemplateSpec, PodCliqueTemplateSpec,
};
use api::{PodCliqueSpec, PodGang, labels, names};

use crate::ownership;

/// A gang that has to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedGang {
    /// Name of the PodGang.
    pub name: String,
    /// Names of its PodCliques, in order.
    pub parts: Vec<String>,
    /// For a scaled gang: the base gang it waits for.
    pub base: Option<String>,
}

/// The gang that a group replica belongs to, and the base gang if that is another one.
pub fn of_group_replica(
    base: &str,
    scaling_group: &str,
    j: i32,
    min_available: i32,
) -> (String, Option<String>) {
    if j < min_available {
        (base.to_owned(), None)
    } else {
        (
            names::scaled_gang(scaling_group, j, min_available),
            Some(base.to_owned()),
        )
    }
}

/// All gangs of one replica: the base gang first, then one for each group replica beyond the
/// group's minimum. `live_replicas` tells how many replicas a group of that object name has. Where
/// every group is scaled to 0 and there is no other clique, there is no gang either (design, §4).
pub fn expected(
    pcs: &str,
    i: i32,
    template: &PodCliqueSetTemplateSpec,
    live_replicas: impl Fn(&str, &PodCliqueScalingGroupConfig) -> i32,
) -> Vec<ExpectedGang> {
    let base = names::base_gang(pcs, i);
    let mut base_parts: Vec<String> = standalone(template)
        .map(|c| names::standalone_clique(pcs, i, &c.name))
        .collect();
    let mut scaled = Vec::new();
    for group in &template.scaling_groups {
        let object = names::scaling_group(pcs, i, &group.name);
        let minimum = group_minimum(group);
        for j in 0..live_replicas(&object, group) {
            let parts = group
                .clique_names
                .iter()
                .map(|c| names::grouped_clique(&object, j, c));
            match of_group_replica(&base, &object, j, minimum) {
                (_, None) => base_parts.extend(parts),
                (name, base) => scaled.push(ExpectedGang {
                    name,
                    parts: parts.collect(),
                    base,
                }),
            }
        }
    }
    let base = ExpectedGang {
        name: base,
        parts: base_parts,
        base: None,
    };
    let gangs = std::iter::once(base).chain(scaled);
    gangs.filter(|gang| !gang.parts.is_empty()).collect()
}

/// The cliques that belong to no scaling group, in order.
pub fn standalone(
    template: &PodCliqueSetTemplateSpec,
) -> impl Iterator<Item = &PodCliqueTemplateSpec> {
    template.cliques.iter().filter(|c| {
        !template
            .scaling_groups
            .iter()
            .any(|g| g.clique_names.contains(&c.name))
    })
}

/// `minAvailable` of a group; 1 if unset.
pub fn group_minimum(group: &PodCliqueScalingGroupConfig) -> i32 {
    group.min_available.unwrap_or(1)
}

/// How many pods of a clique have to be there, and have to be placed together: what is asked for
/// may be less than `minAvailable` after somebody scaled the clique down.
pub fn clique_minimum(spec: &PodCliqueSpec) -> i32 {
    spec.min_available
        .unwrap_or(spec.replicas)
        .min(spec.replicas)
        .max(0)
}

/// Whether a pod may be scheduled because this gang lists it. Not if another implementation wrote
/// the list: the Go operator lists pods as they appear, and keeps the gates of a scaled gang
/// closed until its base gang has nodes (Grove, §5).
pub fn opens_gates(gang: &PodGang) -> bool {
    ownership::annotation(&gang.metadata, labels::LIST_OPENS_GATES) == Some("true")
}

/// Whether its condition `Ready` holds.
pub fn is_ready(gang: &PodGang) -> bool {
    let status = gang.status.as_ref();
    status.is_some_and(|s| conditions::is_true(&s.conditions, ConditionType::Ready))
}
