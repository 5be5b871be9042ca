//! I12, I17, I30: the content of statuses.

use serde_json::Value;

use super::window::Window;
use super::{Checked, demand};
use crate::resource::Resource;
use crate::store::Record;
use crate::view;

pub(super) fn check(window: &Window<'_>, record: &Record) -> Checked {
    let Some(after) = &record.after else {
        return Ok(());
    };
    if let Some(before) = &record.before {
        observed(record, before, after)?;
        flips(record, before, after)?;
    }
    // An adoption alone does not renew the statement of a status.
    let says = |o: &Value| o.get("status").cloned();
    let is_said = record
        .before
        .as_ref()
        .is_none_or(|b| says(b) != says(after));
    if record.id.resource == Resource::PodGang && is_said {
        initialized(window, after)?;
    }
    Ok(())
}

/// I30: no status is based on an older spec than the one before. A refused set, or one whose newest
/// template is refused, has no observed generation, as it acted on none.
fn observed(record: &Record, before: &Value, after: &Value) -> Checked {
    let pointer = "/status/observedGeneration";
    let (was, is) = (view::number(before, pointer), view::number(after, pointer));
    let mut conditions = view::list(after, "/status/conditions");
    let is_refused = conditions.any(|c| view::text(c, "/reason") == "TemplateRefused");
    let is_stalled = view::has_condition(after, "Stalled");
    let says_none = after.pointer(pointer).is_none() && (is_stalled || is_refused);
    demand(was <= is || says_none, "I30", || {
        format!("{}: observedGeneration {was} became {is}", record.id)
    })
}

/// I17: the time of a condition changes only with its status, and is never in the future.
fn flips(record: &Record, before: &Value, after: &Value) -> Checked {
    for is in view::list(after, "/status/conditions") {
        let type_ = view::text(is, "/type");
        let mut earlier = view::list(before, "/status/conditions");
        let Some(was) = earlier.find(|c| view::text(c, "/type") == type_) else {
            continue;
        };
        let time = |c| view::text(c, "/lastTransitionTime");
        let has_flipped = view::text(was, "/status") != view::text(is, "/status");
        demand(has_flipped || time(was) == time(is), "I17", || {
            let (was, is) = (time(was), time(is));
            format!("{}: {type_} did not flip, but {was} became {is}", record.id)
        })?;
        let stamp: Option<jiff::Timestamp> = time(is).parse().ok();
        demand(stamp.is_none_or(|at| at <= record.time), "I17", || {
            format!("{}: {type_} flips in the future", record.id)
        })?;
    }
    Ok(())
}

/// I12 (docs/semantics.md §8.2): a gang is initialised while it lists a pod that exists, or needs
/// none any more.
fn initialized(window: &Window<'_>, gang: &Value) -> Checked {
    if !view::has_condition(gang, "Initialized") {
        return Ok(());
    }
    let is_listed = |pod: &Value| super::gangs::lists(gang, view::name(pod));
    let pods = window.versions(Resource::Pod, is_listed);
    let has_part = |podclique: &Value| {
        let mut parts = view::list(gang, "/spec/podgroups");
        parts.any(|part| view::text(part, "/name") == view::name(podclique))
    };
    let is_done = |c: &Value| has_part(c) && !view::completed(c).is_empty();
    let done = || window.versions(Resource::PodClique, is_done);
    demand(!pods.is_empty() || !done().is_empty(), "I12", || {
        format!("{} is initialised without any pod", view::name(gang))
    })
}
