//! One line of the tree, and what hangs on it.

use serde::Serialize;

/// What a branch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// A PodCliqueSet.
    Set,
    /// A replica of the set, with its base gang.
    Replica,
    /// A PodCliqueScalingGroup.
    Group,
    /// A replica of a scaling group.
    GroupReplica,
    /// A PodClique.
    Clique,
    /// A pod.
    Pod,
}

/// One line of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    /// What it is.
    pub kind: Kind,
    /// Name of the object, or index of the replica.
    pub name: String,
    /// PodGang that it starts with, where it has one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gang: Option<String>,
    /// How many of those below are ready, of how many that are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<String>,
    /// One word: reason of condition `Ready`, or what a pod does.
    pub state: String,
    /// Whether it runs as it should; `None` if it is on its way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_good: Option<bool>,
    /// Node of a pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// How old it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// Why it is not ready: one sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What it consists of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Branch>,
}
