//! One line of the tree, and its children.

use serde::Serialize;

/// The kind of a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum BranchKind {
    /// A PodCliqueSet.
    #[default]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    /// The kind.
    pub kind: BranchKind,
    /// Name of the object, or index of the replica.
    pub name: String,
    /// Its PodGang, if it has one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gang: Option<String>,
    /// Ready children of the wanted ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<String>,
    /// One word: reason of condition `Ready`, or the pod's state.
    pub state: String,
    /// Whether it runs as it should; `None` while it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_good: Option<bool>,
    /// Node of a pod.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Its age.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// The cause in one sentence, if it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The children.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Branch>,
}
