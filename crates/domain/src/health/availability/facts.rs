//! The inputs of the breach conditions: numbers, without the objects they are read from.

use jiff::SignedDuration;

use crate::health::culprit::Culprit;

/// The inputs of a PodClique's breach condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CliqueFacts {
    /// `spec.replicas`.
    pub replicas: i32,
    /// `spec.minAvailable`, not clipped.
    pub min_available: i32,
    /// Pods Ready and not terminating; for training also completed and finishing ones, and, while
    /// readiness decides nothing, those that run on without being Ready.
    pub available: i32,
    /// Pods Ready and not terminating; for training also completed and finishing ones.
    pub ready: i32,
    /// `status.wasAvailable`.
    pub was_available: bool,
    /// `status.wasIdle`.
    pub was_idle: bool,
    /// `status.scaledBelowTo`.
    pub scaled_below_to: Option<i32>,
    /// Whether this PodClique's replica is the one being updated.
    pub is_updating: bool,
    /// Whether no set controls it, directly or through a group: then no controller creates its
    /// pods.
    pub is_orphaned: bool,
    /// Whether its set is suspended: its pods are deleted, and none is created.
    pub is_held: bool,
    /// Whether that is because its gang has no quota.
    pub awaits_quota: bool,
    /// Only for training.
    pub training: Option<TrainingFacts>,
    /// The pod whose trouble is the most important, with that trouble.
    pub culprit: Option<Culprit>,
    /// The loss that began the breach, if there is one.
    pub cause: Option<Culprit>,
}

/// Additional inputs for training.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrainingFacts {
    /// Whether all work of the clique is done.
    pub has_succeeded: bool,
    /// Pods that failed: phase Failed, or an app container that ended badly and is not started
    /// again.
    pub failed: i32,
    /// Indexes whose work is done.
    pub completed: i32,
    /// Indexes whose pods failed so often in a row that they are not filled again.
    pub given_up: i32,
    /// Indexes that are Ready, done or about to be done, or hold a pod whose app containers run.
    pub running: i32,
    /// If the kubelet restarts containers in place: indexes whose pod stays and did not fail, or
    /// whose work is done. Only the other indexes count against such a clique.
    pub in_place: Option<i32>,
}

impl CliqueFacts {
    /// The same while its replica is being updated, or is not.
    #[must_use]
    pub fn in_update(self, is_updating: bool) -> Self {
        Self {
            is_updating,
            ..self
        }
    }

    /// The same while no set controls it, or one does.
    #[must_use]
    pub fn orphaned(self, is_orphaned: bool) -> Self {
        Self {
            is_orphaned,
            ..self
        }
    }

    /// The same while its set is suspended, or is not.
    #[must_use]
    pub fn held(self, is_held: bool) -> Self {
        Self { is_held, ..self }
    }

    /// The same, with its gang waiting for quota: its pods go too. A suspension is the reason before that.
    #[must_use]
    pub fn awaiting_quota(self, awaits_quota: bool) -> Self {
        Self {
            is_held: self.is_held || awaits_quota,
            awaits_quota: awaits_quota && !self.is_held,
            ..self
        }
    }

    /// The same with the delay that a breach of a job may last. Without a delay readiness is only a
    /// symptom: a server closes its port before it ends well, and the kubelet reports the closed
    /// port first (docs/semantics.md §2.1). A clique that starts again has to become Ready first.
    #[must_use]
    pub fn with_job_delay(self, delay: SignedDuration) -> Self {
        let was_up = self.was_available && !self.was_idle;
        let is_lenient = was_up && !delay.is_positive();
        let running = self.training.as_ref().filter(|_| is_lenient);
        let available = running.map_or(self.ready, |t| t.running);
        Self { available, ..self }
    }

    /// The number of pods that have to be available: never more than `spec.replicas`, so that
    /// scaling below `minAvailable` is not a breach.
    pub fn minimum(&self) -> i32 {
        self.min_available.min(self.replicas)
    }

    /// Whether enough pods are in place, while the kubelet restarts the others.
    pub fn restarts_in_place(&self) -> bool {
        let in_place = self.training.as_ref().and_then(|t| t.in_place);
        in_place.is_some_and(|n| n >= self.minimum())
    }

    /// Whether enough pods are up, or in place.
    pub fn is_up(&self) -> bool {
        self.available >= self.minimum() || self.restarts_in_place()
    }

    /// Whether the operator gave up an index of a job: its replica restarts at once, however many
    /// pods are available (docs/semantics.md §5.6).
    pub fn has_given_up(&self) -> bool {
        self.training.as_ref().is_some_and(|t| t.given_up > 0)
    }

    /// Whether single failed pods are replaced in a job's clique whose breach may last for the
    /// delay: while enough pods are up, or while the delay of a clique that was available runs
    /// (docs/semantics.md §5.6).
    pub fn replaces_failed_pods(&self, delay: SignedDuration) -> bool {
        let was_up = self.was_available && !self.was_idle;
        let is_one_by_one = self.is_up() || (was_up && delay.is_positive());
        is_one_by_one && !self.has_given_up()
    }

