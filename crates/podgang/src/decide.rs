//! The PodGang life cycle (docs/semantics.md §8.4), computed from pods.
//!
//! "All pods" in the seed means the guaranteed ones: with best-effort pods beyond the minimum a
//! literal reading would never leave `Binding`. If its scheduler places all gangs of a replica as
//! one tree, those of a base gang are the pods of the tree, whichever group replicas satisfy it.

use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use api::podgang::{PodGangPhase, SchedulingPhase};
use api::{PodGangStatus, labels};
use domain::Pod;
use domain::health::readiness;
use domain::health::training;
use domain::object::ownership;
use domain::plan::Plan;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta, Time};

use crate::gang_part::GangPart;
use crate::observe::Snapshot;
use crate::placement::GangPlacement;
use crate::queueing::{self, verdict::Verdict};
use crate::topology::ScatteredScope;
use crate::tree::GangTree;
use crate::{backend, cause, outside_quota};

/// Decides the status of the gang, and the writes for its scheduler.
pub fn decide(snapshot: &Snapshot, now: Timestamp) -> Plan<PodGangStatus> {
    let meta = &snapshot.gang.metadata;
    if ownership::is_terminating(meta) || !is_ours(meta) {
        return Plan::default();
    }
    let pods = snapshot.parts.iter().flat_map(|part| &part.pods);
    let pods = pods.map(AsRef::as_ref);
    let queueing = snapshot.queueing.as_ref();
    let quota = queueing.map(|facts| queueing::verdict::judge(snapshot, facts));
    let mut plan = Plan {
        status: Some(next_status(snapshot, quota.as_ref(), now)),
        events: quota
            .as_ref()
            .and_then(|quota| quota.find_event(&snapshot.gang))
            .into_iter()
            .collect(),
        wake_at: readiness::next_look(pods, now),
        ..Plan::default()
    };
    for wave in backend::plan(&snapshot.view()) {
        plan.wave(wave);
    }
    if let Some((facts, quota)) = queueing.zip(quota.as_ref()) {
        plan.wave(queueing::plan::plan(snapshot, facts, quota, now));
    }
    plan
}

/// PodGangs are watched as a whole, including foreign ones. Ours may have lost its label, or its
/// owner with `--cascade=orphan`.
fn is_ours(meta: &ObjectMeta) -> bool {
    ownership::is_controlled_by_us(meta)
        || ownership::label(meta, labels::MANAGED_BY) == Some(labels::MANAGER)
}

fn next_status(snapshot: &Snapshot, quota: Option<&Verdict>, now: Timestamp) -> PodGangStatus {
    let before = snapshot.gang.status.clone().unwrap_or_default();
    let facts = Facts::of(snapshot, &before, now);
    let mut next = PodGangStatus {
        phase: facts.phase(),
        scheduling_phase: facts.scheduling_phase(before.scheduling_phase),
        placement_score: facts.placement_score(),
        quota: quota.and_then(|quota| quota.quota.clone()),
        ..before
    };
    let generation = snapshot.gang.metadata.generation;
    for verdict in facts.verdicts() {
        conditions::set(&mut next.conditions, verdict, generation, now);
    }
    let type_ = ConditionType::SchedulingFeatureUnsupported;
    let unsupported =
        backend::unsupported(&snapshot.view()).or_else(|| queueing::unsupported(snapshot));
    conditions::set_or_remove(&mut next.conditions, type_, unsupported, generation, now);
    let type_ = ConditionType::TopologyConstraintViolated;
    let scattered = snapshot.scattered.as_ref().map(ScatteredScope::condition);
    conditions::set_or_remove(&mut next.conditions, type_, scattered, generation, now);
    let type_ = ConditionType::QuotaReserved;
    let reserved = quota.and_then(|quota| quota.condition.clone());
    conditions::set_or_remove(&mut next.conditions, type_, reserved, generation, now);
    let since = |type_| since_true(&next.conditions, type_);
    let (scheduled, ready) = (since(ConditionType::Scheduled), since(ConditionType::Ready));
    next.last_scheduled = scheduled.or(next.last_scheduled);
    next.last_ready = ready.or(next.last_ready);
    next
}

/// When the condition became true, if it is.
fn since_true(conditions: &[Condition], type_: ConditionType) -> Option<Time> {
    let condition = conditions::find(conditions, type_)?;
    let holds = condition.status == "True";
    holds.then(|| condition.last_transition_time.clone())
}

struct Facts<'a> {
    snapshot: &'a Snapshot,
    parts: &'a [GangPart],
    tree: Option<&'a GangTree>,
    placement: Option<&'a GangPlacement>,
    /// Whether the gang lists no existing pod: it is still to be started.
    is_starting: bool,
    /// Whether every part once had its minimum bound, and now does not.
    is_lost: bool,
    now: Timestamp,
}

