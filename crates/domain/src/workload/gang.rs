//! The gangs of a PodCliqueSet replica, and their members (docs/semantics.md §8.1).

use api::conditions::{self, ConditionType};
use api::podcliqueset::PodCliqueScalingGroupConfig;
use api::{PodCliqueSpec, PodGang, labels, names};

use crate::object::ownership;

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

/// The gang of a group replica, and the base gang if that is another one.
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

/// `minAvailable` of a group; 1 if unset.
pub fn group_minimum(group: &PodCliqueScalingGroupConfig) -> i32 {
    group.min_available.unwrap_or(1)
}

/// How many pods of a clique have to exist and be placed together: less than `minAvailable` after
/// the clique was scaled down below it.
pub fn clique_minimum(spec: &PodCliqueSpec) -> i32 {
    spec.min_available
        .unwrap_or(spec.replicas)
        .min(spec.replicas)
        .max(0)
}

/// Whether a pod may be scheduled because this gang lists it. Not if another implementation wrote
/// the list: the Go operator lists pods as they appear, and keeps the gates of a scaled gang
/// closed until its base gang has nodes (docs/semantics.md §8.3).
pub fn opens_gates(gang: &PodGang) -> bool {
    let keys = [
        labels::GATES_RELEASED_BY_LIST,
        labels::OLD_GATES_RELEASED_BY_LIST,
    ];
    let holds = |key| ownership::annotation(&gang.metadata, key) == Some("true");
    keys.into_iter().any(holds)
}

/// Whether its condition `Ready` holds.
pub fn is_ready(gang: &PodGang) -> bool {
    let status = gang.status.as_ref();
    status.is_some_and(|s| conditions::is_true(&s.conditions, ConditionType::Ready))
}
