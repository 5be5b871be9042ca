//! Reading objects that are JSON.

use std::collections::BTreeSet;

use api::{labels, start_order};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// The value at this pointer. `Value::pointer` unescapes each key into a text of its own, which
/// takes a fifteenth of the time of the whole ring.
pub fn at<'a>(object: &'a Value, pointer: &str) -> Option<&'a Value> {
    if pointer.contains('~') || !pointer.starts_with('/') {
        return object.pointer(pointer);
    }
    pointer
        .split('/')
        .skip(1)
        .try_fold(object, |value, key| match value {
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            _ => value.get(key),
        })
}

/// Text at this pointer, empty if there is none.
pub fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    at(object, pointer).and_then(Value::as_str).unwrap_or("")
}

/// Number at this pointer, 0 if there is none.
pub fn number(object: &Value, pointer: &str) -> i64 {
    at(object, pointer).and_then(Value::as_i64).unwrap_or(0)
}

/// List at this pointer.
pub fn list<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    at(object, pointer)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Name.
pub fn name(object: &Value) -> &str {
    text(object, "/metadata/name")
}

/// Namespace.
pub fn namespace(object: &Value) -> &str {
    text(object, "/metadata/namespace")
}

/// Uid.
pub fn uid(object: &Value) -> &str {
    text(object, "/metadata/uid")
}

/// The value of a label, empty if there is none.
pub fn label<'a>(object: &'a Value, key: &str) -> &'a str {
    let labels = at(object, "/metadata/labels");
    labels
        .and_then(|l| l.get(key))
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// The value of an annotation, empty if there is none.
pub fn annotation<'a>(object: &'a Value, key: &str) -> &'a str {
    let annotations = at(object, "/metadata/annotations");
    annotations
        .and_then(|a| a.get(key))
        .and_then(Value::as_str)
        .unwrap_or("")
}

/// Whether a pod's containers wait for the release of its start.
pub fn awaits_start(pod: &Value) -> bool {
    let mut volumes = list(pod, "/spec/volumes");
    volumes.any(|v| text(v, "/name") == start_order::VOLUME)
        && !start_order::is_start(annotation(pod, labels::START))
}

/// Whether deletion was requested.
pub fn is_terminating(object: &Value) -> bool {
    at(object, "/metadata/deletionTimestamp").is_some()
}

/// The controlling owner: kind, name, uid.
pub fn owner(object: &Value) -> Option<(&str, &str, &str)> {
    let reference = list(object, "/metadata/ownerReferences")
        .find(|o| at(o, "/controller") == Some(&Value::Bool(true)))?;
    Some((
        text(reference, "/kind"),
        text(reference, "/name"),
        text(reference, "/uid"),
    ))
}

/// Whether the garbage collector has to release its dependents.
pub fn is_orphaning(object: &Value) -> bool {
    list(object, "/metadata/finalizers").any(|f| f == api::labels::ORPHAN_FINALIZER)
}

/// Whether the condition is True.
pub fn has_condition(object: &Value, type_: &str) -> bool {
    list(object, "/status/conditions")
        .any(|c| text(c, "/type") == type_ && text(c, "/status") == "True")
}