impl<'a> Facts<'a> {
    fn of(snapshot: &'a Snapshot, before: &PodGangStatus, now: Timestamp) -> Self {
        let is_starting = snapshot
            .parts
            .iter()
            .all(|p| p.pods.is_empty() && p.completed.is_empty());
        let mut facts = Self {
            snapshot,
            parts: &snapshot.parts,
            tree: snapshot.tree.as_ref(),
            placement: snapshot.placement.as_ref(),
            is_starting,
            is_lost: false,
            now,
        };
        let scheduled = conditions::find(&before.conditions, ConditionType::Scheduled);
        let was_lost = |c: &str| c == Reason::GuaranteedPodsLost.to_string();
        facts.is_lost = !is_starting
            && !facts.has_minimum(&Pod::is_scheduled)
            && scheduled.is_some_and(|c| c.status == "True" || was_lost(&c.reason));
        facts
    }

    /// Whether its requirements are met: each part has its minimum, or the tree is satisfied.
    fn has_minimum(&self, claim: &dyn Fn(&Pod) -> bool) -> bool {
        match self.tree {
            Some(tree) => !self.is_starting && tree.is_satisfied(claim),
            None => self.each_has_minimum(claim),
        }
    }

    fn each_has_minimum(&self, claim: &dyn Fn(&Pod) -> bool) -> bool {
        !self.is_starting && self.parts.iter().all(|p| p.has_minimum(claim))
    }

    fn guaranteed(&self) -> impl Iterator<Item = &Pod> {
        self.parts.iter().flat_map(|p| {
            let minimum = usize::try_from(p.min_replicas).unwrap_or(0);
            p.pods.iter().take(minimum).map(AsRef::as_ref)
        })
    }

    fn phase(&self) -> PodGangPhase {
        if self.has_minimum(&|p| p.is_scheduled() && p.is_running()) {
            PodGangPhase::Running
        } else if !self.is_lost && self.guaranteed().any(Pod::is_scheduled) {
            PodGangPhase::Starting
        } else {
            PodGangPhase::Pending
        }
    }

    fn scheduling_phase(&self, before: Option<SchedulingPhase>) -> Option<SchedulingPhase> {
        if self.is_starting {
            None
        } else if self.has_minimum(&Pod::is_scheduled) {
            Some(SchedulingPhase::Scheduled)
        } else if self.is_lost {
            Some(SchedulingPhase::Pending)
        } else if self.guaranteed().any(Pod::is_scheduled) {
            Some(SchedulingPhase::Binding)
        } else if self.guaranteed().all(|p| p.gate_position().is_none()) {
            Some(SchedulingPhase::Pending)
        } else {
            before.map(|_| SchedulingPhase::Pending)
        }
    }

    fn verdicts(&self) -> [ConditionUpdate; 5] {
        [
            self.initialized(),
            self.scheduled(),
            self.ready(),
            self.unhealthy(),
            self.disrupted(),
        ]
    }

    fn initialized(&self) -> ConditionUpdate {
        let (reason, message) = if self.is_starting {
            (
                Reason::PodGangPodsCreationPending,
                "waiting for all pods of the gang to be created",
            )
        } else {
            (
                Reason::PodGangPodsCreated,
                "all pods of the gang are created",
            )
        };
        build_condition(
            ConditionType::Initialized,
            !self.is_starting,
            reason,
            message.to_owned(),
        )
    }

    fn scheduled(&self) -> ConditionUpdate {
        let holds = self.has_minimum(&Pod::is_scheduled);
        let reason = if holds {
            Reason::GuaranteedPodsBound
        } else if self.is_lost {
            Reason::GuaranteedPodsLost
        } else {
            Reason::GuaranteedPodsNotBound
        };
        let mut message = self.tally("scheduled", &Pod::is_scheduled);
        message.push_str(&self.tree.map(describe_tree).unwrap_or_default());
        let is_placed = self.each_has_minimum(&Pod::is_scheduled);
        if let Some(found) = self.placement.filter(|_| is_placed) {
            message.push_str(&describe_placement(found));
        }
        message.push_str(&outside_quota::describe(self.snapshot).unwrap_or_default());
        build_condition(ConditionType::Scheduled, holds, reason, message)
    }

    /// Unknown until each part has its minimum bound.
    fn placement_score(&self) -> Option<f64> {
        let is_placed = self.each_has_minimum(&Pod::is_scheduled);
        let found = self.placement.filter(|_| is_placed)?;
        // Four digits suffice for a comparison, and smaller changes are not worth a status write.
        Some((found.placement.score * 1e4).round() / 1e4)
    }

