//! Decisions of a sabotaged operator about scaling groups.

use std::sync::Arc;

use api::{PodCliqueScalingGroup, PodCliqueScalingGroupStatus};
use domain::plan::{Action, Plan, Purpose};
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;
use podcliquescalinggroup::{PodCliqueScalingGroupReconciler, Snapshot};

use super::Sabotage;

/// The rules of scaling groups, and their bug.
#[derive(Clone)]
pub struct SpoiltGroups {
    /// The real rules.
    pub rules: PodCliqueScalingGroupReconciler,
    /// The bug.
    pub sabotage: Option<Sabotage>,
}

impl Reconciler for SpoiltGroups {
    type Object = PodCliqueScalingGroup;
    type Status = PodCliqueScalingGroupStatus;
    type Snapshot = Snapshot;
    const NAME: ControllerName = PodCliqueScalingGroupReconciler::NAME;

    fn triggers(on: &mut TriggersOf<'_>) {
        PodCliqueScalingGroupReconciler::triggers(on);
    }

    fn pace(old: Option<&PodCliqueScalingGroupStatus>, new: &PodCliqueScalingGroupStatus) -> Pace {
        PodCliqueScalingGroupReconciler::pace(old, new)
    }

    fn observe(&self, object: &Arc<PodCliqueScalingGroup>, caches: &Caches) -> Snapshot {
        self.rules.observe(object, caches)
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueScalingGroupStatus> {
        let plan = self.rules.decide(snapshot, now);
        if self.sabotage == Some(Sabotage::GroupBudgetForgets) {
            let spoilt = self.rules.decide(&without_budget(snapshot), now);
            if updated(&spoilt) > updated(&plan) {
                let status = plan.status;
                return Plan { status, ..spoilt };
            }
        }
        plan
    }
}

/// Pretends that all replicas of a group may be missing.
fn without_budget(snapshot: &Snapshot) -> Snapshot {
    let mut snapshot = snapshot.clone();
    if let Some(owner) = &mut snapshot.owner {
        for group in &mut owner.set.spec.template.scaling_groups {
            let rolling = group.rolling_update.get_or_insert_default();
            rolling.max_unavailable = Some(i32::MAX);
        }
    }
    snapshot
}

/// Number of PodCliques that the plan deletes for an update.
fn updated(plan: &Plan<PodCliqueScalingGroupStatus>) -> usize {
    let actions = plan.waves.iter().flatten();
    let is_of_update = |a: &&Action| a.purpose() == Some(Purpose::UpdateGroupReplica);
    actions.filter(is_of_update).count()
}
