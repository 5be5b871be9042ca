//! Why no gang of a set starts in this cluster.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::kueue::keys;
use api::labels;

use super::Backend;
use super::priority::MAX_PRIORITY;
use crate::topology::UnsupportedTopology;

/// The message about a cluster without the driver that makes MNNVL groups work.
pub const COMPUTE_DOMAINS_NOT_SERVED: &str = "computedomains.resource.nvidia.com is not served: \
    install the NVIDIA DRA driver, or remove grove.io/mnnvl-group from a new PodCliqueSet";

/// A scheduler feature that is missing; the set continues by itself once it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnsupportedFeature {
    /// The cluster does not serve the objects that this backend writes.
    NotServed(Backend),
    /// There is no queue of this name, which the set names.
    NoQueue(Backend, String),
    /// The profile of the scheduler requires a queue of Kueue, and the set names none.
    QueueRequired {
        /// The scheduler that the template names.
        scheduler: String,
        /// Name of the set.
        set: String,
    },
    /// The set names this `PriorityClass`, whose value no PodGroup of Kubernetes takes.
    PriorityTooHigh(String),
    /// The set has MNNVL groups, and the cluster does not serve ComputeDomains.
    ComputeDomainsMissing,
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
            Self::QueueRequired { scheduler, set } => {
                (Reason::QueueNotFound, queue_required(scheduler, set))
            }
            Self::ComputeDomainsMissing => {
                let message = COMPUTE_DOMAINS_NOT_SERVED.to_owned();
                (Reason::ComputeDomainsMissing, message)
            }
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

fn queue_required(scheduler: &str, set: &str) -> String {
    let key = keys::QUEUE;
    format!(
        "the set names no queue of Kueue (label {key}), and the profile of scheduler {scheduler} requires \
         one: gangs that have not started stay gated; name one that `kubectl get localqueues` lists: \
         `kubectl label podcliqueset {set} {key}=QUEUE`"
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
