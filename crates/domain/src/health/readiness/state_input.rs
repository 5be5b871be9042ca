//! The inputs of a row in the table of states.

use jiff::{SignedDuration, Timestamp};

use super::scheduler::{find_no_domain, has_no_room_at_pin};
use super::settled::SETTLED_AFTER;
use crate::Pod;
use crate::object::pod::{Container, ContainerStatus, Terminated};

/// A container in creation for this long is reported with the start time of its creation.
pub(super) const LONG_CREATION: SignedDuration = SignedDuration::from_mins(1);

/// A pod, or a container of it, or the answer of its scheduler.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateInput<'a> {
    pub(super) pod: &'a Pod,
    /// The container, if a container is examined.
    pub(super) container: Option<&'a ContainerStatus>,
    /// The first sentence of the scheduler, if it found no node.
    pub(super) refusal: Option<&'a str>,
    /// Whether pods of its gang have to share a topology domain.
    pub(super) must_share_domain: bool,
    pub(super) now: Timestamp,
}

impl<'a> StateInput<'a> {
    /// The pod as a whole.
    pub(super) fn of_pod(pod: &'a Pod, now: Timestamp) -> Self {
        Self {
            pod,
            container: None,
            refusal: None,
            must_share_domain: false,
            now,
        }
    }

    /// A container of it.
    pub(super) fn at(self, container: &'a ContainerStatus) -> Self {
        Self {
            container: Some(container),
            ..self
        }
    }

    /// The answer of its scheduler.
    pub(super) fn refused(self, sentence: &'a str, must_share_domain: bool) -> Self {
        Self {
            refusal: Some(sentence),
            must_share_domain,
            ..self
        }
    }