/// Whether a pod ended.
pub fn is_finished(pod: &Value) -> bool {
    matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// Whether the app containers of a pod have ended and are not started again; its phase may say so later.
pub fn has_run_out(pod: &Value) -> bool {
    let policy = text(pod, "/spec/restartPolicy");
    let stays_ended = |c: &Value| {
        let code = at(c, "/state/terminated/exitCode").and_then(Value::as_i64);
        code.is_some_and(|code| policy == "Never" || (policy == "OnFailure" && code == 0))
    };
    let mut containers = list(pod, "/status/containerStatuses").peekable();
    containers.peek().is_some() && containers.all(stays_ended)
}

/// Whether a pod has ended, or will say so.
pub fn has_ended(pod: &Value) -> bool {
    is_finished(pod) || has_run_out(pod)
}

/// Whether a pod exists, stays and has not ended.
pub fn is_live(pod: &Value) -> bool {
    !is_terminating(pod) && !is_finished(pod)
}

/// Whether a pod is Ready and stays.
pub fn is_ready(pod: &Value) -> bool {
    is_live(pod) && has_condition(pod, "Ready")
}

/// Index of a pod in its PodClique, by hostname.
pub fn index(pod: &Value) -> Option<i64> {
    text(pod, "/spec/hostname").rsplit_once('-')?.1.parse().ok()
}

/// Names of a pod's gates.
pub fn gates(pod: &Value) -> Vec<&str> {
    list(pod, "/spec/schedulingGates")
        .map(|g| text(g, "/name"))
        .collect()
}

/// Whether a pod succeeded without having been deleted.
pub fn is_completed(pod: &Value) -> bool {
    text(pod, "/status/phase") == "Succeeded" && !is_terminating(pod)
}

/// Exit codes of the containers that ended.
pub fn exit_codes(pod: &Value) -> Vec<i64> {
    let containers = list(pod, "/status/containerStatuses");
    containers
        .filter_map(|c| at(c, "/state/terminated/exitCode")?.as_i64())
        .collect()
}

/// Whether a PodClique's status records that it was available once.
pub fn was_available(podclique: &Value) -> bool {
    at(podclique, "/status/wasAvailable") == Some(&Value::Bool(true))
}

/// Whether a PodClique's status records that it was scaled to 0 since it was available.
pub fn was_idle(podclique: &Value) -> bool {
    at(podclique, "/status/wasIdle") == Some(&Value::Bool(true))
}

/// The number of pods that a PodClique kept, by its status, when it was scaled below its minimum.
pub fn scaled_below_to(podclique: &Value) -> Option<i64> {
    at(podclique, "/status/scaledBelowTo")?.as_i64()
}

/// Whether the desired pods of a PodClique reach its minimum.
pub fn wants_its_minimum(podclique: &Value) -> bool {
    number(podclique, "/spec/replicas") >= number(podclique, "/spec/minAvailable")
}

/// Whether a set, or a part of it, is a training job.
pub fn is_job(object: &Value) -> bool {
    text(object, "/spec/workloadType") == "Training"
}

/// Whether a set is a job that was given up or is over.
pub fn is_over(set: &Value) -> bool {
    has_condition(set, "Failed") || is_terminal(set)
}

/// Whether the phase of a set is one that never changes again.
pub fn is_terminal(set: &Value) -> bool {
    matches!(text(set, "/status/phase"), "Succeeded" | "Failed")
}

/// Indexes of a PodClique whose work is done, as stored.
pub fn completed(podclique: &Value) -> BTreeSet<i64> {
    text(podclique, "/status/completedIndices")
        .split(',')
        .filter_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some((first.parse::<i64>().ok()?, last.parse::<i64>().ok()?))
        })
        .flat_map(|(first, last)| first..=last)
        .collect()
}

/// The entry of a replica in a list of attempts.
pub fn attempt_entry(object: &Value, replica: i64) -> Option<&Value> {
    list(object, "/status/replicaAttempts").find(|a| number(a, "/replica") == replica)
}

/// Name of the PodCliqueSet that a child belongs to, from its own name, which cannot be edited.
/// Names of sets contain no hyphen here.
pub fn set_of(child: &Value) -> &str {
    name(child).split('-').next().unwrap_or_default()
}

/// Index of the PodCliqueSet replica of a child, from its name, too.
pub fn replica(child: &Value) -> Option<i64> {
    name(child).split('-').nth(1)?.parse().ok()
}

/// The attempt of a replica.
pub fn attempt(object: &Value, replica: i64) -> i64 {
    attempt_entry(object, replica).map_or(0, |a| number(a, "/attempt"))
}

/// The replica of which a user asks for a restart, and the attempt that ends.
pub fn asked_restart(set: &Value) -> Option<(i64, i64)> {
    let asked: Value = serde_json::from_str(annotation(set, labels::RESTART_REPLICA)).ok()?;
    let number = |field| asked.get(field).and_then(Value::as_i64);
    Some((number("replica")?, number("attempt")?))
}

/// Whether a PodClique is latched as done in the present attempt of its replica.
pub fn is_latched(set: &Value, replica: i64, podclique: &str) -> bool {
    let entry = attempt_entry(set, replica);
    entry.is_some_and(|e| list(e, "/succeeded").any(|n| n == podclique))
}

/// A time.
pub fn time(object: &Value, pointer: &str) -> Option<Timestamp> {
    text(object, pointer).parse().ok()
}

/// A duration such as `90s` or `5m`.
pub fn duration(object: &Value, pointer: &str) -> Option<SignedDuration> {
    text(object, pointer).parse().ok()
}

/// Whether the set is suspended, by its condition.
pub fn is_suspended(set: &Value) -> bool {
    has_condition(set, "Suspended") && !is_over(set)
}

/// When a job has run for too long; none while that stands still: it is suspended, or no gang of it has
/// quota.
pub fn deadline(set: &Value) -> Option<Timestamp> {
    let limit = duration(set, "/spec/trainingSpec/maxRuntime")?;
    let stood = duration(set, "/status/suspension/total").unwrap_or_default();
    let start = time(set, "/status/startTime")?;
    let at = start.checked_add(limit.checked_add(stood)?).ok()?;
    let since = time(set, "/status/suspension/since").filter(|_| !is_over(set));
    since.is_none_or(|since| at <= since).then_some(at)
}
