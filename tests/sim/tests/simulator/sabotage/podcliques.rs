//! Decisions of a sabotaged operator about PodCliques.

use std::sync::Arc;

use api::{PodClique, PodCliqueStatus, labels};
use domain::Claim;
use domain::object::ownership;
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
        if self.sabotage == Some(Sabotage::SuspensionIgnored)
            && let Some(set) = &mut snapshot.set
            && set.is_suspended
        {
            set.is_suspended = false;
            snapshot.may_create = true;
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
        if self.sabotage == Some(Sabotage::ClaimsRevived) {
            revive_claims(&mut snapshot);
        }
        snapshot
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueStatus> {
        let mut plan = self.rules.decide(snapshot, now);
        if self.sabotage == Some(Sabotage::ClaimsCutOff) {
            plan.wave(cut_claims_off(snapshot));
        }
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

/// Pretends that all claims stay, and that those of PodCliques are this one's.
fn revive_claims(snapshot: &mut Snapshot) {
    let uid = ownership::uid(&snapshot.podclique.metadata).to_owned();
    for claim in snapshot.sharing.claims.found.values_mut() {
        let meta = &mut Arc::make_mut(claim).metadata;
        meta.deletion_timestamp = None;
        let owners = meta.owner_references.iter_mut().flatten();
        for owner in owners.filter(|owner| owner.kind == "PodClique") {
            owner.uid.clone_from(&uid);
        }
    }
}

/// Removes the claims of indexes that are not below the count.
fn cut_claims_off(snapshot: &Snapshot) -> Vec<Action> {
    let podclique = &snapshot.podclique;
    let is_beyond = |claim: &Claim| {
        let index = ownership::label_index(&claim.metadata, labels::POD_INDEX);
        index.is_some_and(|index| index >= podclique.spec.replicas)
    };
    let claims = snapshot.sharing.claims.found.values();
    claims
        .filter(|claim| is_beyond(claim) && !claim.is_terminating())
        .map(|claim| Action::delete::<Claim>(&claim.metadata, Purpose::RemoveClaim))
        .collect()
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
