//! Kubernetes' own scheduler, which does run here: gangs are placed as a whole or not at all.

mod claims;
mod coherent;
pub mod nodes;
mod pairs;
mod preemption;
mod room;
mod scenarios;
mod surge;
mod surge_evicted;
mod surge_of_clique;
mod switch;
mod topology;
mod tree;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::control_plane::folder;
use crate::harness::namespace::called;
use crate::harness::operator::Operator;
use crate::harness::{Namespace, Seen, condition, same, site};

/// A clique whose pods need a node each.
fn clique(name: &str, resource: &str, replicas: u32) -> Value {
    let mut container = json!({"name": "main", "image": "registry.k8s.io/pause:3.10"});
    container["resources"] = json!({"limits": {resource: "8"}});
    json!({
        "name": name,
        "spec": {
            "roleName": name,
            "replicas": replicas,
            "podSpec": {"containers": [container]},
        },
    })
}

/// An operator for the namespace of that purpose that writes PodGroups for Kubernetes' own
/// scheduler.
pub fn started(purpose: &str, gangs: &str) -> Operator {
    let profile = json!({"name": "default-scheduler", "backend": "kubernetes", "gangs": gangs});
    started_with(purpose, &format!("{purpose}-operator"), &json!([profile]))
}

/// The same with these profiles and a name of its own.
fn started_with(purpose: &str, name: &str, profiles: &Value) -> Operator {
    let more = json!({
        "watchNamespaces": [called(purpose)],
        "scheduler": {"profiles": profiles},
    });
    let dir = folder(name);
    let installation = &site::gangs().installation;
    let operator = Operator::start_with(installation, &dir, &more.to_string()).unwrap();
    operator.wait_until_ready().unwrap();
    operator
}

/// The namespace of that purpose.
pub fn namespace<'a>(purpose: &str, operator: &'a Operator) -> Namespace<'a> {
    Namespace::on(&site::gangs().control_plane, operator, purpose)
}

/// The number of pods of each PodClique that have a node.
fn bound(seen: &Seen) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for pod in seen.all("Pod") {
        let podclique = pod["metadata"]["labels"]["grove.io/podclique"].as_str();
        let count: &mut usize = counts.entry(podclique.unwrap().to_owned()).or_default();
        *count += usize::from(pod["spec"]["nodeName"].is_string());
    }
    counts
}

/// The number of pods with this version.
fn of_version(seen: &Seen, version: &str) -> usize {
    let pods = seen.all("Pod").into_iter();
    let these = pods.filter(|p| p["metadata"]["annotations"]["example.com/version"] == version);
    these.count()
}

fn expect_bound(seen: &Seen, expected: &[(&str, usize)]) -> Result<(), String> {
    let expected = expected
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count));
    same("pods with a node", &bound(seen), &expected.collect())
}

/// The scheduling phase of the base gang.
fn expect_phase(seen: &Seen, phase: &str) -> Result<(), String> {
    let gang = seen.one("PodGang", "svc-0")?;
    same("phase", &gang["status"]["schedulingPhase"], &json!(phase))
}

/// The object's condition, with its reason.
fn told(seen: &Seen, kind: &str, called: &str, type_: &str) -> Result<String, String> {
    let object = seen.one(kind, called)?;
    let conditions = object["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    let mut of_type = conditions.filter(|c| c["type"] == type_);
    let found = of_type
        .next()
        .ok_or_else(|| format!("{called} has no {type_}"))?;
    Ok(format!(
        "{}: {}",
        condition(object, type_),
        found["message"]
    ))
}
