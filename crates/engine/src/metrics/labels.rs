//! The label sets of the metrics.

use prometheus_client::encoding::EncodeLabelSet;

/// Labels of a controller's metrics.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByController {
    /// Its name.
    pub controller: &'static str,
}

/// Labels of reconciles.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByResult {
    /// Name of the controller.
    pub controller: &'static str,
    /// `ok`, `conflict` or `error`.
    pub result: &'static str,
}

/// Labels of actions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByAction {
    /// Kind of the object.
    pub kind: &'static str,
    /// The action that was done.
    pub action: &'static str,
    /// `ok`, `conflict` or `error`.
    pub result: &'static str,
}

/// Labels of API requests; watches are not among them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByRequest {
    /// `create`, `update`, `patch`, `delete`, `get`.
    pub verb: &'static str,
    /// Plural name.
    pub resource: String,
    /// `status` or empty.
    pub subresource: &'static str,
    /// HTTP status code; 0 if there was no answer.
    pub code: u16,
}

/// Labels of watches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByKind {
    /// Kind that is watched.
    pub kind: &'static str,
}

/// Labels of terminated replicas.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByCause {
    /// Kind of the object with the terminated replica: `PodCliqueSet`, `PodCliqueScalingGroup`.
    pub level: &'static str,
    /// Namespace of the object, if it has its own label value.
    pub namespace: String,
    /// The reason in the fence.
    pub reason: String,
}

/// Labels of the milestones of gangs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByMilestone {
    /// `Scheduled` or `Ready`.
    pub milestone: &'static str,
    /// Namespace of the gang, if it has its own label value.
    pub namespace: String,
}

/// Labels of dropped events.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByDrop {
    /// The reason: `Budget`.
    pub reason: &'static str,
}
