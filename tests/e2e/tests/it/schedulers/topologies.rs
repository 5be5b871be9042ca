//! Topologies of KAI Scheduler: the operator maintains one for each ClusterTopologyBinding.

use serde_json::{Value, json};

use super::started;
use crate::harness::control_plane::fed;
use crate::harness::{Namespace, client, condition, same, site, wait};

const DEFINITION: &str = "tests/it/manifests/kai-topologies.yaml";
const BINDING: &str = "clustertopologybindings.grove.io";
const TOPOLOGY: &str = "topologies.kai.scheduler";
const NAME: &str = "e2e-fabric";

fn key_of(domain: &str) -> String {
    match domain {
        "host" => "kubernetes.io/hostname".to_owned(),
        domain => format!("example.com/{domain}"),
    }
}

fn binding(domains: &[&str]) -> Value {
    let level = |domain: &&str| json!({"domain": domain, "key": key_of(domain)});
    let levels: Vec<Value> = domains.iter().map(level).collect();
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "ClusterTopologyBinding",
        "metadata": {"name": NAME},
        "spec": {"levels": levels},
    })
}

fn labels(domains: &[&str]) -> Value {
    let level = |domain: &&str| json!({"nodeLabel": key_of(domain)});
    domains.iter().map(level).collect()
}

fn get(ns: &Namespace<'_>, kind: &str) -> Result<Value, String> {
    let found = ns.command(&["get", kind, NAME, "--output=json"]).output();
    let found = found.map_err(|error| error.to_string())?;
    serde_json::from_slice(&found.stdout).map_err(|_| format!("there is no {kind} {NAME}"))
}

/// The uid of the Topology, which has these levels and goes with its binding.
fn expect_topology(ns: &Namespace<'_>, domains: &[&str]) -> Result<Value, String> {
    let topology = get(ns, TOPOLOGY)?;
    same("levels", &topology["spec"]["levels"], &labels(domains))?;
    let owner = &topology["metadata"]["ownerReferences"][0];
    same("owner", &owner["kind"], &json!("ClusterTopologyBinding"))?;
    Ok(topology["metadata"]["uid"].clone())
}

/// The condition of the binding, and words of the message about its only scheduler.
fn expect_status(ns: &Namespace<'_>, verdict: &str, words: &str) -> Result<(), String> {
    let binding = get(ns, BINDING)?;
    let found = condition(&binding, "SchedulerTopologyDrift");
    same("condition", &found.as_str(), &verdict)?;
    let status = &binding["status"];
    let message = &status["schedulerTopologyStatuses"][0]["message"];
    let message = message.as_str().unwrap_or_default();
    if !message.contains(words) {
        return Err(format!("{words:?} is not in {message:?}"));
    }
    let generation = &binding["metadata"]["generation"];
    same("generation", &status["observedGeneration"], generation)
}

fn expect_in_sync(ns: &Namespace<'_>, domains: &[&str]) -> Result<Value, String> {
    expect_status(ns, "False/InSync", "")?;
    expect_topology(ns, domains)
}

fn expect_event(ns: &Namespace<'_>, reason: &str) -> Result<(), String> {
    let kubeconfig = &ns.control_plane.kubeconfig;
    let events = client::events(kubeconfig, "default", NAME, reason)?;
    same(reason, &events.is_empty(), &false)
}

#[test]
fn a_binding_has_a_topology_that_follows_its_levels_and_goes_with_it() {
    let control_plane = site::private();
    let operator = started(&control_plane, "kai-scheduler");
    let ns = Namespace::on(&control_plane, &operator, "topologies");
    ns.apply(&binding(&["zone", "rack"]));
    let unserved = wait::until(|| expect_status(&ns, "True/Drift", "is not served"));
    unserved.unwrap();
    wait::until(|| expect_event(&ns, "TopologyDriftDetected")).unwrap();

    control_plane.kubectl(["apply", "-f", DEFINITION]);
    let first = wait::until(|| expect_in_sync(&ns, &["zone", "rack"])).unwrap();
    wait::until(|| expect_event(&ns, "TopologyInSync")).unwrap();
    let shown = ns.kubectl(&["get", BINDING, NAME, "--output=wide", "--no-headers"]);
    assert!(shown.contains("InSync"), "{shown}");

    // The levels of a Topology are immutable.
    ns.apply(&binding(&["zone", "host"]));
    let second = wait::until(|| expect_in_sync(&ns, &["zone", "host"])).unwrap();
    assert_ne!(first, second);
    ns.kubectl(&["delete", TOPOLOGY, NAME]);
    let third = wait::until(|| expect_in_sync(&ns, &["zone", "host"])).unwrap();
    assert_ne!(second, third);
    // KAI Scheduler would refuse these levels: the Topology stays.
    ns.apply(&binding(&["host", "zone"]));
    let refused = wait::until(|| expect_status(&ns, "True/Drift", "in the last level only"));
    refused.unwrap();
    assert_eq!(expect_topology(&ns, &["zone", "host"]).unwrap(), third);

    leave_foreign_one_alone(&ns);
    ns.delete();
    control_plane.kubectl(["delete", "-f", DEFINITION]);
}

/// The Topology goes with its binding. Another one with the name is in the way until it is gone.
fn leave_foreign_one_alone(ns: &Namespace<'_>) {
    ns.kubectl(&["delete", BINDING, NAME]);
    let gone = wait::until(|| match get(ns, TOPOLOGY) {
        Ok(_) => Err("the Topology is left".to_owned()),
        Err(_) => Ok(()),
    });
    gone.unwrap();
    let foreign = json!({
        "apiVersion": "kai.scheduler/v1alpha1",
        "kind": "Topology",
        "metadata": {"name": NAME},
        "spec": {"levels": labels(&["zone"])},
    });
    let mut create = ns.control_plane.tool("kubectl", ["create", "-f", "-"]);
    let created = fed(&mut create, &foreign);
    assert!(created.status.success(), "{created:?}");
    ns.apply(&binding(&["rack"]));
    wait::until(|| expect_status(ns, "True/Drift", "is not owned by")).unwrap();
    let stays = get(ns, TOPOLOGY).unwrap();
    assert_eq!(stays["spec"], foreign["spec"]);
    ns.kubectl(&["delete", TOPOLOGY, NAME]);
    wait::until(|| expect_in_sync(ns, &["rack"])).unwrap();
    ns.kubectl(&["delete", BINDING, NAME]);
}
