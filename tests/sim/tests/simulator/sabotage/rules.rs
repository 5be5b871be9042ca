//! Decisions of a sabotaged operator about sets.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::podgang::{GangQuota, GrantedPods, QuotaGrant};
use api::{GoDuration, PodCliqueSet, PodCliqueSetStatus, PodGang, labels};
use domain::plan::{Plan, Purpose};
use engine::triggers::TriggersOf;
use engine::{Caches, ControllerName, Pace, Reconciler};
use jiff::Timestamp;
use podcliqueset::{PodCliqueSetReconciler, Snapshot};

use super::Sabotage;

/// The rules of sets, and their bug.
#[derive(Clone)]
pub struct Spoilt {
    /// The real rules.
    pub rules: PodCliqueSetReconciler,
    /// The bug.
    pub sabotage: Option<Sabotage>,
}

impl Reconciler for Spoilt {
    type Object = PodCliqueSet;
    type Status = PodCliqueSetStatus;
    type Snapshot = Snapshot;
    const NAME: ControllerName = PodCliqueSetReconciler::NAME;

    fn triggers(on: &mut TriggersOf<'_>) {
        PodCliqueSetReconciler::triggers(on);
    }

    /// Without the longer waits of an object that is starting: stories show each of its steps.
    fn pace(old: Option<&PodCliqueSetStatus>, new: &PodCliqueSetStatus) -> Pace {
        match (old, PodCliqueSetReconciler::pace(old, new)) {
            (None, _) | (_, Pace::Now) => Pace::Now,
            (Some(_), Pace::Soon | Pace::WhenUp) => Pace::Soon,
        }
    }

    fn observe(&self, object: &Arc<PodCliqueSet>, caches: &Caches) -> Snapshot {
        let mut snapshot = self.rules.observe(object, caches);
        if self.sabotage == Some(Sabotage::TimerEarly) {
            hasten(&mut snapshot);
        }
        if self.sabotage == Some(Sabotage::ExpiresEarly) {
            expire(&mut snapshot);
        }
        if self.sabotage == Some(Sabotage::PiecemealJoining) {
            pass_for_established(&mut snapshot);
        }
        if self.sabotage == Some(Sabotage::QuotaIgnored) {
            let parts: Vec<String> = snapshot.podcliques.keys().cloned().collect();
            for gang in &mut snapshot.children.gangs {
                pass_for_reserved(Arc::make_mut(gang), &parts);
            }
        }
        if self.sabotage == Some(Sabotage::OrphanDeleted) {
            let finalizers = &mut Arc::make_mut(&mut snapshot.stored).metadata.finalizers;
            let kept = finalizers.take().unwrap_or_default().into_iter();
            *finalizers = Some(kept.filter(|f| f != labels::ORPHAN_FINALIZER).collect());
            snapshot.view.is_orphaning = false;
        }
        snapshot
    }

    fn decide(&self, snapshot: &Snapshot, now: Timestamp) -> Plan<PodCliqueSetStatus> {
        if self.sabotage == Some(Sabotage::NoConfirm) {
            let believed = self.rules.decide(&without_pods(snapshot), now);
            let attempts = believed
                .status
                .as_ref()
                .map(|s| s.replica_attempts.as_slice());
            if attempts.is_some_and(|attempts| attempts != snapshot.attempts()) {
                return believed;
            }
        }
        let mut plan = self.rules.decide(snapshot, now);
        if self.sabotage == Some(Sabotage::UpdateEndsWhenRequested) {
            let believed = self.rules.decide(&without_wants(snapshot), now).status;
            if let (Some(next), Some(believed)) = (&mut plan.status, believed) {
                next.update_progress = believed.update_progress;
            }
        }
        if self.sabotage == Some(Sabotage::StepsApart)
            && let Some(next) = &mut plan.status
        {
            run_ahead(next);
        }
        if self.sabotage == Some(Sabotage::NeverFrees) {
            for wave in &mut plan.waves {
                wave.retain(|action| action.purpose() != Some(Purpose::FreePod));
            }
        }
        plan
    }
}

