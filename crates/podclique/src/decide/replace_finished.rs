//! Pods that ended (evicted, node lost, containers done) are replaced at their index: deleted, then
//! created again. If the pods of an index end soon after their start, each replacement waits
//! longer; the pod carries the count of such ends.
//!
//! In a training job only failed pods are replaced, and only while the failure does not count for
//! the whole replica (docs/semantics.md §5.6), once the job has stored that they failed (decision
//! 107).

use api::events;
use domain::Pod;
use domain::health::availability::CliqueFacts;
use domain::health::failure;
use domain::object::ownership;
use domain::plan::{Action, Event, Purpose};
use jiff::Timestamp;

use crate::observe::Snapshot;

/// Pods whose replacement is due.
pub(super) fn replacements(snapshot: &Snapshot, now: Timestamp) -> Vec<Action> {
    finished(snapshot)
        .filter(|pod| pod.replacement_due().is_none_or(|due| due <= now))
        .map(|pod| Action::delete::<Pod>(&pod.metadata, Purpose::ReplacePod))
        .collect()
}

/// Every replaced pod of a job is reported, once: its rank fails, and nothing else shows that.
pub(super) fn warnings(snapshot: &Snapshot, now: Timestamp) -> Vec<Event> {
    finished(snapshot)
        .filter(|_| snapshot.is_training())
        .filter(|pod| pod.replacement_due().is_none_or(|due| due <= now))
        .filter_map(|pod| warn(snapshot, pod))
        .collect()
}

fn warn(snapshot: &Snapshot, pod: &Pod) -> Option<Event> {
    let (rank, podclique) = (pod.index()?, ownership::name(&snapshot.podclique.metadata));
    let failed = failure::describe(pod)?;
    let code = failed
        .exit_code
        .map_or(String::new(), |code| format!(", exit code {code}"));
    let (count, limit) = (pod.failure_count(), Pod::FAILURES_IN_A_ROW);
    let text = format!(
        "rank {rank} of {podclique} is started again: {} failed ({}{code}), {count} of at most \
         {limit} times in a row",
        pod.name(),
        failed.reason
    );
    let event = Event::warning(events::FAILED_POD_REPLACED, text);
    Some(event.once(pod.uid()).about(snapshot.set_target()?))
}

/// The next time at which a replacement is due.
pub(super) fn next_due(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    finished(snapshot)
        .filter_map(Pod::replacement_due)
        .filter(|due| *due > now)
        .min()
}

/// Whether single indexes of a training clique are filled again: while enough pods are up, or while
/// the delay of a clique that was available runs. Otherwise the failure counts for the whole
/// replica. Free indexes of a clique that was never available, or starts again after a suspension, are
/// filled (it is being created), but its failed pods stay.
pub(super) fn may_refill(snapshot: &Snapshot) -> bool {
    let Some(set) = snapshot.set.as_ref().filter(|_| snapshot.is_training()) else {
        return true;
    };
    let facts = facts_of_clique(snapshot);
    let is_starting = !facts.was_available || facts.was_idle;
    facts.is_up() || is_starting || set.training_delay.is_positive()
}

fn finished(snapshot: &Snapshot) -> impl Iterator<Item = &Pod> {
    let is_training = snapshot.is_training();
    let job = snapshot.set.as_ref().filter(|s| !s.is_over);
    let is_replaceable = !is_training
        || job.is_some_and(|s| facts_of_clique(snapshot).replaces_failed_pods(s.training_delay));
    let pods = snapshot.own_pods().map(AsRef::as_ref);
    pods.filter(move |p: &&Pod| {
        let has_ended = if is_training {
            p.is_failed() && job.is_some_and(|s| !s.unnoted_failures.contains(p.uid()))
        } else {
            p.is_finished() && !p.is_terminating()
        };
        is_replaceable && has_ended
    })
}

fn facts_of_clique(snapshot: &Snapshot) -> CliqueFacts {
    let pods = snapshot.pods.iter().map(AsRef::as_ref);
    CliqueFacts::of(&snapshot.podclique, pods).with_job_delay(snapshot.job_delay())
}
