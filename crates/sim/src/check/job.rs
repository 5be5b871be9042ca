//! Reads training jobs in the states that the operator may have observed.

use api::labels;
use serde_json::Value;

use super::window::Window;
use crate::resource::Resource;
use crate::store::Stored;
use crate::view;

/// Why a job was given up, if it was.
pub(super) fn failed_because(set: &Value) -> Option<&str> {
    let mut conditions = view::list(set, "/status/conditions");
    let failed = conditions.find(|c| view::text(c, "/type") == "Failed")?;
    (view::text(failed, "/status") == "True").then(|| view::text(failed, "/reason"))
}

/// Its restart budget.
pub(super) fn max_restarts(set: &Value) -> i64 {
    view::number(set, "/spec/trainingSpec/maxRestarts")
}

/// The attempt that a PodClique was created in.
pub(super) fn attempt_of(podclique: &Value) -> i64 {
    let attempt = view::label(podclique, labels::ATTEMPT);
    attempt.parse().unwrap_or(0)
}

/// All states of the owner.
pub(super) fn owners<'a>(window: &Window<'a>, object: &Value) -> Vec<&'a Stored> {
    let (kind, _, uid) = view::owner(object).unwrap_or_default();
    window.of_uid(kind.parse().unwrap_or(Resource::Event), uid)
}

/// More levels than there are from a pod to its set, even if chaos puts other objects between them.
/// Chaos may make objects control each other in a circle, too.
pub(super) const LEVELS: usize = 8;

/// All states of the set that an object is a part of, itself included; none for an object in a
/// circle.
pub(super) fn sets<'a>(window: &Window<'a>, object: &Value) -> Vec<&'a Stored> {
    sets_within(window, object, LEVELS)
}

fn sets_within<'a>(window: &Window<'a>, object: &Value, levels: usize) -> Vec<&'a Stored> {
    let set = view::set_of(object);
    if view::owner(object).is_none() && view::name(object) != set {
        // It has no controller at the moment: it belongs to the object of that name.
        return window.versions(Resource::PodCliqueSet, |s| view::name(s) == set);
    }
    if view::owner(object).is_none() {
        return window.of_uid(Resource::PodCliqueSet, view::uid(object));
    }
    let owners = owners(window, object);
    match owners.first() {
        Some(owner) if view::name(owner) == set => owners,
        Some(owner) if levels > 1 => sets_within(window, owner, levels - 1),
        Some(_) => Vec::new(),
        None => owners,
    }
}
