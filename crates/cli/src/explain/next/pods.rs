//! Pods whose place is filled again, and when.

use domain::Pod;
use domain::health::{termination, training};
use jiff::SignedDuration;

use super::Situation;
use crate::explain::answer::Step;

/// So many pods are named.
const MOST: usize = 3;
/// What the operator's `stuckPodTimeout` is by default; its configuration is not read here.
const STUCK_POD_TIMEOUT: SignedDuration = SignedDuration::from_secs(60);

/// Pods of the PodClique that ended and are replaced, or that hang in Terminating.
pub(super) fn of_clique(situation: &Situation<'_, '_>) -> Vec<Step> {
    let Some(podclique) = situation.finding.podclique else {
        return Vec::new();
    };
    let pods = situation.seen.pods(podclique);
    let replaces = replaces_pods(situation, &pods);
    let is_job = training::is_training(&situation.seen.workload.set);
    let ended = pods.iter().filter(|_| replaces);
    let ended = ended.filter_map(|pod| of_ended(pod, is_job));
    let leaving = pods.iter().filter_map(of_leaving);
    ended.take(MOST).chain(leaving.take(MOST)).collect()
}

/// Whether single pods that ended are replaced: always, but in a job only while its replica is not
/// restarted for them.
fn replaces_pods(situation: &Situation<'_, '_>, pods: &[Pod]) -> bool {
    let set = &situation.seen.workload.set;
    let (part, podclique) = (&situation.finding.part, situation.finding.podclique);
    if !training::is_training(set) {
        return true;
    }
    let group = part.as_ref().and_then(|part| part.group);
    let delay = termination::delay_of_job(set, group);
    let is_over = training::is_over(set.status.as_ref());
    let facts = podclique.map(|c| domain::health::availability::CliqueFacts::of(c, pods.iter()));
    let facts = facts.map(|facts| facts.with_job_delay(delay));
    !is_over && facts.is_some_and(|facts| facts.replaces_failed_pods(delay))
}

/// What has done its work in a job is never replaced.
fn of_ended(pod: &Pod, is_job: bool) -> Option<Step> {
    let is_done = pod.is_finished() && !pod.is_terminating() && !is_job;
    let has_ended = pod.is_failed() || is_done;
    let due = pod.replacement_due().filter(|_| has_ended)?;
    let why = match pod.earlier_failures() {
        0 => String::new(),
        1 => ", later because the pod before it ended soon, too".to_owned(),
        many => format!(", later because {many} pods before it ended soon, too"),
    };
    Some(Step::at(due, format!("{} is replaced{why}", pod.name())))
}

fn of_leaving(pod: &Pod) -> Option<Step> {
    let since = pod.metadata.deletion_timestamp.as_ref()?.0;
    let until = since.checked_add(STUCK_POD_TIMEOUT).ok()?;
    let text = format!(
        "{} stops counting if it is still terminating then (stuckPodTimeout; 60s unless the \
         operator's configuration says otherwise)",
        pod.name()
    );
    Some(Step::at(until, text))
}
