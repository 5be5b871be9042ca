//! Failures of a training job: event `PodCliqueFailed` (docs/semantics.md §13.2) is posted on the
//! set, where the user looks; this file also decides which pod failures the set keeps.

use std::cmp::Reverse;

use api::conditions::{self, ConditionType};
use api::podcliqueset::PodFailure;
use api::{PodClique, events};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::availability::StoredBreach;
use crate::Pod;
use crate::object::ownership;
use crate::object::pod::Disruption;
use crate::object::text;
use crate::plan::{Event, Target};

/// The number of pod failures that a set keeps.
const MAX_FAILURES: usize = 5;

/// The event of the PodClique's stored breach, if it has one. The PodClique posts it at once, and
/// its set posts it when the job is given up; both use the same name, so it is one event.
pub fn podclique_failed_event(podclique: &PodClique, set: Target) -> Option<Event> {
    let status = podclique.status.as_ref()?;
    let breach = conditions::find(&status.conditions, ConditionType::MinAvailableBreached)?;
    // A breach that goes on after a pause is announced again.
    let since = StoredBreach::from(status).since()?;
    let meta = &podclique.metadata;
    let message = format!("PodClique {}: {}", ownership::name(meta), breach.message);
    let identity = format!("{}/{since}", ownership::uid(meta));
    let note = Event::warning(events::PODCLIQUE_FAILED, message);
    Some(note.once(identity).about(set))
}

/// Bytes kept of a termination message, from its end.
const MAX_MESSAGE_BYTES: usize = 1024;

/// The failure of a pod of a job, as the set keeps it; `None` if it did not fail, or only because
/// it was deleted. The report of the container takes precedence over a later disruption by the
/// cluster.
pub fn describe(pod: &Pod) -> Option<PodFailure> {
    let own = pod.has_failed_by_itself().then(|| failed_at(pod));
    let taken = pod
        .disruption()
        .filter(|_| !pod.is_ready() || pod.is_terminating());
    match (own, taken) {
        (Some(at), taken) if taken.is_none_or(|taken| at < taken.since) => Some(of_failed(pod, at)),
        (_, Some(taken)) => Some(of_disrupted(pod, &taken)),
        _ => None,
    }
}

/// The last crash of a pod whose containers the kubelet starts again in place; `None` if none ended
/// badly. It is kept when the job runs out of time, because then nothing else records the crash.
pub fn describe_crash(pod: &Pod) -> Option<PodFailure> {
    let last = pod
        .containers()
        .filter_map(|c| {
            let now = c.state.terminated.as_ref();
            let end = now.or(c.last_state.terminated.as_ref())?;
            (end.exit_code != 0).then_some(end)
        })
        .max_by_key(|end| end.finished_at.as_ref().map(|at| at.0))?;
    let at = last.finished_at.as_ref().map(|at| at.0);
    Some(PodFailure {
        pod: pod.name().to_owned(),
        uid: Some(pod.uid().to_owned()),
        node: pod.spec.node_name.clone(),
        reason: last.reason.clone().unwrap_or_else(|| "Error".to_owned()),
        exit_code: Some(last.exit_code),
        message: last.message.as_deref().map(keep_end),
        time: Time(at.or_else(|| pod.ended_at())?),
    })
}

/// The kubelet's own reason for the pod, if it has one, explains more than the container that it
/// ended.
fn of_failed(pod: &Pod, at: Timestamp) -> PodFailure {
    let ended = pod.failure();
    let of_pod = (pod.status.reason.clone(), pod.status.message.clone());
    let of_container = (
        ended.and_then(|t| t.reason.clone()),
        ended.and_then(|t| t.message.clone()),
    );
    let (reason, message) = (of_pod.0.or(of_container.0), of_pod.1.or(of_container.1));
    PodFailure {
        pod: pod.name().to_owned(),
        uid: Some(pod.uid().to_owned()),
        node: pod.spec.node_name.clone(),
        reason: reason.unwrap_or_else(|| "Failed".to_owned()),
        exit_code: ended.map(|t| t.exit_code),
        message: message.map(|m| keep_end(&m)),
        time: Time(at),
    }
}

fn of_disrupted(pod: &Pod, taken: &Disruption<'_>) -> PodFailure {
    PodFailure {
        pod: pod.name().to_owned(),
        uid: Some(pod.uid().to_owned()),
        node: pod.spec.node_name.clone(),
        reason: taken.reason.to_owned(),
        exit_code: None,
        message: taken.message.map(keep_end),
        time: Time(taken.since),
    }
}

fn keep_end(message: &str) -> String {
    text::keep_end(message, MAX_MESSAGE_BYTES)
}

fn failed_at(pod: &Pod) -> Timestamp {
    let of_container = pod.failure().and_then(|end| end.finished_at.as_ref());
    let at = of_container.map(|at| at.0).or_else(|| pod.ended_at());
    at.unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Whether the kept failure is that of the pod: pod names are reused.
pub fn is_of(kept: &PodFailure, pod: &PodFailure) -> bool {
    match (&kept.uid, &pod.uid) {
        (Some(kept), Some(uid)) => kept == uid,
        _ => kept.pod == pod.pod,
    }
}

/// Whether the kept failure is a disruption that was announced for this pod and did not come, as
/// the pod is Ready. A failure with ended containers is different: a kubelet may have started them
/// again.
pub fn was_spared(kept: &PodFailure, ready: &Pod) -> bool {
    let is_its_own = kept.uid.as_deref() == Some(ready.uid());
    is_its_own && kept.exit_code.is_none() && Disruption::is_announced(&kept.reason)
}

/// Reduces the failures to those that a set keeps: the newest first, those of one time by name.
pub fn keep_newest(failures: &mut Vec<PodFailure>) {
    failures.sort_by(|a, b| order(a.time.0, &a.pod).cmp(&order(b.time.0, &b.pod)));
    failures.truncate(MAX_FAILURES);
}

fn order(failed_at: Timestamp, pod: &str) -> (Reverse<Timestamp>, &str) {
    (Reverse(failed_at), pod)
}

/// Whether the set keeps the failure of the pod, or its list is full of newer ones.
pub fn is_noted(pod: &Pod, kept: &[PodFailure]) -> bool {
    let Some(failure) = describe(pod) else {
        return true;
    };
    let place = order(failure.time.0, &failure.pod);
    let before = kept.iter().filter(|f| order(f.time.0, &f.pod) < place);
    kept.iter().any(|f| is_of(f, &failure)) || before.count() >= MAX_FAILURES
}
