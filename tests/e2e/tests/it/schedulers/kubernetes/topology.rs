//! Topology constraints: the pods of a scope get nodes of one domain, and stay together.

mod binding;
mod example;
mod fabric;
mod kept;
mod room;
mod whole;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::clique;
use super::nodes::tolerate;
use crate::harness::manifest::set;
use crate::harness::seen::{index, is_ready};
use crate::harness::{Seen, same};
use fabric::{Fabric, Rack};

/// A slot of a pod: its PodClique and its index.
type Slot = (String, u32);

/// Three pods of an instance, and the router.
const PODS: usize = 4;

/// A router and one instance of a leader and two workers: all in one zone, the instance in one rack.
fn service(fabric: &Fabric) -> Value {
    let mut cliques = [("router", 1), ("leader", 1), ("worker", 2)]
        .map(|(name, replicas)| clique(name, &fabric.resource, replicas));
    for clique in &mut cliques {
        tolerate(clique, &fabric.resource);
    }
    let instance = json!({
        "name": "instance",
        "cliqueNames": ["leader", "worker"],
        "replicas": 1,
        "minAvailable": 1,
        "topologyConstraint": {"pack": {"required": "rack"}},
    });
    let mut service = set("svc", &cliques, &[instance]);
    service["spec"]["template"]["topologyConstraint"] =
        json!({"topologyName": fabric.name, "pack": {"required": "zone"}});
    service
}

/// The rack of each pod, which all have to be Ready.
fn racks(seen: &Seen, pods: usize) -> Result<BTreeMap<Slot, Rack>, String> {
    seen.expect_ready_pods(pods)?;
    let ready = seen.all("Pod").into_iter().filter(|pod| is_ready(pod));
    let place = |pod: &Value| {
        let podclique = pod["metadata"]["labels"]["grove.io/podclique"].as_str();
        let slot = (podclique.unwrap().to_owned(), index(pod));
        let node = pod["spec"]["nodeName"].as_str();
        Ok((slot, Rack::of_node(node.ok_or("a pod has no node")?)))
    };
    ready.map(place).collect()
}

/// The zone in which all of them are, if each instance is in one rack.
fn expect_packed(racks: &BTreeMap<Slot, Rack>) -> Result<String, String> {
    let mut zones: Vec<&String> = racks.values().map(|rack| &rack.zone).collect();
    zones.sort();
    zones.dedup();
    same(&format!("zones of {racks:?}"), &zones.len(), &1)?;
    let mut of_instances: BTreeMap<&str, &Rack> = BTreeMap::new();
    for ((podclique, _), rack) in racks {
        let Some((instance, "leader" | "worker")) = podclique.rsplit_once('-') else {
            continue;
        };
        let first = of_instances.entry(instance).or_insert(rack);
        same(podclique, rack, first)?;
    }
    Ok(zones[0].clone())
}
