//! Events about updates of the set: one begins, ends, does not begin, or makes no progress.

use api::conditions::{self, ConditionType, Reason};
use api::{PodCliqueSetStatus, events};
use domain::object::ownership;
use domain::plan::Event;
use domain::update;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;

use crate::observe::Snapshot;
use crate::rollout;

/// The events for the change from the stored status to `next`.
pub(super) fn find_events(snapshot: &Snapshot, next: &PodCliqueSetStatus) -> Vec<Event> {
    if snapshot.is_training() || update::is_on_delete(&snapshot.validated.set) {
        return Vec::new();
    }
    let stored = snapshot.stored.status.as_ref();
    let uid = ownership::uid(&snapshot.stored.metadata);
    let generation = next.current_generation_hash.as_deref().unwrap_or_default();
    let is_same = stored.is_some_and(|s| s.current_generation_hash == next.current_generation_hash);
    let identity = |what: &str| format!("{uid}/{generation}/{what}");
    let (ran, runs) = (stored.is_some_and(is_running), is_running(next));
    let started = (runs && !(ran && is_same)).then(|| {
        let end = if next.replicas == 1 { "" } else { "s" };
        let message = format!(
            "update of {} replica{end} to template {generation}",
            next.replicas
        );
        Event::normal(events::UPDATE_STARTED, message).once(identity("started"))
    });
    let completed = (ran && !runs && is_same).then(|| {
        let message = format!("all replicas have template {generation}");
        Event::normal(events::UPDATE_COMPLETED, message).once(identity("completed"))
    });
    let troubles = [Reason::TemplateRefused, Reason::UpdateStalled];
    let troubles = troubles.into_iter().filter_map(|reason| {
        let found = find_trouble(next, reason)?;
        let is_new = stored.is_none_or(|stored| find_trouble(stored, reason).is_none());
        is_new.then(|| {
            let identity = match reason {
                Reason::UpdateStalled => identity(&describe_standstill(snapshot, found)),
                _ => identity(&found.message),
            };
            Event::warning(reason, found.message.clone()).once(identity)
        })
    });
    started
        .into_iter()
        .chain(completed)
        .chain(troubles)
        .collect()
}

/// The cause and the last step of the update: the numbers in the message may differ when the decision
/// is repeated.
fn describe_standstill(snapshot: &Snapshot, found: &Condition) -> String {
    let last = rollout::last_step(snapshot);
    let last = last.map_or(String::new(), |last| last.to_string());
    format!("{}/{last}", found.reason)
}

fn is_running(status: &PodCliqueSetStatus) -> bool {
    let progress = status.update_progress.as_ref();
    progress.is_some_and(|progress| progress.update_ended_at.is_none())
}

/// The condition that shows this trouble. An update may stand still in a set that is not Ready, so
/// `UpdateInProgress` is the one to ask.
fn find_trouble(status: &PodCliqueSetStatus, trouble: Reason) -> Option<&Condition> {
    let found = conditions::find(&status.conditions, ConditionType::UpdateInProgress)?;
    let shown = match found.reason.parse::<Reason>().ok()? {
        reason if reason.is_standstill() => Reason::UpdateStalled,
        reason => reason,
    };
    (shown == trouble).then_some(found)
}
