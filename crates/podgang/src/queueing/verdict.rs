//! Whether a gang has quota. The loss is stored before anything else happens: from that version of the
//! PodGang on none of its pods starts.

use std::sync::Arc;

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::kueue::{KueueWorkload, types};
use api::podgang::{GangQuota, QuotaGrant};
use api::{PodGang, events};
use domain::object::ownership;
use domain::plan::Event;
use domain::scheduling::quota;

use super::{QueueingFacts, counts, grant, release};
use crate::observe::Snapshot;

const SUSPENDED: &str = "its set is suspended";

/// The next state of a gang's quota.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// `status.quota`.
    pub quota: Option<GangQuota>,
    /// Condition `QuotaReserved`; `None`: the gang runs outside the quota.
    pub condition: Option<ConditionUpdate>,
}

impl Verdict {
    /// Whether the status of the gang shows it, except for the words.
    pub fn is_stored(&self, gang: &PodGang) -> bool {
        let quota = gang.status.as_ref().and_then(|s| s.quota.as_ref());
        let holds = self.condition.as_ref().map(|c| c.status == Status::True);
        quota == self.quota.as_ref() && holds == state_of(gang)
    }

    /// The event about a change. A suspended set gives its quota back: nobody takes it.
    pub fn find_event(&self, gang: &PodGang) -> Option<Event> {
        let condition = self.condition.as_ref()?;
        let is_reserved = condition.status == Status::True;
        let is_taken = condition.reason == Reason::QuotaEvicted;
        if quota::is_reserved(gang) == is_reserved || !(is_reserved || is_taken) {
            return None;
        }
        let round = self.quota.as_ref().map_or(0, |quota| quota.round);
        let uid = ownership::uid(&gang.metadata);
        let text = condition.message.clone();
        let event = if is_reserved {
            Event::normal(events::QUOTA_RESERVED, text)
        } else {
            Event::warning(events::QUOTA_EVICTED, text)
        };
        Some(event.once(format!("{uid}/{round}/{is_reserved}")))
    }
}

/// Whether the gang has quota, as stored; `None`: it has nothing to do with quota.
fn state_of(gang: &PodGang) -> Option<bool> {
    let is_known = quota::is_reserved(gang) || quota::is_held(gang);
    is_known.then(|| quota::is_reserved(gang))
}

/// Decides it.
pub fn judge(snapshot: &Snapshot, facts: &QueueingFacts) -> Verdict {
    let gang = &snapshot.gang;
    let Some(queue) = facts.queue.as_deref() else {
        return Verdict::default();
    };
    let before = gang.status.as_ref().and_then(|s| s.quota.clone());
    let runs = snapshot.parts.iter().any(|part| !part.pods.is_empty());
    let before = match state_of(gang) {
        // It started before its set named a queue.
        None if runs => {
            return Verdict {
                quota: before,
                condition: None,
            };
        }
        Some(true) => return keep(snapshot, facts, &before.unwrap_or_default()),
        _ => before.unwrap_or_default(),
    };
    let round = before.round;
    if has_leftovers(facts, round) {
        return waiting(
            lost(facts, round),
            Reason::QuotaEvicted,
            &gang_in(gang, queue),
            "its pods run without quota, and end first",
        );
    }
    match find_first(snapshot, facts) {
        Ok(first) => {
            let grants = vec![first];
            reserved(GangQuota { round, grants }, None)
        }
        Err(wait) => {
            let quota = GangQuota {
                round,
                grants: Vec::new(),
            };
            waiting(quota, wait.reason, &gang_in(gang, queue), &wait.text)
        }
    }
}

fn gang_in(gang: &PodGang, queue: &str) -> String {
    let name = ownership::name(&gang.metadata);
    format!("gang {name} waits in queue {queue}")
}

