//! One step.

use domain::update::Limits;
use serde::Serialize;

/// The action of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// An object and its pods are created.
    #[default]
    Create,
    /// Another number of replicas.
    Scale,
    /// An object changes without restarts.
    Update,
    /// Pods are recreated.
    Restart,
    /// PodCliques of group replicas are recreated, with their pods.
    Recreate,
    /// Gated pods may be scheduled, or start.
    Release,
    /// An object and its pods are deleted.
    Remove,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedStep {
    /// The action.
    pub action: Action,
    /// Kind of the object.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Replicas before, of `Scale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<i64>,
    /// Replicas after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// The fields that change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Number of new pods.
    #[serde(skip_serializing_if = "is_zero")]
    pub new_pods: usize,
    /// Pods that are deleted, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<String>,
    /// Pods that are not Ready: they go first, and all at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_ready: Vec<String>,
    /// Indices of the group replicas, in this order, of `Recreate`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub group_replicas: Vec<i32>,
    /// The most ready pods, or group replicas, that are down at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_once: Option<usize>,
    /// `rollingUpdate.maxUnavailable`, 1 by default, by the live replicas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<i32>,
    /// `rollingUpdate.maxSurge`, if it is given, by the live replicas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_surge: Option<i32>,
    /// The base gang that a gang waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// The reason, if the action does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether the step is under way whatever the file contains.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_under_way: bool,
}

impl PlannedStep {
    /// A step without details.
    pub(super) fn new(action: Action, kind: &str, name: &str) -> Self {
        Self {
            action,
            kind: kind.to_owned(),
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Notes the limits of an update.
    pub(super) fn note_limits(&mut self, limits: Limits) {
        self.max_unavailable = Some(limits.max_unavailable);
        self.max_surge = Some(limits.max_surge).filter(|surge| *surge > 0);
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
