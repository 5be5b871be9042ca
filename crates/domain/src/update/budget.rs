//! How many pods or group replicas may be taken down now (docs/semantics.md §14.4).

/// The inputs of a standalone clique's budget. The unit is a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PodBudget {
    /// Live `spec.replicas`.
    pub desired: i32,
    /// `spec.minAvailable`.
    pub min_available: i32,
    /// `rollingUpdate.maxUnavailable`; 1 if unset.
    pub max_unavailable: Option<i32>,
    /// Pods of an older template that are Ready and not terminating.
    pub ready_old: i32,
    /// Pods of the newest template that are Ready and not terminating.
    pub ready_new: i32,
}

impl PodBudget {
    /// How many Ready pods of an older template may be deleted. Pods that are missing for any
    /// reason, our own deletions among them, use the budget up. A clique with slack is never taken
    /// below `minAvailable`.
    pub fn deletable(self) -> usize {
        let ready = self.ready_old.saturating_add(self.ready_new);
        let missing = self.desired.saturating_sub(ready).max(0);
        let budget = clipped(self.max_unavailable, self.desired).saturating_sub(missing);
        let above_minimum = above_minimum(self.desired, self.min_available, ready);
        count(budget.min(above_minimum).min(self.ready_old))
    }
}

/// The inputs of a scaling group's budget. The unit is a group replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplicaBudget {
    /// Live `spec.replicas`.
    pub desired: i32,
    /// `spec.minAvailable`.
    pub min_available: i32,
    /// `rollingUpdate.maxUnavailable`; 1 if unset.
    pub max_unavailable: Option<i32>,
    /// Group replicas that have a PodClique and are not being deleted.
    pub existing: i32,
    /// Existing ones with the newest template that are not available yet.
    pub new_not_ready: i32,
    /// Existing ones that are available, with any template.
    pub available: i32,
}

impl ReplicaBudget {
    /// How many group replicas of an older template may be deleted, available or not.
    pub fn deletable(self) -> usize {
        let limit = clipped(self.max_unavailable, self.desired);
        let floor = self.desired.saturating_sub(limit).max(0);
        let above = self.existing.saturating_sub(floor);
        count(above.saturating_sub(self.new_not_ready))
    }

    /// How many of these may be available ones: a group with slack is never taken below
    /// `minAvailable`.
    pub fn deletable_available(self) -> usize {
        count(above_minimum(
            self.desired,
            self.min_available,
            self.available,
        ))
    }
}

/// At least one, or no update would ever end; at most all of them.
fn clipped(max_unavailable: Option<i32>, desired: i32) -> i32 {
    max_unavailable.unwrap_or(1).max(1).min(desired.max(1))
}

/// How many available ones may be taken down; all of them if there is no slack.
fn above_minimum(desired: i32, min_available: i32, up: i32) -> i32 {
    if desired > min_available {
        up.saturating_sub(min_available)
    } else {
        i32::MAX
    }
}

fn count(number: i32) -> usize {
    usize::try_from(number).unwrap_or(0)
}
