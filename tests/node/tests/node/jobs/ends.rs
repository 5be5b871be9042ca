//! The end of a job, and its records.

use std::time::Duration;

use serde_json::Value;

use crate::judge::{has, job, lacks, same, text};
use crate::namespace::Namespace;
use crate::seen::{Seen, condition, name};

/// A job and its end.
pub struct Case {
    pub name: &'static str,
    pub finding: &'static str,
    /// The job, called `job`.
    pub job: Value,
    /// Its final phase.
    pub phase: &'static str,
    /// The number of its restarts.
    pub restarts: u64,
    /// Its failures, in any order.
    pub failures: Vec<Failure>,
    /// Further texts in the message of its end, besides the exit code of its failures.
    pub said: &'static [&'static str],
    /// Texts that neither the message nor an event contains.
    pub not_said: &'static [&'static str],
    /// Whether pods and logs of the last attempt's failures still exist.
    pub keeps_logs: bool,
    pub in_soak_only: bool,
}

/// One of `status.lastFailures`.
#[derive(Clone, Copy)]
pub struct Failure {
    /// Part of the pod's name.
    pub pod: &'static str,
    /// `OOMKilled`, `Error`; empty if several are possible.
    pub reason: &'static str,
    /// Exit code of the container; `None` if it does not matter.
    pub code: Option<i64>,
    /// A word of its termination message.
    pub word: &'static str,
    /// The container whose log has that word, too.
    pub container: &'static str,
}

impl Failure {
    fn is_in(&self, kept: &Value) -> bool {
        text(&kept["pod"]).starts_with(self.pod)
            && [text(&kept["reason"]), ""].contains(&self.reason)
            && self.code.is_none_or(|code| kept["exitCode"] == code)
            && text(&kept["message"]).contains(self.word)
    }
}

/// The kubelet's word for a container that needed more memory than its limit.
const OUT_OF_MEMORY: &str = "OOMKilled";

/// Including a grace period or a back-off.
const LIMIT: Duration = Duration::from_mins(3);

/// The end, and the traces of it.
pub fn as_it_should(ns: &Namespace, case: &Case) {
    ns.apply(&[&case.job]);
    let end = |seen: &Seen| {
        let phase = text(&seen.set("job")?["status"]["phase"]).to_owned();
        ["Succeeded", "Failed"]
            .contains(&&*phase)
            .then_some(())
            .ok_or(phase)
    };
    ns.within(LIMIT, "the job ends", end);
    let seen = ns.look().unwrap();
    job(&seen, "job", case.phase, case.restarts).unwrap();
    let set = seen.set("job").unwrap();
    let reported = as_reported(case, &seen);
    let failures = reported.as_ref().unwrap_or(&case.failures);
    failures_are_kept(set, failures).unwrap();
    if case.phase == "Failed" {
        let said = if reported.is_some() { &[] } else { case.said };
        end_is_explained(ns, set, case, said).unwrap();
    }
    if case.keeps_logs {
        logs_are_kept(ns, set, failures).unwrap();
    }
}

/// The failures as the kubelet reported them, if it reported an end for lack of memory as `Error`:
/// containerd may learn of the kill after the end. The operator keeps the kubelet's own word.
fn as_reported(case: &Case, seen: &Seen) -> Option<Vec<Failure>> {
    let is_expected = case.failures.iter().any(|f| f.reason == OUT_OF_MEMORY);
    let is_late = |pod: &&Value| {
        let end = &pod["status"]["containerStatuses"][0]["state"]["terminated"];
        end["exitCode"] == 137 && end["reason"] == "Error"
    };
    let pods = seen.pods();
    let late = pods.into_iter().find(is_late).filter(|_| is_expected)?;
    println!("the kubelet reported Error for {}", name(late));
    let reported = case.failures.iter().map(|failure| match failure.reason {
        OUT_OF_MEMORY => Failure {
            reason: "Error",
            ..*failure
        },
        _ => *failure,
    });
    Some(reported.collect())
}

/// Finding 2. Of ranks that fail together the first decides: the others may be ended before they
/// fail.
fn failures_are_kept(set: &Value, should: &[Failure]) -> Result<(), String> {
    let kept = set["status"]["lastFailures"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    if let Some(other) = kept
        .iter()
        .find(|kept| !should.iter().any(|f| f.is_in(kept)))
    {
        return Err(format!("lastFailures has {other}"));
    }
    let is_there = |failure: &&Failure| kept.iter().any(|kept| failure.is_in(kept));
    let there = should.iter().filter(is_there).count();
    same("the failures that are kept", there, should.len())?;
    let enough = kept.len() >= should.len();
    enough
        .then_some(())
        .ok_or_else(|| format!("only {} in lastFailures: {kept:?}", kept.len()))
}

/// Finding 7: the failed container and its code, in every report of the end.
fn end_is_explained(
    ns: &Namespace,
    set: &Value,
    case: &Case,
    words: &[&str],
) -> Result<(), String> {
    let said = text(&condition(set, "Failed")["message"]).to_owned();
    let explained = ns.explain("job");
    for (place, text) in [("the message of Failed", &said), ("explain", &explained)] {
        has(place, text, words)?;
        lacks(place, text, case.not_said)?;
    }
    let events = [
        "PodCliqueFailed",
        "ReplicaRestarting",
        "MaxRestartsExceeded",
    ];
    for (text, _) in events.iter().flat_map(|reason| ns.events(reason)) {
        lacks("an event", &text, case.not_said)?;
    }
    Ok(())
}

/// Finding 2: failed pods of the last attempt exist, with their logs. A rank that failed in the
/// moment of the job's end may be deleted, because its kubelet had not reported its end yet
/// (decision 156).
fn logs_are_kept(ns: &Namespace, set: &Value, failures: &[Failure]) -> Result<(), String> {
    let seen = ns.look()?;
    let last = set["status"]["lastFailures"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let of_last = last.iter().map(|failure| text(&failure["pod"]));
    let there: Vec<_> = of_last
        .filter(|pod| seen.pods().iter().any(|p| name(p) == *pod && stays(p)))
        .collect();
    let pod = there
        .first()
        .ok_or_else(|| format!("no pod that failed is left of {last:?}"))?;
    let Some(failure) = failures.first() else {
        return Ok(());
    };
    let log = ns.kubectl(&["logs", pod, "-c", failure.container]);
    has("the log", &log, &[failure.word])
}

fn stays(pod: &Value) -> bool {
    pod["metadata"]["deletionTimestamp"].is_null()
}
