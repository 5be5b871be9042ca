//! Decisions of a sabotaged operator about PodGangs.

use std::sync::Arc;

use api::conditions::ConditionType;
use api::kueue::{KueueAdmission, KueueAssignment, KueueWorkload, types};
use api::{PodGang, PodGangStatus};
use domain::plan::Plan;
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use podgang::queueing::QueueingFacts;
use podgang::{PodGangReconciler, Snapshot};

use super::Sabotage;

/// The rules of PodGangs, and their bug.
#[derive(Clone)]
pub struct SpoiltGangs {
    /// The real rules.
    pub rules: PodGangReconciler,
    /// The bug.
    pub sabotage: Option<Sabotage>,
}

impl Reconciler for SpoiltGangs {
    type Object = PodGang;
    type Status = PodGangStatus;
    type Snapshot = Snapshot;
    const NAME: ControllerName = PodGangReconciler::NAME;
    const MILESTONES: &'static [ConditionType] = PodGangReconciler::MILESTONES;

    fn triggers(on: &mut TriggersOf<'_>) {
        PodGangReconciler::triggers(on);
    }

    fn pace(old: Option<&PodGangStatus>, new: &PodGangStatus) -> Pace {
        PodGangReconciler::pace(old, new)
    }

    fn observe(&self, object: &Arc<PodGang>, caches: &Caches) -> Snapshot {
        let mut snapshot = self.rules.observe(object, caches);
        if let Some(facts) = &mut snapshot.queueing {
            spoil(self.sabotage, facts);
        }
        snapshot
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodGangStatus> {
        self.rules.decide(snapshot, now)
    }
}

fn spoil(sabotage: Option<Sabotage>, facts: &mut QueueingFacts) {
    match sabotage {
        Some(Sabotage::QuotaReturnedEarly) => facts.pods.clear(),
        Some(Sabotage::AdmissionAssumed) => {
            let waiting = facts.workloads.iter_mut().map(Arc::make_mut);
            waiting.for_each(pass_for_admitted);
        }
        _ => {}
    }
}

/// Pretends that Kueue has admitted a Workload that waits.
fn pass_for_admitted(workload: &mut KueueWorkload) {
    let status = workload.status.get_or_insert_default();
    if status.admission.is_some() {
        return;
    }
    let assignments = workload.spec.pod_sets.iter().map(|set| KueueAssignment {
        name: set.name.clone(),
        ..KueueAssignment::default()
    });
    status.admission = Some(KueueAdmission {
        pod_set_assignments: assignments.collect(),
        ..KueueAdmission::default()
    });
    status.conditions = vec![Condition {
        type_: types::ADMITTED.to_owned(),
        status: "True".to_owned(),
        reason: "Admitted".to_owned(),
        message: String::new(),
        observed_generation: None,
        last_transition_time: Time(Timestamp::UNIX_EPOCH),
    }];
}