/// A gang that has quota keeps it until it is lost.
fn keep(snapshot: &Snapshot, facts: &QueueingFacts, before: &GangQuota) -> Verdict {
    let gang = &snapshot.gang;
    let Some(loss) = find_loss(snapshot, facts, before) else {
        let grants = grant::update(gang, facts, &before.grants);
        let growth = explain_growth(gang, facts, &grants);
        let round = before.round;
        return reserved(GangQuota { round, grants }, growth);
    };
    let name = ownership::name(&gang.metadata);
    waiting(
        lost(facts, before.round),
        loss.reason,
        &format!("gang {name} {}", loss.verb()),
        &loss.text,
    )
}

/// The next round, in which no pod that exists may start.
fn lost(facts: &QueueingFacts, round: i64) -> GangQuota {
    let rounds = facts.pods.iter().map(|p| quota::round_of_pod(&p.metadata));
    let round = rounds.chain([round]).max().unwrap_or(0);
    GangQuota {
        round: round.saturating_add(1),
        grants: Vec::new(),
    }
}

/// Whether pods of this round run although the gang has no quota: somebody deleted its PodGang, and the
/// quota with it, or removed their gates. Nothing would ever end them, and no quota is asked for beside
/// them.
fn has_leftovers(facts: &QueueingFacts, round: i64) -> bool {
    let mut pods = facts.pods.iter();
    !facts.is_outdated
        && pods.any(|pod| {
            let is_of_round = quota::round_of_pod(&pod.metadata) >= round;
            let may_run = pod.gate_position().is_none() && !pod.has_run_out();
            is_of_round && may_run && !pod.is_terminating()
        })
}

/// Why the gang has no quota any more. An unknown state is no loss. A job that is over has nothing to lose,
/// for Kueue may delete its Workload, and neither has a gang of which all pods have completed.
fn find_loss(snapshot: &Snapshot, facts: &QueueingFacts, quota: &GangQuota) -> Option<Wait> {
    if facts.end.is_some() {
        return None;
    }
    let gang = &snapshot.gang;
    if snapshot.is_suspended {
        return Some(Wait {
            reason: Reason::WaitingForQuota,
            text: SUSPENDED.to_owned(),
        });
    }
    if release::needs_none(gang, facts) {
        return None;
    }
    if !facts.has_base_quota {
        return Some(taken("its base gang has none"));
    }
    if !facts.is_served || facts.is_outdated {
        return None;
    }
    let first = quota.grants.first()?;
    let found = facts.find(&first.workload);
    let Some(workload) = found.filter(|w| ownership::uid(&w.metadata) == first.uid) else {
        return Some(taken(format!("Workload {} was deleted", first.workload)));
    };
    (!grant::is_admitted(workload)).then(|| taken(explain(workload)))
}

fn taken(text: impl Into<String>) -> Wait {
    Wait {
        reason: Reason::QuotaEvicted,
        text: text.into(),
    }
}

/// Whether Kueue has taken the quota, and the gang has not given it back; or somebody keeps the
/// Workload out of its queue. Kueue leaves the condition until it admits the Workload again.
fn is_evicted(workload: &KueueWorkload) -> bool {
    let is_inactive = workload.spec.active == Some(false);
    grant::holds(workload, types::EVICTED) && (is_inactive || grant::uses_quota(workload))
}

/// The words of Kueue about a Workload that is not admitted.
fn explain(workload: &KueueWorkload) -> String {
    let conditions = workload.status.as_ref().map(|s| s.conditions.as_slice());
    let of_type = |type_: &str, status: &str| {
        let mut all = conditions.into_iter().flatten();
        all.find(|c| c.type_ == type_ && c.status == status)
    };
    let found = of_type(types::EVICTED, "True")
        .filter(|_| is_evicted(workload))
        .or_else(|| of_type(types::QUOTA_RESERVED, "False"))
        .or_else(|| of_type(types::ADMITTED, "False"))
        .or_else(|| of_type(types::EVICTED, "True"));
    let is_inactive = workload.spec.active == Some(false);
    match found {
        Some(c) if is_inactive => format!("it was deactivated; {}: {}", c.reason, c.message),
        Some(c) => format!("{}: {}", c.reason, c.message),
        None if is_inactive => "it was deactivated".to_owned(),
        None => "Kueue has not answered yet".to_owned(),
    }
}

/// Why the gang waits.
struct Wait {
    reason: Reason,
    text: String,
}

