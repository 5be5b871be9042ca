//! I8, I9, I11: the operator's writes to PodGangs.

use std::collections::BTreeSet;

use api::labels;
use serde_json::Value;

use super::window::Window;
use super::{Checked, demand, joining};
use crate::resource::Resource;
use crate::store::{Record, Stored};
use crate::view;

/// Whether the gang lists this pod.
pub(super) fn lists(gang: &Value, pod: &str) -> bool {
    references(gang).any(|name| name == pod)
}

fn references(gang: &Value) -> impl Iterator<Item = &str> {
    view::list(gang, "/spec/podgroups").flat_map(references_of)
}

/// Names of the listed pods of one part.
pub(super) fn references_of(group: &Value) -> impl Iterator<Item = &str> {
    view::list(group, "/podReferences").map(|r| view::text(r, "/name"))
}

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    let Some(after) = &record.after else {
        return Ok(());
    };
    let before = record.before.as_deref();
    if before.is_some_and(|b| b.get("spec") == after.get("spec")) {
        return Ok(());
    }
    for name in references(after) {
        let pods = window.versions(Resource::Pod, |p| view::name(p) == name);
        demand(!pods.is_empty(), "I11", || {
            format!(
                "{} lists pod {name}, which does not exist",
                view::name(after)
            )
        })?;
    }
    // A gang that lists no pod exists before it starts, for a scheduler that looks for it.
    let is_start = references(after).next().is_some() && is_start(window, before);
    if is_start {
        complete(window, after)?;
        if !window.has_trees {
            base_ready(window, after)?;
        }
    }
    joining::check(window, before, after, is_start)
}

/// Whether the gang listed no pod that existed in the window.
fn is_start(window: &Window<'_>, before: Option<&Value>) -> bool {
    before.is_none_or(|before| {
        references(before).all(|name| {
            let is_there = |p: &Value| view::name(p) == name && !view::is_terminating(p);
            window.versions(Resource::Pod, is_there).is_empty()
        })
    })
}

/// Every part has its minimum, except parts that keep their place while others, which were up, come
/// back without them.
fn complete(window: &Window<'_>, gang: &Value) -> Checked {
    let may_have_been_up = |group: &&Value| {
        let part = view::text(group, "/name");
        let parts = window.versions(Resource::PodClique, |q| view::name(q) == part);
        let was_up = |q: &&Stored| view::was_available(q) && !view::was_idle(q);
        references_of(group).next().is_some() && parts.iter().any(was_up)
    };
    let is_return = view::list(gang, "/spec/podgroups").any(|g| may_have_been_up(&g));
    for group in view::list(gang, "/spec/podgroups") {
        let part = view::text(group, "/name");
        let parts = window.versions(Resource::PodClique, |q| view::name(q) == part);
        let done = done(&parts).len();
        if is_latched(window, gang, part) {
            continue;
        }
        let count = view::list(group, "/podReferences").count();
        let least = view::number(group, "/minReplicas");
        let has_all = i64::try_from(count + done).unwrap_or(0) >= least;
        let enough = has_all || (is_return && count == 0);
        demand(enough, "I8", || {
            let (gang, group) = (view::name(gang), view::text(group, "/name"));
            format!("{gang} starts with {count} of {least} pods of {group}")
        })?;
    }
    Ok(())
}

/// Whether, in an observable state of the set, the part has done its work: it needs no pod, even if
/// its PodClique is gone.
pub(super) fn is_latched(window: &Window<'_>, gang: &Value, part: &str) -> bool {
    let replica = view::replica(gang).unwrap_or(-1);
    let sets = super::job::sets(window, gang);
    sets.iter().any(|s| view::is_latched(s, replica, part))
}

/// Indexes whose work may have been observed as done: they need no pod any more.
pub(super) fn done(parts: &[&Stored]) -> BTreeSet<i64> {
    parts.iter().flat_map(|q| view::completed(q)).collect()
}

/// A scaled gang starts when each part of the base gang had its minimum of pods Ready or done.
fn base_ready(window: &Window<'_>, gang: &Value) -> Checked {
    let parts: Vec<&str> = view::list(gang, "/spec/podgroups")
        .map(|g| view::text(g, "/name"))
        .collect();
    let own = window.versions(Resource::PodClique, |q| parts.contains(&view::name(q)));
    let Some(base) = own
        .iter()
        .map(|q| view::label(q, labels::BASE_POD_GANG))
        .find(|b| !b.is_empty() && *b != "edited")
    else {
        return Ok(());
    };
    let is_base = |q: &Value| {
        view::label(q, labels::POD_GANG) == base && view::label(q, labels::BASE_POD_GANG).is_empty()
    };
    let base_parts: Vec<_> = window
        .all(Resource::PodClique)
        .filter(|(_, q)| is_base(q))
        .collect();
    for (_, part) in base_parts {
        let (most, least) = up(window, view::uid(part));
        demand(most >= least, "I9", || {
            let (gang, part) = (view::name(gang), view::name(part));
            format!("scaled gang {gang} starts, but {part} had {most} of {least} pods Ready")
        })?;
    }
    Ok(())
}

/// How many pods of the PodClique may have been observed as Ready or done, and how many have to be.
pub(super) fn up(window: &Window<'_>, uid: &str) -> (i64, i64) {
    let minimum =
        |q: &Value| view::number(q, "/spec/minAvailable").min(view::number(q, "/spec/replicas"));
    let versions = window.of_uid(Resource::PodClique, uid);
    let least = versions.iter().map(|q| minimum(q)).min().unwrap_or(0);
    let done = done(&versions);
    let is_job = versions.iter().any(|q| view::is_job(q));
    let is_up = |p: &Value| {
        let is_own = view::owner(p).is_some_and(|o| o.2 == uid);
        let is_counted = view::index(p).is_some_and(|k| done.contains(&k));
        is_own && !is_counted && (view::is_ready(p) || (is_job && view::is_completed(p)))
    };
    // A live read is newer than the watch's view of the other pods: not all of them need to have
    // existed at one moment.
    let up = window.versions(Resource::Pod, is_up);
    let slots: BTreeSet<Option<i64>> = up.iter().map(|p| view::index(p)).collect();
    let most = i64::try_from(slots.len() + done.len()).unwrap_or(0);
    (most, least)
}
