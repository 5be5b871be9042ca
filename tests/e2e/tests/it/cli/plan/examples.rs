//! The plan of each example equals the objects that the operator then creates.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::objects::{expect_planned, plan_file};
use crate::harness::client::send;
use crate::harness::control_plane::{CHECKOUT, folder};
use crate::harness::seen::{gates, name};
use crate::harness::{Namespace, Seen, same, subset, wait};
use crate::schedulers::kubernetes;

fn path_of(example: &str) -> PathBuf {
    CHECKOUT.join("examples").join(example)
}

/// The planned objects of the example in this namespace.
fn plan(ns: &Namespace<'_>, example: &str, more: &[&str]) -> Vec<Value> {
    plan_file(ns, path_of(example).to_str().unwrap(), more)
}

/// Plans it, applies it, compares.
fn expect_as_planned(purpose: &str, example: &str) {
    let ns = Namespace::new(purpose);
    let planned = plan(&ns, example, &[]);
    ns.apply_file(path_of(example).to_str().unwrap());
    ns.until("all is as planned", |seen| expect_planned(seen, &planned));
}

#[test]
fn coherent() {
    expect_as_planned("plan-coherent", "coherent.yaml");
}

#[test]
fn disaggregated() {
    expect_as_planned("plan-disaggregated", "disaggregated.yaml");
}

#[test]
fn autoscaling() {
    expect_as_planned("plan-autoscaling", "autoscaling.yaml");
}

#[test]
fn start_order() {
    expect_as_planned("plan-start-order", "start-order.yaml");
}

#[test]
fn training() {
    expect_as_planned("plan-training", "training-pytorch.yaml");
}

/// Their schedulers do not run here: the test binds pods that may be scheduled.
#[test]
fn schedulers_of_others() {
    for (purpose, scheduler) in [("plan-kai", "kai-scheduler"), ("plan-volcano", "volcano")] {
        let ns = Namespace::new(purpose);
        let example = format!("schedulers/{scheduler}.yaml");
        let planned = plan(&ns, &example, &[]);
        ns.apply_file(path_of(&example).to_str().unwrap());
        let is_as_planned = wait::until(|| {
            let seen = ns.look()?;
            bind_pods(&ns, &seen);
            expect_planned(&seen, &planned)
        });
        is_as_planned.unwrap();
    }
}

fn bind_pods(ns: &Namespace<'_>, seen: &Seen) {
    let nodes = ns.kubectl(&["get", "nodes", "--output=name"]);
    let node = nodes.lines().next().unwrap().trim_start_matches("node/");
    let is_free = |pod: &&Value| gates(pod).is_empty() && pod["spec"]["nodeName"].is_null();
    for pod in seen.all("Pod").into_iter().filter(is_free) {
        let (namespace, name) = (&ns.name, name(pod));
        let path = format!("/api/v1/namespaces/{namespace}/pods/{name}/binding");
        let binding = json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        });
        let answer = send(&ns.control_plane.kubeconfig, "POST", &path, &binding);
        assert!(answer.status < 300, "{answer:?}");
    }
}

/// With the operator's configuration, the plan has the objects for the scheduler too.
#[test]
fn native_gangs() {
    let operator = kubernetes::started("plan-native", "Split");
    let ns = kubernetes::namespace("plan-native", &operator);
    let config = folder("plan-native").join("config.yaml");
    let profile = "{name: default-scheduler, backend: kubernetes, gangs: Split}";
    std::fs::write(&config, format!("scheduler: {{profiles: [{profile}]}}\n")).unwrap();
    let config = format!("--operator-config={}", config.display());
    let planned = plan(&ns, "schedulers/kubernetes.yaml", &[&config]);
    ns.apply_file(path_of("schedulers/kubernetes.yaml").to_str().unwrap());
    ns.until("all is as planned", |seen| {
        seen.expect_ready_pods(12)?;
        expect_planned(seen, &planned)
    });
    for kind in ["PodGroup", "CompositePodGroup"] {
        expect_told(&ns, kind, &planned).unwrap();
    }
    ns.delete();
}

/// The objects of the scheduler's own kind equal the planned ones.
fn expect_told(ns: &Namespace<'_>, kind: &str, planned: &[Value]) -> Result<(), String> {
    let resource = format!("{}s.scheduling.k8s.io", kind.to_lowercase());
    let list = ns.kubectl(&["get", &resource, "--output=json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    let found = list["items"].as_array().unwrap();
    let planned: Vec<&Value> = planned.iter().filter(|o| o["kind"] == kind).collect();
    let names = |all: &mut dyn Iterator<Item = &Value>| {
        let mut names: Vec<String> = all.map(|o| name(o).to_owned()).collect();
        names.sort();
        names
    };
    let should = names(&mut planned.iter().copied());
    same(kind, &names(&mut found.iter()), &should)?;
    assert!(!should.is_empty(), "no {kind} is planned");
    planned.iter().try_for_each(|planned| {
        let is_it = |o: &&Value| name(o) == name(planned);
        let mut planned = (*planned).clone();
        // Items of a list have neither field; their container is the API server's.
        for part in ["kind", "apiVersion"] {
            planned.as_object_mut().unwrap().remove(part);
        }
        subset(kind, found.iter().find(is_it).unwrap(), &planned)
    })
}