impl Wait {
    /// The way in which the gang gets rid of its quota.
    fn verb(&self) -> &'static str {
        if self.reason == Reason::QuotaEvicted {
            "lost its quota"
        } else {
            "gives its quota back"
        }
    }
}

fn wait(text: impl Into<String>) -> Wait {
    Wait {
        reason: Reason::WaitingForQuota,
        text: text.into(),
    }
}

/// The quota with which the gang may start.
fn find_first(snapshot: &Snapshot, facts: &QueueingFacts) -> Result<QuotaGrant, Wait> {
    let gang = &snapshot.gang;
    if snapshot.is_suspended {
        return Err(wait(SUSPENDED));
    }
    if !facts.is_served {
        return Err(wait(
            "workloads.kueue.x-k8s.io is not served by this cluster, or may not be read: install Kueue, or \
             remove label kueue.x-k8s.io/queue-name from the PodCliqueSet",
        ));
    }
    if !facts.has_base_quota {
        return Err(wait("its base gang has no quota"));
    }
    let name = ownership::name(&gang.metadata);
    let Some(workload) = facts.find(name).filter(|_| facts.are_flavors_readable) else {
        return Err(wait(explain_missing(gang, facts)));
    };
    if grant::is_admitted(workload) {
        return grant::read(gang, facts, workload).map_err(wait);
    }
    Err(Wait {
        reason: if is_evicted(workload) {
            Reason::QuotaEvicted
        } else {
            Reason::WaitingForQuota
        },
        text: explain(workload),
    })
}

/// Why there is no request.
fn explain_missing(gang: &PodGang, facts: &QueueingFacts) -> String {
    if let Some(cause) = facts.find_hindrance() {
        cause
    } else if has_completed(gang) {
        "it needs none any more: its pods have completed".to_owned()
    } else if counts::requested(gang).is_empty() {
        "not all of its pods exist".to_owned()
    } else {
        "its Workload is being created".to_owned()
    }
}

/// Whether the set has asked for pods of the gang, and asks for none any more.
fn has_completed(gang: &PodGang) -> bool {
    let requested = quota::requested(&gang.metadata).unwrap_or_default();
    !requested.is_empty() && requested.values().all(|count| *count == 0)
}

/// With the words about pods that wait for more.
fn reserved(quota: GangQuota, growth: Option<String>) -> Verdict {
    let first = quota.grants.first().map(|grant| &*grant.cluster_queue);
    let count = counts::total(&counts::granted(&quota.grants));
    let growth = growth.map_or(String::new(), |growth| format!("; {growth}"));
    let queue = first.unwrap_or_default();
    let message = format!("{count} pods have quota of ClusterQueue {queue}{growth}");
    Verdict {
        condition: Some(ConditionUpdate {
            type_: ConditionType::QuotaReserved,
            status: Status::True,
            reason: Reason::QuotaReserved,
            message,
        }),
        quota: Some(quota),
    }
}

fn waiting(quota: GangQuota, reason: Reason, what: &str, why: &str) -> Verdict {
    Verdict {
        condition: Some(ConditionUpdate {
            type_: ConditionType::QuotaReserved,
            status: Status::False,
            reason,
            message: format!("{what}: {why}"),
        }),
        quota: Some(quota),
    }
}

/// The words of Kueue about pods that wait beside a gang that runs.
fn explain_growth(gang: &PodGang, facts: &QueueingFacts, grants: &[QuotaGrant]) -> Option<String> {
    let is_granted = |workload: &&Arc<KueueWorkload>| {
        let uid = ownership::uid(&workload.metadata);
        grants.iter().any(|grant| grant.uid == uid)
    };
    let mut others = facts.workloads.iter().filter(|w| !is_granted(w));
    let workload = others.next()?;
    let name = ownership::name(&workload.metadata);
    if !grant::is_admitted(workload) {
        return Some(format!("Workload {name} waits: {}", explain(workload)));
    }
    let text = grant::read(gang, facts, workload).err()?;
    Some(format!("Workload {name} cannot be used: {text}"))
}