    /// In a job a pod that is about to end well is not Ready any more, which is normal.
    fn is_job(&self) -> bool {
        let mut podcliques = self.parts.iter().filter_map(|p| p.podclique.as_ref());
        podcliques.any(|podclique| training::is_of_job(podclique))
    }

    fn ready(&self) -> ConditionUpdate {
        let is_job = self.is_job();
        let is_ready = |p: &Pod| p.is_ready() || (is_job && p.is_finishing());
        if self.has_minimum(&is_ready) {
            let message = self.tally("ready", &is_ready);
            return readiness::ready_condition(true, Reason::GuaranteedPodsReady, message);
        }
        let cause = cause::find_cause(self.snapshot, self.now);
        let (reason, message) = match cause {
            Some(cause) => (cause.reason, cause.text),
            None if self.is_starting => (Reason::PodsBeingCreated, self.initialized().message),
            None => (Reason::PodsStarting, self.tally("ready", &is_ready)),
        };
        readiness::ready_condition(false, reason, message)
    }

    fn unhealthy(&self) -> ConditionUpdate {
        let failed = self.named(&|p| p.status.phase.as_deref() == Some("Failed"));
        let reason = if failed.is_empty() {
            Reason::NoPodFailed
        } else {
            Reason::PodsFailed
        };
        let message = describe_pods("no pod failed", "failed", &failed);
        build_condition(
            ConditionType::Unhealthy,
            !failed.is_empty(),
            reason,
            message,
        )
    }

    fn disrupted(&self) -> ConditionUpdate {
        let hit = self.named(&|p| p.has_condition("DisruptionTarget"));
        let reason = if hit.is_empty() {
            Reason::NoPodDisrupted
        } else {
            Reason::PodsDisrupted
        };
        let message = describe_pods("no pod is about to be evicted", "about to be evicted", &hit);
        build_condition(
            ConditionType::DisruptionTarget,
            !hit.is_empty(),
            reason,
            message,
        )
    }

    fn named(&self, claim: &dyn Fn(&Pod) -> bool) -> Vec<&str> {
        let pods = self.parts.iter().flat_map(|p| &p.pods);
        pods.filter(|p| claim(p)).map(|p| p.name()).collect()
    }

    /// "prefill 1/2, decode 2/2 scheduled": incomplete parts first.
    fn tally(&self, what: &str, claim: &dyn Fn(&Pod) -> bool) -> String {
        const MAX_LISTED: usize = 5;
        let mut parts: Vec<(bool, String)> = self
            .parts
            .iter()
            .map(|p| {
                let has = p.count_slots(claim);
                (
                    has >= p.min_replicas,
                    format!("{} {has}/{}", p.name, p.min_replicas),
                )
            })
            .collect();
        parts.sort_by_key(|(is_enough, _)| *is_enough);
        let shown: Vec<&str> = parts
            .iter()
            .take(MAX_LISTED)
            .map(|(_, text)| text.as_str())
            .collect();
        let more = parts.len().saturating_sub(MAX_LISTED);
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!("{}{rest} {what}", shown.join(", "))
    }
}

/// "; tree satisfied: 3 of 3 required (replicas 1,2,3); 24 pods non-preemptible (cpu 24)", and its
/// demands that can never be met.
fn describe_tree(tree: &GangTree) -> String {
    let verdict = tree.verdict(&Pod::is_scheduled);
    let mut text = format!("; {verdict}{}", describe_requests(tree));
    for finding in tree.findings() {
        text.push_str("; ");
        text.push_str(&finding.to_string());
    }
    text
}

/// " (cpu 24, nvidia.com/gpu 192)" of the pods that may not be preempted.
fn describe_requests(tree: &GangTree) -> String {
    let requests = tree.non_preemptible_requests();
    if requests.is_empty() {
        return String::new();
    }
    let amounts = requests.quantities().into_iter();
    let amounts: Vec<String> = amounts
        .map(|(name, amount)| format!("{name} {amount}"))
        .collect();
    format!(" ({})", amounts.join(", "))
}

/// "; domains: zone 1, host 4".
fn describe_placement(found: &GangPlacement) -> String {
    let used: Vec<String> = found
        .levels
        .iter()
        .zip(&found.placement.domains_used)
        .map(|(level, count)| format!("{} {count}", level.domain))
        .collect();
    format!("; domains: {}", used.join(", "))
}

fn describe_pods(none: &str, what: &str, names: &[&str]) -> String {
    match names {
        [] => none.to_owned(),
        [first] => format!("{what}: {first}"),
        [first, rest @ ..] => format!("{what}: {first} and {} more", rest.len()),
    }
}

fn build_condition(
    type_: ConditionType,
    holds: bool,
    reason: Reason,
    message: String,
) -> ConditionUpdate {
    ConditionUpdate {
        type_,
        status: holds.into(),
        reason,
        message,
    }
}
