//! Why no gang of a set starts in this cluster.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::labels;

use super::Backend;
use super::priority::MAX_PRIORITY;
use crate::topology::UnsupportedTopology;

/// A scheduler feature that is missing; the set continues by itself once it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsupportedFeature {
    /// The cluster does not serve the objects that this backend writes.
    NotServed(Backend),
    /// There is no queue of this name, which the set names.
    NoQueue(Backend, String),
    /// The set names this `PriorityClass`, whose value no PodGroup of Kubernetes takes.
    PriorityTooHigh(String),
    /// A topology constraint requires what nobody can honour now.
    Topology(UnsupportedTopology),
}

impl UnsupportedFeature {
    /// Condition `SchedulingFeatureUnsupported`, with the remedy.
    pub fn condition(&self) -> ConditionUpdate {
        let (reason, message) = match self {
            Self::NotServed(backend) => {
                let message = backend.unsupported().to_owned();
                (Reason::SchedulerNotInstalled, message)
            }
            Self::NoQueue(backend, name) => (Reason::QueueNotFound, no_queue(*backend, name)),
            Self::PriorityTooHigh(class) => (Reason::PriorityTooHigh, priority_too_high(class)),
            Self::Topology(topology) => (Reason::TopologyUnavailable, topology.describe()),
        };
        ConditionUpdate {
            type_: ConditionType::SchedulingFeatureUnsupported,
            status: Status::True,
            reason,
            message,
        }
    }
}

fn no_queue(backend: Backend, name: &str) -> String {
    let (scheduler, kind, key) = match backend {
        Backend::Volcano => (
            "Volcano",
            "queues.scheduling.volcano.sh",
            labels::VOLCANO_QUEUE,
        ),
        _ => (
            "KAI Scheduler",
            "queues.scheduling.run.ai",
            labels::KAI_QUEUE,
        ),
    };
    format!(
        "queue {name}, set by {key}, does not exist: gangs that have not started stay gated, and \
         {scheduler} keeps started ones in their previous queue; create the queue, or use one that \
         `kubectl get {kind}` lists"
    )
}

fn priority_too_high(class: &str) -> String {
    format!(
        "priorityClassName {class}, which the set names, has a value above \
         {MAX_PRIORITY}, the limit of PodGroups: gangs that have not started stay gated; name a \
         PriorityClass of at most {MAX_PRIORITY} in spec.template.priorityClassName: \
         `kubectl get priorityclasses` lists them"
    )
}
