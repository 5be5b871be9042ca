//! `idle`: a clique that is scaled to 0, or below its minimum, stores that before it loses a pod,
//! and is not breached before it was available again (docs/semantics.md §2.2).

use serde_json::Value;

use super::window::Window;
use super::{Checked, demand};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    match record.id.resource {
        Resource::PodClique => status(window, record),
        Resource::Pod => deletion(window, record),
        _ => Ok(()),
    }
}

fn status(window: &Window<'_>, record: &Record) -> Checked {
    let (Some(before), Some(after)) = (&record.before, &record.after) else {
        return Ok(());
    };
    if before.pointer("/status") == after.pointer("/status") {
        return Ok(());
    }
    let is_breached = view::has_condition(after, "MinAvailableBreached");
    let versions = window.of_uid(Resource::PodClique, view::uid(after));
    let is_idle = versions.iter().all(|c| replicas(c) == 0);
    let uid = view::uid(after);
    let is_up = |p: &Value| view::owner(p).is_some_and(|o| o.2 == uid) && view::is_ready(p);
    let fewest = || i64::try_from(window.fewest_pods(is_up)).unwrap_or(i64::MAX);
    let has_lost = || view::scaled_below_to(after).is_none_or(|kept| fewest() < kept);
    // A failed pod of a job counts in each start of it.
    let may_start = || !view::was_idle(after) || (view::is_job(after) && has_failed(window, uid));
    let may_be_breached = || !is_idle && may_start() && has_lost();
    demand(!is_breached || may_be_breached(), "idle", || {
        format!(
            "{} is breached though it is idle or starts again",
            record.id
        )
    })?;
    // Completed ranks of a job count, too, which other checks judge.
    if !is_noted(before) || is_noted(after) || view::is_job(after) {
        return Ok(());
    }
    let up = i64::try_from(window.most_pods(is_up)).unwrap_or(i64::MAX);
    let least = view::number(after, "/spec/minAvailable");
    demand(up >= least, "idle", || {
        format!(
            "{} passes for available with {up} of {least} pods",
            record.id
        )
    })
}

/// Whether a pod of the PodClique failed, in any observable state.
fn has_failed(window: &Window<'_>, uid: &str) -> bool {
    let is_own = |p: &Value| view::owner(p).is_some_and(|o| o.2 == uid);
    let pods = window.versions(Resource::Pod, is_own);
    pods.iter().any(|p| {
        let is_phase = view::text(p, "/status/phase") == "Failed";
        is_phase || view::exit_codes(p).iter().any(|code| *code != 0)
    })
}

fn deletion(window: &Window<'_>, record: &Record) -> Checked {
    // A pod that ended is deleted to be replaced.
    let runs = |p: &&Stored| !view::is_terminating(p) && !view::is_finished(p);
    let Some(before) = record.before.as_ref().filter(runs) else {
        return Ok(());
    };
    if record
        .after
        .as_ref()
        .is_some_and(|p| !view::is_terminating(p))
    {
        return Ok(());
    }
    let owner = view::owner(before).map_or("", |o| o.2);
    let versions = window.of_uid(Resource::PodClique, owner);
    let is_scaled =
        |c: &&Stored| !view::is_terminating(c) && !view::is_job(c) && view::was_available(c);
    let is_below = |c: &&Stored| is_scaled(c) && !view::wants_its_minimum(c);
    let is_to_zero = |c: &&Stored| is_scaled(c) && replicas(c) == 0;
    let is_known = |has: fn(&Value) -> bool| versions.iter().any(|c| has(c));
    let is_explained = (!versions.iter().all(is_below) || is_known(knows_how_few))
        && (!versions.iter().all(is_to_zero) || is_known(view::was_idle));
    demand(versions.is_empty() || is_explained, "idle", || {
        let pod = view::name(before);
        format!("{pod} is deleted, and nothing says that its PodClique was scaled down")
    })
}

/// Whether its status records that it was scaled to 0 or below its minimum.
fn is_noted(podclique: &Value) -> bool {
    view::was_idle(podclique) || view::scaled_below_to(podclique).is_some()
}

/// Whether its status records that it was scaled to 0, or to at most the desired number of pods.
fn knows_how_few(podclique: &Value) -> bool {
    let is_left = |pods| pods <= replicas(podclique);
    view::was_idle(podclique) || view::scaled_below_to(podclique).is_some_and(is_left)
}

fn replicas(podclique: &Value) -> i64 {
    view::number(podclique, "/spec/replicas")
}
