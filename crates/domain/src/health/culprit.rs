//! The unavailable pod whose trouble is the most important.
//!
//! The first pod to fail is the culprit: its peers lose their connections and fail after it. A
//! container that was asked to end is not a culprit.

mod blame;
mod lost_pod;

use api::podclique::{BreachCause, LostPod};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::Pod;
use crate::object::pod::{ContainerStatus, Disruption, Terminated};

pub use self::blame::{Blamed, blame};

/// The culprit, in one clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// E.g. `worker-1 on node-2: container main ended with exit code 7`.
    pub text: String,
    /// Whether the cluster took the pod away: a drain, an eviction, preemption, a lost node.
    pub is_disruption: bool,
    /// Whether the pod ran and was lost: it failed, was taken away or was deleted.
    pub is_loss: bool,
    /// Whether it does more than start or lose its readiness.
    pub is_serious: bool,
    /// When its trouble began, if it is known; `Timestamp::MAX` if not.
    pub since: Timestamp,
    /// The pod in parts; unknown if an earlier version stored the cause.
    pub pod: Option<LostPod>,
}

/// The cause of a breach: the stored loss that began it, unless an earlier one is seen now. The
/// lost pod goes away, and its successor is merely starting.
pub fn find_cause(stored: Option<&BreachCause>, seen: Option<&Culprit>) -> Option<Culprit> {
    find_earlier(stored.map(restore), seen)
}

/// The known loss, unless the seen one came before it. The time of an unexplained loss is not
/// known: an explained loss is preferred.
pub fn find_earlier(known: Option<Culprit>, seen: Option<&Culprit>) -> Option<Culprit> {
    let seen = seen.filter(|seen| seen.is_loss);
    let is_earlier = |seen: &&Culprit| known.as_ref().is_none_or(|k| seen.since < k.since);
    seen.filter(is_earlier).cloned().or(known)
}

fn restore(cause: &BreachCause) -> Culprit {
    Culprit {
        text: cause.message.clone(),
        is_disruption: cause.is_disruption,
        is_loss: true,
        is_serious: true,
        since: cause.time.as_ref().map_or(Timestamp::MAX, |at| at.0),
        pod: cause.pod.clone(),
    }
}

impl Culprit {
    /// In the form that a status keeps.
    pub fn to_cause(&self) -> BreachCause {
        BreachCause {
            message: self.text.clone(),
            time: self.time(),
            is_disruption: self.is_disruption,
            pod: self.pod.clone(),
        }
    }

    fn time(&self) -> Option<Time> {
        (self.since < Timestamp::MAX).then_some(Time(self.since))
    }
}

/// The rank of a trouble, most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// It failed, or was taken away, by itself.
    First,
    /// It ended after it was asked to.
    AskedToEnd,
    /// It waits for something that may never come.
    Waiting,
    /// It starts.
    Starting,
    /// It runs, and is not Ready.
    NotReady,
    /// It was deleted, for no known reason.
    Deleted,
}

/// The trouble of a pod. Only the trouble of the named pod is put into words, because every pod of
/// every clique is examined.
struct Trouble<'a> {
    rank: Rank,
    since: Timestamp,
    symptom: Symptom<'a>,
}

#[derive(Clone, Copy)]
enum Symptom<'a> {
    Disruption(Disruption<'a>),
    End(&'a ContainerStatus, &'a Terminated),
    /// The kubelet rejected or gave up the pod, and no container ended; the reason, in one word.
    Phase(&'a str),
    Waiting(&'a ContainerStatus, &'a str),
    Scheduling(&'a str),
    LostNode,
    NotReady,
    Deleted,
}

/// The culprit among the pods of a clique, terminating ones included; `None` if no pod has a known
/// trouble. In a job a container that ends with exit code 0 has done its work.
pub fn find_culprit<'a>(pods: impl Iterator<Item = &'a Pod>, is_job: bool) -> Option<Culprit> {
    let troubled = pods.filter_map(|pod| Some((trouble_of(pod, is_job)?, pod)));
    let (worst, pod) = troubled.min_by_key(|(t, pod)| (t.rank, t.since, pod.name()))?;
    Some(Culprit {
        text: format!(
            "{}: {}",
            describe_place(pod, worst.rank),
            describe(pod, worst.symptom)
        ),
        is_disruption: matches!(worst.symptom, Symptom::Disruption(_)),
        is_loss: matches!(worst.rank, Rank::First | Rank::AskedToEnd | Rank::Deleted),
        is_serious: worst.rank <= Rank::Waiting,
        since: worst.since,
        pod: Some(lost_pod::describe(pod, worst.symptom)),
    })
}

/// Names the node, so that a bad node shows.
fn describe_place(pod: &Pod, rank: Rank) -> String {
    let node = pod.spec.node_name.as_deref();
    let node = node.filter(|_| matches!(rank, Rank::First | Rank::AskedToEnd | Rank::NotReady));
    node.map_or_else(
        || pod.name().to_owned(),
        |node| format!("{} on {node}", pod.name()),
    )
}

fn describe(pod: &Pod, symptom: Symptom<'_>) -> String {
    match symptom {
        Symptom::Disruption(found) => {
            let message = found.message.map_or(String::new(), |m| format!(" ({m})"));
            format!("{}{message}", found.reason)
        }
        Symptom::End(container, end) => {
            format!("container {} {}", container.name, describe_end(pod, end))
        }
        Symptom::Phase(reason) => {
            let message = pod.status.message.as_deref();
            let message = message.map_or(String::new(), |m| format!(": {m}"));
            format!("{reason}{message}")
        }
        Symptom::Waiting(container, reason) => {
            // Any other reason belongs to the next start, which has not ended yet.
            let last = container.last_state.terminated.as_ref();
            let last = last.filter(|_| is_after_end(reason));
            let code = last.map_or(String::new(), |t| format!(", exit code {}", t.exit_code));
            format!("{reason}{code}")
        }
        Symptom::Scheduling(reason) => reason.to_owned(),
        Symptom::LostNode => "its node does not report".to_owned(),
        Symptom::NotReady => "it is not Ready".to_owned(),
        Symptom::Deleted => "it was deleted".to_owned(),
    }
}

fn describe_end(pod: &Pod, end: &Terminated) -> String {
    let of_pod = pod.status.reason.as_deref();
    let of_container = end.reason.as_deref();
    let telling = |r: &&str| !matches!(*r, "Error" | "Completed");
    let reason = of_pod.or(of_container).filter(telling);
    let reason = reason.map_or(String::new(), |r| format!(" ({r})"));
    let asked = if pod.was_asked_to_end(end) {
        "; its pod was deleted"
    } else {
        ""
    };
    format!("ended with exit code {}{reason}{asked}", end.exit_code)
}

fn trouble_of(pod: &Pod, is_job: bool) -> Option<Trouble<'_>> {
    let is_well = is_job && (pod.is_completed() || pod.is_finishing());
    if pod.is_ready() || is_well {
        return None;
    }
    let first = [of_disruption(pod), of_end(pod, is_job)];
    first
        .into_iter()
        .flatten()
        .min_by_key(|t| (t.rank, t.since))
        .or_else(|| of_phase(pod))
        .or_else(|| of_waiting(pod))
        .or_else(|| of_scheduling(pod))
        .or_else(|| of_what_remains(pod))
}