/// Once steps have begun, all of the last part may be replaced.
fn run_ahead(next: &mut PodCliqueSetStatus) {
    let progress = next.update_progress.as_mut();
    let turn = progress.and_then(|progress| progress.currently_updating.first_mut());
    let targets = turn.map(|turn| &mut turn.targets);
    if let Some([first, .., last]) = targets.map(Vec::as_mut_slice)
        && first.from < i32::MAX
    {
        last.from = 0;
    }
}

/// Pretends that a job that has a time to be kept has none left.
fn expire(snapshot: &mut Snapshot) {
    let limits = &mut Arc::make_mut(&mut snapshot.stored).spec.training_spec;
    let kept = limits.as_mut().and_then(|l| l.ttl_after_finished.as_mut());
    if let Some(kept) = kept {
        *kept = GoDuration("0s".to_owned());
    }
}

/// Pretends that no PodClique has or wants a pod, and that all have stored the end of their update.
fn without_wants(snapshot: &Snapshot) -> Snapshot {
    let mut snapshot = snapshot.clone();
    for seen in snapshot.podcliques.values_mut() {
        seen.pods.clear();
        let podclique = Arc::make_mut(&mut seen.podclique);
        podclique.spec.replicas = 0;
        podclique.spec.min_available = Some(0);
        if let Some(status) = &mut podclique.status {
            status.update_progress = None;
        }
    }
    for group in &mut snapshot.children.groups {
        if let Some(status) = &mut Arc::make_mut(group).status {
            status.update_progress = None;
        }
    }
    snapshot
}

/// Pretends that each PodClique has been available since it was created or scaled up from 0.
fn pass_for_established(snapshot: &mut Snapshot) {
    for seen in snapshot.podcliques.values_mut() {
        let status = &mut Arc::make_mut(&mut seen.podclique).status;
        let status = status.get_or_insert_default();
        status.was_available = true;
        (status.was_idle, status.scaled_below_to) = (None, None);
    }
}

/// Pretends that a gang which waits for quota has it for all its pods.
fn pass_for_reserved(gang: &mut PodGang, parts: &[String]) {
    let status = gang.status.get_or_insert_default();
    let mut conditions = status.conditions.iter_mut();
    let waits = conditions.find(|c| c.type_ == "QuotaReserved" && c.status != "True");
    let Some(condition) = waits else {
        return;
    };
    "True".clone_into(&mut condition.status);
    let pods = parts.iter().map(|name| GrantedPods {
        name: name.clone(),
        count: 100,
        ..GrantedPods::default()
    });
    let grants = vec![QuotaGrant {
        pods: pods.collect(),
        ..QuotaGrant::default()
    }];
    let round = status.quota.as_ref().map_or(0, |quota| quota.round);
    status.quota = Some(GangQuota { round, grants });
}

/// Pretends that the delay is a second shorter.
fn hasten(snapshot: &mut Snapshot) {
    let delay = &mut snapshot.validated.set.spec.template.termination_delay;
    let given = delay.as_ref().and_then(|d| d.parse().ok());
    let seconds = given.map_or(0, |d| d.as_secs());
    if seconds > 1 {
        *delay = Some(GoDuration::from_seconds(seconds - 1));
    }
}

/// Pretends that breached PodCliques have no pods.
fn without_pods(snapshot: &Snapshot) -> Snapshot {
    let mut snapshot = snapshot.clone();
    for seen in snapshot.podcliques.values_mut() {
        let status = seen.podclique.status.as_ref();
        if status.is_some_and(|s| {
            conditions::is_true(&s.conditions, ConditionType::MinAvailableBreached)
        }) {
            seen.pods.clear();
        }
    }
    snapshot
}
