//! I36: an index whose pods end soon after their start is filled more slowly each time: the number
//! of such ends goes from pod to pod.

use jiff::SignedDuration;
use serde_json::Value;

use super::window::Window;
use super::{Checked, OPERATOR, demand};
use crate::resource::Resource;
use crate::store::Record;
use crate::view;

/// Shorter than a long life, by the time that a log may be behind the clocks of pods.
const SHORT: SignedDuration = SignedDuration::from_mins(9);
const POD_FAILURE_COUNT: &str = "/metadata/annotations/grove.io~1pod-failure-count";

/// `since` is the length of the log when the operator started: it remembers nothing from before.
pub(super) fn check(window: &Window<'_>, pod: &Value, since: usize) -> Checked {
    let Some(last) = last_holder(window, pod, since) else {
        return Ok(());
    };
    let (expected, carried) = (failure_count(&last.last) + 1, failure_count(pod));
    demand(carried == expected, "I36", || {
        let name = view::name(pod);
        format!("{name} carries {carried} quick ends of its slot, there were {expected}")
    })
}

pub(super) fn failure_count(pod: &Value) -> i64 {
    view::text(pod, POD_FAILURE_COUNT).parse().unwrap_or(0)
}

/// The end of the last pod of the index, if the operator itself replaced it because it had ended,
/// soon after its start.
fn last_holder<'a>(window: &Window<'a>, pod: &Value, since: usize) -> Option<&'a Record> {
    let log = window.store.log.get(since..window.position)?;
    let is_holder = |r: &&Record| {
        r.id.resource == Resource::Pod
            && view::owner(&r.last).map(|o| o.2) == view::owner(pod).map(|o| o.2)
            && view::index(&r.last) == view::index(pod)
    };
    let last = log.iter().rev().find(is_holder)?;
    let deletion = log.iter().rev().find(|r| {
        let stayed = |o: &Value| !view::is_terminating(o);
        let is_end = r.after.as_ref().is_none_or(|o| !stayed(o));
        view::uid(&r.last) == view::uid(&last.last)
            && is_end
            && r.before.as_ref().is_some_and(|o| stayed(o))
    })?;
    let ended = deletion.before.as_ref().filter(|o| view::is_finished(o))?;
    let born = view::time(ended, "/metadata/creationTimestamp")?;
    let is_quick = deletion.time.duration_since(born) < SHORT;
    (last.after.is_none() && deletion.actor == OPERATOR && is_quick).then_some(last)
}