fn of_disruption(pod: &Pod) -> Option<Trouble<'_>> {
    let found = pod.disruption()?;
    Some(Trouble {
        rank: Rank::First,
        since: found.since,
        symptom: Symptom::Disruption(found),
    })
}

/// The trouble of a container that ended: badly, or at all if it has to run on.
fn of_end(pod: &Pod, is_job: bool) -> Option<Trouble<'_>> {
    let mut well = pod
        .status
        .container_statuses
        .iter()
        .filter(|_| !is_job)
        .filter_map(|c| Some((c, c.state.terminated.as_ref()?)));
    let (container, end) = pod.failed_container().or_else(|| well.next())?;
    let rank = if pod.was_asked_to_end(end) {
        Rank::AskedToEnd
    } else {
        Rank::First
    };
    Some(Trouble {
        rank,
        since: end.finished_at.as_ref().map_or(Timestamp::MAX, |at| at.0),
        symptom: Symptom::End(container, end),
    })
}

fn of_phase(pod: &Pod) -> Option<Trouble<'_>> {
    let is_over = pod.is_finished() && !pod.is_terminating();
    let phase = pod.status.phase.as_deref().filter(|_| is_over)?;
    Some(Trouble {
        rank: Rank::First,
        since: pod.ended_at().unwrap_or(Timestamp::MAX),
        symptom: Symptom::Phase(pod.status.reason.as_deref().unwrap_or(phase)),
    })
}

/// A container that merely starts ranks after those that wait for something else.
fn of_waiting(pod: &Pod) -> Option<Trouble<'_>> {
    let waiting = pod.containers().filter_map(|container| {
        let reason = container.state.waiting.as_ref()?.reason.as_deref()?;
        Some((container, reason))
    });
    let (container, reason) = waiting.min_by_key(|(_, reason)| is_start(reason))?;
    Some(timeless(
        rank_of(reason),
        Symptom::Waiting(container, reason),
    ))
}

fn of_scheduling(pod: &Pod) -> Option<Trouble<'_>> {
    let refused = pod
        .find_condition("PodScheduled")
        .filter(|c| c.status == "False");
    let reason = refused?.reason.as_deref()?;
    Some(timeless(rank_of(reason), Symptom::Scheduling(reason)))
}

fn rank_of(reason: &str) -> Rank {
    if is_start(reason) {
        Rank::Starting
    } else {
        Rank::Waiting
    }
}

fn is_start(reason: &str) -> bool {
    matches!(
        reason,
        "SchedulingGated" | "ContainerCreating" | "PodInitializing"
    )
}

/// Whether a container waits because it ended.
fn is_after_end(reason: &str) -> bool {
    matches!(reason, "CrashLoopBackOff" | "RunContainerError")
}

/// If a node is lost, no kubelet updates the container statuses: the node controller only sets the
/// pod's `Ready` to false, without a reason.
fn of_what_remains(pod: &Pod) -> Option<Trouble<'_>> {
    if pod.is_terminating() {
        return Some(timeless(Rank::Deleted, Symptom::Deleted));
    }
    let ready = pod.find_condition("Ready")?;
    let is_lost = ready.reason.is_none() && pod.has_condition("ContainersReady");
    let symptom = if is_lost {
        Symptom::LostNode
    } else {
        Symptom::NotReady
    };
    Some(timeless(Rank::NotReady, symptom))
}

/// The start time is not known, or changes with each attempt: the first pod by name is the culprit.
fn timeless(rank: Rank, symptom: Symptom<'_>) -> Trouble<'_> {
    Trouble {
        rank,
        since: Timestamp::MAX,
        symptom,
    }
}
