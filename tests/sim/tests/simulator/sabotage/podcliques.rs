//! Decisions of a sabotaged operator about PodCliques.

use std::sync::Arc;

use api::{PodClique, PodCliqueStatus, labels};
use domain::plan::{Action, Plan, Purpose};
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;
use podclique::observe::OlderPods;
use podclique::{PodCliqueReconciler, Snapshot};

use super::Sabotage;

/// The rules of PodCliques, and their bug.
#[derive(Clone)]
pub struct SpoiltPodCliques {
    /// The real rules.
    pub rules: PodCliqueReconciler,
    /// The bug.
    pub sabotage: Option<Sabotage>,
}

impl Reconciler for SpoiltPodCliques {
    type Object = PodClique;
    type Status = PodCliqueStatus;
    type Snapshot = Snapshot;
    const NAME: ControllerName = PodCliqueReconciler::NAME;

    fn triggers(on: &mut TriggersOf<'_>) {
        PodCliqueReconciler::triggers(on);
    }

    /// Without the longer waits of an object that is starting: stories show each of its steps.
    fn pace(old: Option<&PodCliqueStatus>, new: &PodCliqueStatus) -> Pace {
        match (old, PodCliqueReconciler::pace(old, new)) {
            (None, _) | (_, Pace::Now) => Pace::Now,
            (Some(_), Pace::Soon | Pace::WhenUp) => Pace::Soon,
        }
    }

    fn observe(&self, object: &Arc<PodClique>, caches: &Caches) -> Snapshot {
        let mut snapshot = self.rules.observe(object, caches);
        if self.sabotage == Some(Sabotage::OldByStatus) {
            label_by_status(&mut snapshot);
        }
        if self.sabotage == Some(Sabotage::UnnotedFailure)
            && let Some(set) = &mut snapshot.set
        {
            set.unnoted_failures.clear();
        }
        if self.sabotage == Some(Sabotage::PinsIgnored)
            && let Some(gang) = &mut snapshot.gang
        {
            for part in &mut Arc::make_mut(gang).spec.pod_groups {
                part.placements.clear();
            }
        }
        if self.sabotage == Some(Sabotage::OlderForgotten) {
            snapshot.older = OlderPods::Absent;
        }
        if self.sabotage == Some(Sabotage::TargetsIgnored)
            && let Some(set) = &mut snapshot.set
        {
            set.update.first_replaced = 0;
        }
        snapshot
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueStatus> {
        let plan = self.rules.decide(snapshot, now);
        if self.sabotage == Some(Sabotage::BudgetForgetsDeletions) {
            let spoilt = self.rules.decide(&without_gaps(snapshot), now);
            if updated(&spoilt) > updated(&plan) {
                return spoilt;
            }
        }
        if self.sabotage == Some(Sabotage::SurgeUnawaited) {
            let spoilt = self.rules.decide(&without_surge(snapshot), now);
            if updated(&spoilt) > updated(&plan) {
                let status = plan.status;
                return Plan { status, ..spoilt };
            }
        }
        plan
    }
}

/// Pretends that the update has given surge up.
fn without_surge(snapshot: &Snapshot) -> Snapshot {
    let mut snapshot = snapshot.clone();
    let podclique = Arc::make_mut(&mut snapshot.podclique);
    let status = podclique.status.as_mut();
    if let Some(progress) = status.and_then(|status| status.update_progress.as_mut()) {
        progress.without_surge = Some("nobody waits".to_owned());
    }
    snapshot
}

/// Pretends that each pod has the hash of the status.
fn label_by_status(snapshot: &mut Snapshot) {
    let status = snapshot.podclique.status.as_ref();
    let Some(hash) = status.and_then(|s| s.current_pod_template_hash.clone()) else {
        return;
    };
    for pod in &mut snapshot.pods {
        let labels = Arc::make_mut(pod).metadata.labels.get_or_insert_default();
        labels.insert(labels::POD_TEMPLATE_HASH.to_owned(), hash.clone());
    }
}

/// Pretends that no more pods are wanted than exist.
fn without_gaps(snapshot: &Snapshot) -> Snapshot {
    let mut snapshot = snapshot.clone();
    let staying = snapshot.own_pods().filter(|p| !p.is_terminating()).count();
    let spec = &mut Arc::make_mut(&mut snapshot.podclique).spec;
    spec.replicas = i32::try_from(staying).unwrap();
    spec.min_available = Some(0);
    snapshot
}

/// Number of pods that the plan deletes for an update.
fn updated(plan: &Plan<PodCliqueStatus>) -> usize {
    let actions = plan.waves.iter().flatten();
    let is_of_update = |a: &&Action| a.purpose() == Some(Purpose::UpdatePod);
    actions.filter(is_of_update).count()
}
