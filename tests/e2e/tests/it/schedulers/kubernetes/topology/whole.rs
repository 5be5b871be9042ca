//! Pods above the minimum of a gang: the scheduler looks at no pod of a group while another one has a gate.

use serde_json::{Value, json};

use super::fabric::Fabric;
use super::racks;
use crate::harness::lane::Lane;
use crate::harness::manifest::set;
use crate::harness::{Seen, same};
use crate::schedulers::kubernetes::clique;
use crate::schedulers::kubernetes::nodes::tolerate;

/// Four pods of which two are required, all in one rack.
fn workers(fabric: &Fabric, replicas: u32) -> Value {
    let mut workers = clique("worker", &fabric.resource, replicas);
    workers["spec"]["minAvailable"] = json!(2);
    workers["topologyConstraint"] =
        json!({"topologyName": fabric.name, "pack": {"required": "rack"}});
    tolerate(&mut workers, &fabric.resource);
    set("svc", &[workers], &[])
}

fn expect_one_rack(seen: &Seen, pods: usize) -> Result<String, String> {
    let racks = racks(seen, pods)?;
    let mut names: Vec<&String> = racks.values().map(|rack| &rack.rack).collect();
    names.dedup();
    same(&format!("racks of {racks:?}"), &names.len(), &1)?;
    Ok(names[0].clone())
}

#[test]
fn a_gang_with_more_pods_than_it_requires_starts_in_one_rack() {
    let lane = Lane::start_with_topology("domains-whole");
    let fabric = Fabric::new("domains-whole", 5);
    fabric.bind(&["zone", "rack", "host"]);
    let ns = lane.namespace();
    ns.apply(&workers(&fabric, 4));
    let rack = ns.until("all pods run in one rack", |seen| expect_one_rack(seen, 4));
    ns.apply(&workers(&fabric, 5));
    ns.until("one more joins them", |seen| {
        same("rack", &expect_one_rack(seen, 5)?, &rack)
    });
    ns.delete();
}
