//! The cases.

mod failing;
mod good;
mod odd;

use serde_json::Value;

use super::ends::{Case, Failure};
use crate::sets::{clique, job, sh, with_pod};

/// All cases.
pub(super) fn cases() -> Vec<Case> {
    [good::cases(), failing::cases(), odd::cases()]
        .into_iter()
        .flatten()
        .collect()
}

/// A script that writes a word to the log and to the termination message and ends with that code,
/// some time after its pod was Ready.
fn fails(code: u32) -> String {
    format!("sleep 2; echo the-word-{code} | tee /dev/termination-log; exit {code}")
}

/// The recorded failure of [`fails`].
fn failure(pod: &'static str, code: i64) -> Failure {
    Failure {
        pod,
        reason: "Error",
        code: Some(code),
        word: "the-word",
        container: "main",
    }
}

/// A clique of one shell script, whose containers end it.
fn ranks(name: &str, replicas: u32, script: &str) -> Value {
    clique(name, replicas, &[sh(script)])
}

fn on_failure(clique: Value) -> Value {
    with_pod(clique, &serde_json::json!({"restartPolicy": "OnFailure"}))
}

/// A job of these cliques without restarts that succeeds.
fn succeeds(name: &'static str, finding: &'static str, cliques: &[Value]) -> Case {
    Case {
        name,
        finding,
        job: job("job", 0, cliques),
        phase: "Succeeded",
        restarts: 0,
        failures: Vec::new(),
        said: &[],
        not_said: &[],
        keeps_logs: false,
        in_soak_only: false,
    }
}

/// A job of these cliques without restarts that fails with this failure.
fn gives_up(
    name: &'static str,
    finding: &'static str,
    cliques: &[Value],
    failures: Vec<Failure>,
    said: &'static [&'static str],
) -> Case {
    Case {
        phase: "Failed",
        keeps_logs: true,
        failures,
        said,
        not_said: &["Completed"],
        ..succeeds(name, finding, cliques)
    }
}
