//! How long a pod that hangs in Terminating is waited for (docs/semantics.md §6.3, decision 116). A
//! dead node never confirms the end of its pods; one that is alive does, once the process has ended.

use api::GoDuration;
use api::duration::DurationError;
use jiff::{SignedDuration, Timestamp};

use crate::Pod;

/// How a configuration says that there is no end to it.
const NEVER: &str = "never";

/// How long after its deletionTimestamp a pod is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StuckTimeout {
    /// So long.
    After(SignedDuration),
    /// Its slot is never given to another pod while it is there.
    Never,
}

impl StuckTimeout {
    /// What a configuration says: a duration, or `never`.
    ///
    /// # Errors
    /// When it is neither.
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

/// How long pods are waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckTimeouts {
    /// Of Inference, and of a job where the pod's node is gone, not Ready, or out of service.
    pub usual: StuckTimeout,
    /// Of a job on a node that is Ready: its process may run on, and reach its peers.
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
    /// `stuckPodTimeout`, unless the configuration says otherwise.
    pub const USUAL: SignedDuration = SignedDuration::from_secs(60);
    /// `stuckPodTimeoutOnReadyNode`, unless the configuration says otherwise.
    pub const ON_READY_NODE: SignedDuration = SignedDuration::from_mins(10);

    /// Until when a terminating pod holds its slot; `None`: as long as it is there.
    pub fn slot_until(self, pod: &Pod, is_on_ready_node: bool) -> Option<Timestamp> {
        let timeout = if is_on_ready_node {
            self.on_ready_node
        } else {
            self.usual
        };
        deleted_at(pod)?.checked_add(timeout.end()?).ok()
    }

    /// Until when what waits for the end of a terminating pod, and for nothing else of it, waits:
    /// finalizers and phase `Failed`. `never` counts as the default here: a PodClique or a job that
    /// never goes helps nobody.
    pub fn end_until(self, pod: &Pod, is_on_ready_node: bool) -> Option<Timestamp> {
        let end = if is_on_ready_node {
            self.on_ready_node.end().unwrap_or(Self::ON_READY_NODE)
        } else {
            self.usual_end()
        };
        deleted_at(pod)?.checked_add(end).ok()
    }

    /// How long what is no pod is waited for that pods still use.
    pub fn usual_end(self) -> SignedDuration {
        self.usual.end().unwrap_or(Self::USUAL)
    }

    /// Whether a slot may be held for longer than the PodClique is waited for whose pod holds it.
    pub fn may_hold_for_ever(self, is_job: bool) -> bool {
        self.usual == StuckTimeout::Never || (is_job && self.on_ready_node == StuckTimeout::Never)
    }
}

fn deleted_at(pod: &Pod) -> Option<Timestamp> {
    Some(pod.metadata.deletion_timestamp.as_ref()?.0)
}
