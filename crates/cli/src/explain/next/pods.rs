//! Pods that will be replaced, with the time.

use std::sync::Arc;

use api::conditions::Reason;
use domain::Pod;
use domain::health::stuck::StuckTimeouts;
use domain::health::{termination, training};
use domain::roster::ObservedClique;
use jiff::{SignedDuration, Timestamp};

use super::Situation;
use crate::explain::answer::NextStep;
use crate::output::age_of;

/// Pods that are named.
const MOST: usize = 3;

/// Pods of the PodClique that ended and are replaced, or that hang in Terminating.
pub(super) fn of_clique(situation: &Situation<'_, '_>) -> Vec<NextStep> {
    let pods = pods_of_finding(situation);
    let replaces = replaces_pods(situation);
    let is_job = training::is_training(&situation.view.workload.set);
    let ended = pods
        .iter()
        .filter(|_| replaces)
        .filter_map(|pod| of_ended(pod, is_job));
    let earlier = earlier_pods(situation);
    let leaving = find_leaving(situation, pods.iter().chain(earlier));
    ended.take(MOST).chain(leaving).collect()
}

/// Pods of the PodClique that hang in Terminating.
pub(super) fn that_leave(situation: &Situation<'_, '_>) -> Vec<NextStep> {
    find_leaving(situation, pods_of_finding(situation).iter())
}

fn pods_of_finding<'a>(situation: &Situation<'a, '_>) -> &'a [Arc<Pod>] {
    let podclique = situation.finding.podclique;
    podclique.map_or(&[], |c| c.pods.as_slice())
}

fn find_leaving<'a>(
    situation: &Situation<'_, '_>,
    pods: impl Iterator<Item = &'a Arc<Pod>>,
) -> Vec<NextStep> {
    let leaving = pods.filter(|p| p.is_terminating());
    let leaving = leaving.take(MOST);
    leaving.flat_map(|pod| of_leaving(situation, pod)).collect()
}

/// A replica that was terminated waits for the pods of its earlier attempts: those of the other
/// PodCliques.
fn earlier_pods<'a>(situation: &Situation<'a, '_>) -> impl Iterator<Item = &'a Arc<Pod>> {
    let part = situation.finding.part.as_ref();
    let waits = situation.reason == Some(Reason::ReplicaTerminating);
    let replica = part.filter(|_| waits).map(|part| part.replica);
    let roster = &situation.view.roster;
    let earlier = replica.map_or_else(Vec::new, |i| roster.previous_of(i).to_vec());
    let found = situation.finding.podclique.map(ObservedClique::name);
    let others = earlier.into_iter().filter(move |c| Some(c.name()) != found);
    others.flat_map(|c| &c.pods)
}

/// Whether the operator replaces single pods that ended: always, but in a job only while its
/// replica is not restarted for them.
fn replaces_pods(situation: &Situation<'_, '_>) -> bool {
    let set = &situation.view.workload.set;
    let (part, podclique) = (&situation.finding.part, situation.finding.podclique);
    if !training::is_training(set) {
        return true;
    }
    let group = part.as_ref().and_then(|part| part.group);
    let delay = termination::delay_of_job(set, group);
    let is_over = training::is_over(set.status.as_ref());
    let facts = podclique.map(|c| c.facts().with_job_delay(delay));
    !is_over && facts.is_some_and(|facts| facts.replaces_failed_pods(delay))
}

/// A pod that has done its work in a job is never replaced.
fn of_ended(pod: &Pod, is_job: bool) -> Option<NextStep> {
    let is_done = pod.is_finished() && !pod.is_terminating() && !is_job;
    let has_ended = pod.is_failed() || is_done;
    let due = pod.replacement_due().filter(|_| has_ended)?;
    let why = match pod.earlier_failures() {
        0 => String::new(),
        1 => ", later because the pod before it ended soon, too".to_owned(),
        many => format!(", later because {many} pods before it ended soon, too"),
    };
    Some(NextStep::at(
        due,
        format!("{} is replaced{why}", pod.name()),
    ))
}

/// The time until which its slot is held, by the operator's defaults: its configuration is not read
/// here. Of a job the state of the pod's node decides; both cases are shown if it is not known.
fn of_leaving(situation: &Situation<'_, '_>, pod: &Pod) -> Vec<NextStep> {
    let workload = situation.view.workload;
    let timeouts = StuckTimeouts::default();
    let usual = ("stuckPodTimeout; 60s", timeouts.slot_until(pod, false));
    let ready = (
        "stuckPodTimeoutOnReadyNode; 10m",
        timeouts.slot_until(pod, true),
    );
    let held = |when: &str, limit| held(pod, situation.view.now, when, limit);
    let is_job = training::is_training(&workload.set);
    let Some(node) = pod.spec.node_name.as_deref().filter(|_| is_job) else {
        return held("", usual).into_iter().collect();
    };
    let steps = match workload.nodes_in_service.get(node) {
        Some(true) => [held(&format!(", as node {node} is Ready"), ready), None],
        Some(false) => {
            let why = format!(", as node {node} is gone, not Ready or out of service");
            [held(&why, usual), None]
        }
        None => [
            held(&format!(", if node {node} is gone or not Ready"), usual),
            held(&format!(", if node {node} is Ready"), ready),
        ],
    };
    steps.into_iter().flatten().collect()
}

fn held(
    pod: &Pod,
    now: Timestamp,
    when: &str,
    (key, until): (&str, Option<Timestamp>),
) -> Option<NextStep> {
    let age = age_of(deletion_asked_at(pod)?, now);
    let text = format!(
        "{}, terminating for {age}, stops counting if it is still there then{when} ({key} unless the \
         operator's configuration says otherwise)",
        pod.name()
    );
    Some(NextStep::at(until?, text))
}

/// `deletionTimestamp` is the end of the grace period, which may be in the future.
fn deletion_asked_at(pod: &Pod) -> Option<Timestamp> {
    let end = pod.metadata.deletion_timestamp.as_ref()?.0;
    let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
    end.checked_sub(SignedDuration::from_secs(grace)).ok()
}
