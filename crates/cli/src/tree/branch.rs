//! One line of the tree, and its children.

use jiff::Timestamp;
use serde::Serialize;

use crate::operator_presence::OperatorAbsence;
use crate::output::age_of;

/// The state of an object that should exist and does not.
pub(super) const MISSING: &str = "Missing";

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
    /// Of a set: that the operator is away, and the states are those that it wrote last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_absence: Option<OperatorAbsence>,
    /// Its PodGang, if it has one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gang: Option<String>,
    /// Index of a pod in its PodClique.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i32>,
    /// Its rank: the index among all pods of its group replica, or in a PodClique without a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<i32>,
    /// Host name of a pod, by which the others of its set find it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Ready children of the wanted ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<String>,
    /// The same as numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_count: Option<i32>,
    /// The number of wanted children.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted_count: Option<i32>,
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
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// The cause in one sentence, if it is not ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The children.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Branch>,
}

impl Branch {
    /// Notes how many children are ready, and how many are wanted.
    pub(super) fn count(&mut self, ready: i32, wanted: i32) {
        self.ready = Some(format!("{ready}/{wanted}"));
        self.ready_count = Some(ready);
        self.wanted_count = Some(wanted);
    }

    /// Notes when it was created.
    pub(super) fn date(&mut self, created: Option<Timestamp>, now: Timestamp) {
        self.created = created;
        self.age = created.map(|created| age_of(created, now));
    }

    /// Whether it runs as it should, with all that it contains.
    pub fn is_ready(&self) -> bool {
        self.is_good == Some(true)
    }
}
