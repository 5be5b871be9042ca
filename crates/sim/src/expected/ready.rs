//! The final condition `Ready`.

use serde_json::Value;

use crate::check::units::has_partitions;
use crate::check::updates::{is_partitioned, is_paused};
use crate::view;

/// Every desired pod runs, or none is desired.
pub(super) fn all_of(object: &Value) -> Option<String> {
    is_asked_for(object, view::number(object, "/spec/replicas") > 0)
}

/// The same for a set, whose parts may all be scaled to zero.
pub(super) fn is_asked_for(object: &Value, runs: bool) -> Option<String> {
    if !runs {
        return is(object, &["True/ScaledToZero"]);
    }
    if is_paused(object) {
        return is(object, &["True/AllReady", "True/UpdatePaused"]);
    }
    if is_partitioned(object) || has_partitions(object) {
        return is(object, &["True/AllReady", "True/UpdatePartitioned"]);
    }
    is(object, &["True/AllReady"])
}

/// The gang's guaranteed pods run.
pub(super) fn gang(gang: &Value) -> Option<String> {
    is(gang, &["True/GuaranteedPodsReady"])
}

/// The condition shows how the job ended.
pub(super) fn job(set: &Value, phase: &str) -> Option<String> {
    match phase {
        "Succeeded" => is(set, &["True/WorkloadSucceeded"]),
        "Failed" => is(
            set,
            &["False/MaxRestartsExceeded", "False/MaxRuntimeExceeded"],
        ),
        _ => all_of(set),
    }
}

/// The set has no pod on purpose.
pub(super) fn suspended(set: &Value) -> Option<String> {
    is(set, &["False/Suspended"])
}

fn is(object: &Value, right: &[&str]) -> Option<String> {
    let mut conditions = view::list(object, "/status/conditions");
    let ready = conditions.find(|c| view::text(c, "/type") == "Ready");
    let said = ready.map_or(String::new(), |c| {
        format!("{}/{}", view::text(c, "/status"), view::text(c, "/reason"))
    });
    let name = view::name(object);
    (!right.contains(&said.as_str())).then(|| format!("{name}: Ready is {said}, not {right:?}"))
}