    /// The container as the spec has it.
    pub(super) fn spec(&self) -> Option<&'a Container> {
        self.pod.find_container(&self.container?.name)
    }

    pub(super) fn is_refused_for(&self, words: &str) -> bool {
        self.refusal
            .is_some_and(|sentence| sentence.to_lowercase().contains(words))
    }

    /// Whether its scheduler found no topology domain for the pods that it has to be with.
    pub(super) fn finds_no_domain(&self) -> bool {
        self.refusal.is_some() && find_no_domain(self.pod, self.must_share_domain).is_some()
    }

    /// Whether the nodes to which the operator has pinned it have no room.
    pub(super) fn has_no_room_at_pin(&self) -> bool {
        self.refusal.is_some() && has_no_room_at_pin(self.pod)
    }

    /// Why the container waits, in one word.
    pub(super) fn waiting(&self) -> Option<&'a str> {
        self.container?.state.waiting.as_ref()?.reason.as_deref()
    }

    pub(super) fn waits_for(&self, reason: &str) -> bool {
        self.waiting() == Some(reason)
    }

    pub(super) fn waits_for_image(&self) -> bool {
        matches!(
            self.waiting(),
            Some(
                "ErrImagePull"
                    | "ImagePullBackOff"
                    | "ImageInspectError"
                    | "RegistryUnavailable"
                    | "SignatureValidationFailed"
            )
        )
    }

    /// It neither starts nor pauses after an end: the kubelet reports a problem of its own.
    pub(super) fn waits_for_another_reason(&self) -> bool {
        let waiting = self.waiting().filter(|r| !r.is_empty());
        waiting.is_some_and(|r| {
            !matches!(
                r,
                "ContainerCreating" | "PodInitializing" | "CrashLoopBackOff"
            )
        })
    }

    /// The kubelet's words for it.
    pub(super) fn message(&self) -> &'a str {
        let waiting = self.container.and_then(|c| c.state.waiting.as_ref());
        waiting.and_then(|w| w.message.as_deref()).unwrap_or("")
    }

    /// Whether a ConfigMap, a Secret or a key of one is missing.
    pub(super) fn lacks_an_object(&self) -> bool {
        let message = self.message();
        message.contains("not found") || message.contains("couldn't find key")
    }

    pub(super) fn is_not_started(&self) -> bool {
        self.waits_for("RunContainerError") || self.ends_for("StartError")
    }

    pub(super) fn runs(&self) -> bool {
        self.container.is_some_and(|c| c.state.running.is_some())
    }

    /// The last end of the container, if that trouble persists: between two ends the container runs
    /// for a while, and that is the same trouble.
    pub(super) fn end(&self) -> Option<&'a Terminated> {
        let container = self.container?;
        let now = container.state.terminated.as_ref();
        let end = now.or(container.last_state.terminated.as_ref())?;
        let is_good = end.exit_code == 0 && self.pod.is_init_container(&container.name);
        let is_over = self.runs() && (is_lost(end) || self.was_ready_since_start());
        (!is_good && !is_over).then_some(end)
    }

    pub(super) fn ends_with(&self, code: i32) -> bool {
        self.end().is_some_and(|end| end.exit_code == code)
    }

    pub(super) fn ends_for(&self, reason: &str) -> bool {
        self.end()
            .is_some_and(|end| end.reason.as_deref() == Some(reason))
    }

    /// Killed by the kubelet, or by a process on the node; not for lack of memory, which has its
    /// own reason.
    pub(super) fn is_killed(&self) -> bool {
        self.ends_with(137) && self.ends_for("Error")
    }

    pub(super) fn is_probed(&self) -> bool {
        self.spec().is_some_and(|c| c.is_probed)
    }

    /// Whether the pod was Ready for a while during the present run of the container: an earlier
    /// end is another trouble, and over.
    fn was_ready_since_start(&self) -> bool {
        let running = self.container.and_then(|c| c.state.running.as_ref());
        let started = running.and_then(|r| r.started_at.as_ref());
        let flipped = self.pod.flipped_at("Ready");
        started
            .zip(flipped)
            .is_some_and(|(started, flipped)| flipped.duration_since(started.0) >= SETTLED_AFTER)
    }

    /// Whether it is an init container: other containers wait for its end.
    pub(super) fn is_before_others(&self) -> bool {
        let name = self.container.map(|c| &*c.name);
        name.is_some_and(|name| self.pod.is_init_container(name))
    }

    /// The time from which the container could have been created: the pod is on its node, and the
    /// init containers are done.
    pub(super) fn in_creation_since(&self) -> Option<Timestamp> {
        let is_starting = matches!(
            self.waiting(),
            Some("ContainerCreating" | "PodInitializing")
        );
        let is_busy = |c: &ContainerStatus| c.state.running.is_some();
        let are_init_busy = self.pod.status.init_container_statuses.iter().any(is_busy);
        if !is_starting || are_init_busy {
            return None;
        }
        let init = self.pod.flipped_at("Initialized");
        init.filter(|_| self.pod.has_condition("Initialized"))
            .max(self.pod.flipped_at("PodScheduled"))
    }

    pub(super) fn is_long_in_creation(&self) -> bool {
        let since = self.in_creation_since();
        since.is_some_and(|since| self.now.duration_since(since) >= LONG_CREATION)
    }

    /// Whether the pod ended, or is about to, and is not started again.
    pub(super) fn has_ended(&self) -> bool {
        let is_ending = matches!(self.ready_reason(), Some("PodCompleted" | "PodFailed"));
        self.container.is_none() && (self.pod.has_run_out() || is_ending)
    }

    pub(super) fn are_containers_ready(&self) -> bool {
        self.container.is_none() && self.pod.has_condition("ContainersReady")
    }

    /// The reason of the pod's condition `Ready`.
    pub(super) fn ready_reason(&self) -> Option<&'a str> {
        self.pod.find_condition("Ready")?.reason.as_deref()
    }
}

/// Whether it is unknown how the container ended: its machine restarted, or its kubelet does not
/// find it.
pub(super) fn is_lost(end: &Terminated) -> bool {
    end.is_lost() || end.reason.as_deref() == Some("ContainerStatusUnknown")
}

/// When one of the pod's containers will have been in creation for long, if that is still to come.
pub(super) fn next_long_creation(pod: &Pod, now: Timestamp) -> Option<Timestamp> {
    let input = StateInput::of_pod(pod, now);
    let due = pod
        .containers()
        .filter_map(|c| input.at(c).in_creation_since())
        .min()?
        .checked_add(LONG_CREATION)
        .ok()?;
    (due > now).then_some(due)
}
