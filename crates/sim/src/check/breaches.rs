//! I37: when a breach began, by the status: a crash loop is one breach, and nothing else is
//! (docs/semantics.md §2.5).

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::window::Window;
use super::{Checked, demand, fences};
use crate::resource::Resource;
use crate::store::Record;
use crate::view;

const LONGEST_MEMORY: SignedDuration = SignedDuration::from_secs(60);

/// Stored times are whole seconds.
const SLACK: SignedDuration = SignedDuration::from_secs(2);

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    let kind = record.id.resource;
    let is_measured = matches!(kind, Resource::PodClique | Resource::PodCliqueScalingGroup);
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    if !is_measured || before.pointer("/status") == after.pointer("/status") {
        return Ok(());
    }
    let Some((is_breached, flipped)) = condition(after) else {
        return Ok(());
    };
    let since = since(after);
    let said = || format!("{}: breachedSince {since:?}, flipped {flipped}", record.id);
    demand(
        !is_breached || since.is_some_and(|s| s <= flipped),
        "I37",
        said,
    )?;
    let Some(since) = since.filter(|s| !is_breached || *s < flipped) else {
        return Ok(());
    };
    // This time was not set by the present write: it was stored before, and is kept, or moved by
    // the pause.
    let Some(was) = self::since(before).or(condition(before).map(|(_, at)| at)) else {
        return demand(false, "I37", said);
    };
    let Some((false, ended)) = condition(before) else {
        return demand(was == since, "I37", said);
    };
    let until = if is_breached { flipped } else { record.time };
    let away = until.duration_since(ended);
    let pause = if is_breached {
        away
    } else {
        SignedDuration::ZERO
    };
    let moved = since.duration_since(was);
    demand(moved >= pause - SLACK, "I37", || {
        format!("{}: moved by {moved} after a pause of {pause}", said())
    })?;
    let is_of_clique = kind == Resource::PodClique;
    demand(!is_of_clique || moved <= pause + SLACK, "I37", || {
        format!("{}: moved by {moved} after a pause of {pause}", said())
    })?;
    let slack = SignedDuration::from_secs(1);
    let memories: Vec<SignedDuration> = memories(window, after).collect();
    let is_remembered = memories.iter().any(|memory| away < *memory + slack);
    demand(is_remembered, "I37", || {
        let said = said();
        format!("{said} is remembered {away} after it ended, and not for {memories:?}")
    })?;
    let is_crash = !is_breached || kind != Resource::PodClique || has_crashed(window, after);
    demand(is_crash, "I37", || format!("{}: nothing crashed", said()))
}

fn since(object: &Value) -> Option<Timestamp> {
    view::time(object, "/status/breachedSince")
}

fn condition(object: &Value) -> Option<(bool, Timestamp)> {
    let breach = view::list(object, "/status/conditions")
        .find(|c| view::text(c, "/type") == "MinAvailableBreached")?;
    let flipped = view::time(breach, "/lastTransitionTime")?;
    Some((view::text(breach, "/status") == "True", flipped))
}

/// How long a breach may be remembered, by any observable state of its set.
fn memories(window: &Window<'_>, object: &Value) -> impl Iterator<Item = SignedDuration> {
    let name = view::set_of(object);
    let sets = window.versions(Resource::PodCliqueSet, |s| view::name(s) == name);
    let delays = sets
        .into_iter()
        .filter_map(|set| fences::delay(object, set));
    delays.map(|d| d.min(LONGEST_MEMORY))
}

/// Whether a container or a pod of the PodClique ended, in any observable state.
fn has_crashed(window: &Window<'_>, podclique: &Value) -> bool {
    let uid = view::uid(podclique);
    let is_own = |p: &Value| view::owner(p).is_some_and(|o| o.2 == uid);
    let pods = window.versions(Resource::Pod, is_own);
    pods.iter().any(|pod| {
        let mut containers = view::list(pod, "/status/containerStatuses");
        view::is_finished(pod) || containers.any(has_ended)
    })
}

fn has_ended(container: &Value) -> bool {
    let states = ["/state/terminated", "/lastState/terminated"];
    states.iter().any(|s| container.pointer(s).is_some())
}