    /// Whether its failed pods count for the whole replica of the job, also after a suspension: the
    /// operator gave one up, or too few others are left. These may be replaced one by one while the delay
    /// of a clique that was available runs.
    pub fn counts_failures(&self, delay: SignedDuration) -> bool {
        let failed = self.training.as_ref().map_or(0, |t| t.failed);
        let is_short = self.replicas.saturating_sub(failed) < self.minimum();
        let is_tolerated = self.was_available && delay.is_positive();
        self.has_given_up() || (is_short && !is_tolerated)
    }

    /// Whether too few pods are a breach, and not a start: the clique was available since it was
    /// created or scaled up from 0, and, if it lives or lived below its minimum since, it has fewer
    /// pods than it kept then.
    pub fn is_established(&self) -> bool {
        let kept = self.scaled_below_to.map(|kept| kept.min(self.replicas));
        let is_starting = kept.is_some_and(|kept| self.available >= kept);
        (self.was_available || kept.is_some()) && !self.was_idle && !is_starting
    }

    /// Whether it was scaled to 0, or its set suspended, since it was last up, after this observation
    /// (docs/semantics.md §2.2). A job has a fixed size, but may be suspended.
    pub fn is_or_was_idle(&self) -> bool {
        let is_idle = self.is_held || (self.replicas == 0 && self.training.is_none());
        let is_up_again = self.has_its_minimum() && self.is_any_up();
        let is_noted = self.was_idle && !is_up_again && !self.is_whole_below();
        (is_idle && (self.has_been_up() || self.was_idle)) || is_noted
    }

    /// How many pods it has, or kept, below its minimum, after this observation (docs/semantics.md
    /// §2.2). A clique that is scaled to zero, or starts after that, has `wasIdle` instead.
    pub fn next_scaled_below_to(&self) -> Option<i32> {
        if !self.has_been_up() || self.is_or_was_idle() || self.training.is_some() {
            return None;
        }
        let is_below = self.replicas < self.min_available;
        let stored = self.scaled_below_to;
        if !is_below {
            return stored.filter(|_| !self.has_its_minimum());
        }
        let are_all_up = self.available >= self.replicas;
        let kept = stored.filter(|_| !are_all_up);
        Some(kept.map_or(self.replicas, |kept| kept.min(self.replicas)))
    }

    /// The latch after this observation (docs/semantics.md §2.2); once true it stays true.
    pub fn latch(&self) -> bool {
        self.was_available || self.has_its_minimum()
    }

    /// Whether it was available, or lived below its minimum with all of its pods up.
    fn has_been_up(&self) -> bool {
        self.latch() || self.scaled_below_to.is_some() || self.is_whole_below()
    }

    /// Whether `spec.replicas` is below its minimum and all of these pods are up outside of an
    /// update: this serves as its latch, as the clique cannot reach the minimum itself.
    fn is_whole_below(&self) -> bool {
        let is_below = self.replicas > 0 && self.replicas < self.min_available;
        is_below && self.available >= self.replicas && !self.is_updating && self.training.is_none()
    }

    /// Whether a pod is up beside the work of a job that is done: that may be of before a suspension,
    /// and enough for the minimum while no pod was started since.
    fn is_any_up(&self) -> bool {
        let training = self.training.as_ref();
        training.is_none_or(|training| self.available > training.completed)
    }

    /// Whether the unclipped minimum is available outside of an update.
    fn has_its_minimum(&self) -> bool {
        self.available >= self.min_available && !self.is_updating
    }
}

/// The inputs of a scaling group's breach condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupFacts {
    /// `spec.replicas`.
    pub replicas: i32,
    /// `spec.minAvailable`, not clipped.
    pub min_available: i32,
    /// Group replicas that are breached, or were terminated and have not been available since.
    pub unhealthy: Vec<i32>,
    /// Whether this group's replica is the one being updated.
    pub is_updating: bool,
    /// Whether its set is suspended.
    pub is_held: bool,
    /// Available surge replicas of an update: they serve.
    pub surge: i32,
}

impl GroupFacts {
    /// The same while its replica is being updated, or is not.
    #[must_use]
    pub fn in_update(self, is_updating: bool) -> Self {
        Self {
            is_updating,
            ..self
        }
    }

    /// The same while its set is suspended, or is not.
    #[must_use]
    pub fn held(self, is_held: bool) -> Self {
        Self { is_held, ..self }
    }

    /// The number of group replicas that have to be healthy: never more than `spec.replicas`.
    pub fn minimum(&self) -> i32 {
        self.min_available.min(self.replicas)
    }

    /// How many group replicas are healthy, available surge replicas included.
    pub fn healthy(&self) -> i32 {
        let unhealthy = i32::try_from(self.unhealthy.len()).unwrap_or(i32::MAX);
        let healthy = self.replicas.saturating_sub(unhealthy);
        healthy.saturating_add(self.surge)
    }
}
