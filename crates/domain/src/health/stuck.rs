//! How long the operator waits for a pod that hangs in Terminating (docs/semantics.md §6.3,
//! decision 116). A dead node never confirms the end of its pods; a node that is alive does, once
//! the process has ended.

use api::GoDuration;
use api::duration::DurationError;
use jiff::{SignedDuration, Timestamp};

use crate::Pod;

/// The configuration's word for no limit.
const NEVER: &str = "never";

/// How long after its deletionTimestamp the operator waits for a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StuckTimeout {
    /// This long.
    After(SignedDuration),
    /// Its index is never given to another pod while it exists.
    Never,
}

impl StuckTimeout {
    /// Reads a configured value: a duration, or `never`.
    ///
    /// # Errors
    /// If it is neither.
    pub fn read(text: &GoDuration) -> Result<Self, DurationError> {
        if text.0 == NEVER {
            return Ok(Self::Never);
        }
        text.parse().map(Self::After)
    }

    fn end(self) -> Option<SignedDuration> {
        match self {
            Self::After(duration) => Some(duration),
            Self::Never => None,
        }
    }
}

/// How long the operator waits for pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckTimeouts {
    /// For Inference, and for a job if the pod's node is gone, not Ready, or out of service.
    pub usual: StuckTimeout,
    /// For a job on a node that is Ready: its process may run on, and reach its peers.
    pub on_ready_node: StuckTimeout,
}

impl Default for StuckTimeouts {
    fn default() -> Self {
        Self {
            usual: StuckTimeout::After(Self::USUAL),
            on_ready_node: StuckTimeout::After(Self::ON_READY_NODE),
        }
    }
}

impl StuckTimeouts {
    /// `stuckPodTimeout`, unless the configuration has another value.
    pub const USUAL: SignedDuration = SignedDuration::from_secs(60);
    /// `stuckPodTimeoutOnReadyNode`, unless the configuration has another value.
    pub const ON_READY_NODE: SignedDuration = SignedDuration::from_mins(10);

    /// Until when a terminating pod holds its index; `None`: as long as it exists.
    pub fn slot_until(self, pod: &Pod, is_on_ready_node: bool) -> Option<Timestamp> {
        let timeout = if is_on_ready_node {
            self.on_ready_node
        } else {
            self.usual
        };
        deleted_at(pod)?.checked_add(timeout.end()?).ok()
    }

    /// Until when finalizers and phase `Failed` wait for the end of a terminating pod; they wait
    /// for nothing else of it. `never` counts as the default here: a PodClique or a job that never
    /// goes helps no user.
    pub fn end_until(self, pod: &Pod, is_on_ready_node: bool) -> Option<Timestamp> {
        let end = if is_on_ready_node {
            self.on_ready_node.end().unwrap_or(Self::ON_READY_NODE)
        } else {
            self.usual_end()
        };
        deleted_at(pod)?.checked_add(end).ok()
    }

    /// How long the operator waits for an object other than a pod that pods still use.
    pub fn usual_end(self) -> SignedDuration {
        self.usual.end().unwrap_or(Self::USUAL)
    }

    /// Whether a pod may hold its index for longer than the operator waits for its PodClique.
    pub fn may_hold_for_ever(self, is_job: bool) -> bool {
        self.usual == StuckTimeout::Never || (is_job && self.on_ready_node == StuckTimeout::Never)
    }
}

fn deleted_at(pod: &Pod) -> Option<Timestamp> {
    Some(pod.metadata.deletion_timestamp.as_ref()?.0)
}
