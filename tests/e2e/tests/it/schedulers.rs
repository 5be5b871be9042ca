//! Objects through which schedulers receive gangs. None of these schedulers runs here: the tests
//! check the objects.

mod kai;
pub mod kubernetes;
mod kueue;
mod removed;
mod topologies;
mod volcano;

use serde_json::{Value, json};

use crate::harness::control_plane::{ControlPlane, folder};
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, group, set};
use crate::harness::operator::Operator;
use crate::harness::seen::gates;
use crate::harness::{Namespace, Seen, condition, same, wait};

const UNSUPPORTED: &str = "SchedulingFeatureUnsupported";

/// A router, and a group of two replicas, one of them required.
fn workload(scheduler: &str) -> Value {
    let mut cliques = [clique("router", 2), clique("worker", 3)];
    for clique in &mut cliques {
        clique["spec"]["podSpec"]["schedulerName"] = json!(scheduler);
    }
    let mut workload = set("svc", &cliques, &[group("grp", "worker", 2, 1)]);
    workload["spec"]["template"]["terminationDelay"] = json!("1s");
    workload
}

/// An operator with a profile for this scheduler.
fn started(control_plane: &ControlPlane, scheduler: &str) -> Operator {
    let profile = format!("config.scheduler.profiles[0].name={scheduler}");
    let installation = Installation::on(control_plane, &[&profile]);
    let dir = folder(&format!("{scheduler}-operator"));
    let operator = Operator::start(&installation, &dir).unwrap();
    operator.wait_until_ready().unwrap();
    operator
}

/// The PodGroup that the gang controls.
fn pod_group(ns: &Namespace<'_>, kind: &str, gang: &str) -> Result<Value, String> {
    let list = ns.command(&["get", kind, "--output=json"]).output();
    let list = list.map_err(|error| error.to_string())?;
    let list: Value = serde_json::from_slice(&list.stdout).map_err(|error| error.to_string())?;
    let all = list["items"].as_array().into_iter().flatten();
    let mut of_gang = all.filter(|g| g["metadata"]["ownerReferences"][0]["name"] == gang);
    let found = of_gang.next().cloned();
    found.ok_or_else(|| format!("{gang} has no PodGroup"))
}

/// The condition of the set, or its base gang, about the scheduler.
fn expect_unsupported(seen: &Seen, kind: &str, wanted: &str) -> Result<(), String> {
    let called = if kind == "PodGang" { "svc-0" } else { "svc" };
    let unsupported = condition(seen.one(kind, called)?, UNSUPPORTED);
    same(kind, &unsupported.as_str(), &wanted)
}

/// The pods of the base gang exist, and their gates are present, or removed.
fn expect_gates(seen: &Seen, are_closed: bool) -> Result<(), String> {
    let base = ["svc-0-router", "svc-0-grp-0-worker"];
    let pods: Vec<&Value> = base.iter().flat_map(|part| seen.pods(part)).collect();
    same("pods of the base gang", &pods.len(), &5)?;
    for pod in pods {
        same("gated", &!gates(pod).is_empty(), &are_closed)?;
    }
    Ok(())
}

/// The operator reports that the scheduler is missing; then it is installed and everything
/// continues. The gang may report another cause by then.
fn install_late(
    control_plane: &ControlPlane,
    ns: &Namespace<'_>,
    definition: &str,
    afterwards: &str,
) {
    ns.until("a missing scheduler is reported", |seen| {
        expect_unsupported(seen, "PodCliqueSet", "True/SchedulerNotInstalled")?;
        expect_unsupported(seen, "PodGang", "True/SchedulerNotInstalled")?;
        expect_gates(seen, true)
    });
    control_plane.kubectl(["apply", "-f", definition]);
    ns.within(2 * wait::DEADLINE, "it goes on", |seen| {
        expect_unsupported(seen, "PodCliqueSet", "")?;
        expect_unsupported(seen, "PodGang", afterwards)?;
        expect_gates(seen, false)
    });
}
