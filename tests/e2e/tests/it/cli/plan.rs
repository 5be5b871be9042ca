//! `plan`: its prediction, and the result.

mod examples;
mod live;
pub mod objects;
mod refused;
mod strategies;

use std::process::Output;

use serde_json::Value;

use crate::harness::control_plane::fed;
use crate::harness::{Namespace, Seen, same};

/// The output of `plan --live` for this manifest, and whether it found a difference; it changes
/// nothing.
pub fn plan_live(ns: &Namespace<'_>, manifest: &Value) -> (Value, Option<i32>) {
    // The operator may still be writing a status: a write in each try would be one of the plan.
    let output = ns.until("nothing is written while it plans", |seen| {
        // A kind is read on request.
        let before = versions(seen);
        let output = run_live(ns, manifest, "json");
        let after = ns.look().unwrap();
        same("versions", &before, &versions(&after))?;
        Ok(output)
    });
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.is_empty(), "{error}");
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    (plan["sets"][0].clone(), output.status.code())
}

fn run_live(ns: &Namespace<'_>, manifest: &Value, format: &str) -> Output {
    let mut command = ns.grove_command(&["plan", "-", "--live", "-o", format]);
    fed(&mut command, manifest)
}

fn versions(seen: &Seen) -> Vec<&Value> {
    let all = seen.everything().into_iter();
    all.map(|object| &object["metadata"]["resourceVersion"])
        .collect()
}
