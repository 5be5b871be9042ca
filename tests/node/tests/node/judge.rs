//! Checks of sets. `Err` has the actual and the expected value.

use std::fmt::Debug;

use serde_json::Value;

use super::seen::{Seen, condition, is_ready, name, state};

/// Fails unless both are equal.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers compare what they have just read"
)]
pub fn same<T: PartialEq + Debug>(what: &str, is: T, should: T) -> Result<(), String> {
    if is == should {
        return Ok(());
    }
    Err(format!("{what} is {is:?}, should be {should:?}"))
}

/// Fails unless the text has each of these, in any case.
pub fn has(what: &str, text: &str, parts: &[&str]) -> Result<(), String> {
    let lower = text.to_lowercase();
    let missing: Vec<_> = parts
        .iter()
        .filter(|part| !lower.contains(&part.to_lowercase()))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("{what} lacks {missing:?}: {text}"))
}

/// Fails if the text has one of these, in any case.
pub fn lacks(what: &str, text: &str, parts: &[&str]) -> Result<(), String> {
    let lower = text.to_lowercase();
    let found: Vec<_> = parts
        .iter()
        .filter(|part| lower.contains(&part.to_lowercase()))
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    Err(format!("{what} has {found:?}: {text}"))
}

/// Fails unless the set is Ready for this reason.
pub fn ready(seen: &Seen, set: &str, reason: &str) -> Result<(), String> {
    same(
        "Ready",
        state(seen.set(set)?, "Ready"),
        format!("True/{reason}"),
    )
}

/// Fails unless the set is not Ready, for this reason.
pub fn not_ready(seen: &Seen, set: &str, reason: &str) -> Result<(), String> {
    let set = seen.set(set)?;
    let message = &condition(set, "Ready")["message"];
    let is = state(set, "Ready");
    same("Ready", is, format!("False/{reason}")).map_err(|error| format!("{error}: {message}"))
}

/// Fails unless the job is in this phase with that many restarts; a running job has not failed.
pub fn job(seen: &Seen, set: &str, phase: &str, restarts: u64) -> Result<(), String> {
    let set = seen.set(set)?;
    if phase == "Running" {
        let given_up = condition(set, "Failed");
        same("condition Failed", &given_up["status"], &Value::Null)
            .map_err(|error| format!("{error}: {}", given_up["message"]))?;
    }
    let is = (text(&set["status"]["phase"]), restart_count(set));
    same("(phase, restartCount)", is, (phase, restarts))
        .map_err(|error| format!("{error}; {}", condition(set, "Failed")["message"]))
}

/// `status.restartCount` of a set.
pub fn restart_count(set: &Value) -> u64 {
    set["status"]["restartCount"].as_u64().unwrap_or_default()
}

/// Fails unless the operator has seen the Ready pods of each PodClique: a pod of a job that was never
/// available is replaced without a restart.
pub fn available_is_latched(seen: &Seen) -> Result<(), String> {
    for podclique in seen.all("PodClique") {
        let pods = seen.pods_of(name(podclique)).into_iter();
        let ready = pods.filter(|pod| is_ready(pod)).count();
        let minimum = podclique["spec"]["minAvailable"].as_u64().unwrap_or(1);
        let is_latched = podclique["status"]["wasAvailable"] == true;
        if u64::try_from(ready).is_ok_and(|ready| ready >= minimum) && !is_latched {
            return Err(format!(
                "wasAvailable of {} is not true yet",
                name(podclique)
            ));
        }
    }
    Ok(())
}

/// A text; empty if there is none.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
