//! A gang for which no domain has room.

use std::time::Duration;

use serde_json::{Value, json};

use super::fabric::{Fabric, Rack};
use super::{racks, tolerate};
use crate::harness::lane::Lane;
use crate::harness::manifest::set;
use crate::harness::{Namespace, Seen, condition, same};
use crate::schedulers::kubernetes::{clique, told};

/// Nodes of a rack, each for one pod.
const NODES: usize = 4;
/// One pod too many.
const PODS: usize = 5;
/// How soon the cause is named, once the scheduler has refused the gang: a second or two, and longer
/// where all processors are busy.
const SOON: Duration = Duration::from_secs(20);

fn job(fabric: &Fabric) -> Value {
    let mut clique = clique("w", &fabric.resource, u32::try_from(PODS).unwrap());
    tolerate(&mut clique, &fabric.resource);
    let mut job = set("svc", &[clique], &[]);
    job["spec"]["template"]["topologyConstraint"] =
        json!({"topologyName": fabric.name, "pack": {"required": "rack"}});
    job
}

/// The scheduler has tried each rack.
fn expect_refusal(seen: &Seen) -> Result<(), String> {
    let pods = seen.all("Pod");
    let messages = pods
        .iter()
        .map(|pod| pod["status"]["conditions"].to_string());
    let is_refused = messages
        .into_iter()
        .any(|text| text.contains("placements are available"));
    same("refused", &is_refused, &true)
}

/// PodGang and set name the largest rack and the shortfall.
fn expect_cause(seen: &Seen) -> Result<(), String> {
    for (kind, name) in [("PodGang", "svc-0"), ("PodCliqueSet", "svc")] {
        let ready = condition(seen.one(kind, name)?, "Ready");
        same(kind, &ready.as_str(), &"False/TopologyNoDomain")?;
        let text = told(seen, kind, name, "Ready")?;
        for words in [
            "no rack can hold 5 pods",
            "holds 4 when it is empty",
            "1 too few",
        ] {
            same(&text, &text.contains(words), &true)?;
        }
    }
    Ok(())
}

/// `explain` lists each rack with its room.
fn expect_domains(ns: &Namespace<'_>) {
    let answer: Value = serde_json::from_str(&ns.grove(&["explain", "svc", "-o", "json"])).unwrap();
    let domains = answer["domains"].as_array().unwrap();
    let mut found: Vec<(&str, u64, u64)> = domains
        .iter()
        .map(|domain| {
            assert_eq!(domain["level"], "rack", "{answer}");
            let number = |field: &str| domain[field].as_u64().unwrap();
            let name = domain["domain"].as_str().unwrap();
            (name, number("fits"), number("need"))
        })
        .collect();
    found.sort_unstable();
    let racks = ["z0/r0", "z0/r1", "z1/r2", "z1/r3"];
    assert_eq!(found, racks.map(|rack| (rack, 4, 5)), "{answer}");
    let text = ns.grove_words(&["explain", "svc"]);
    assert!(text.contains("rack z0/r1: 4 of 5 pods"), "{text}");
}

#[test]
fn a_gang_that_no_rack_can_hold_names_the_largest_and_starts_once_it_fits() {
    let lane = Lane::start_with_topology("domains-room");
    let mut fabric = Fabric::new("domains-room", NODES);
    fabric.bind(&["zone", "rack"]);
    let ns = lane.namespace();
    ns.apply(&job(&fabric));
    ns.until("the scheduler refuses it", expect_refusal);
    ns.within(SOON, "the cause is named", expect_cause);
    expect_domains(&ns);

    fabric.add_node(2);
    let racks = ns.until("it is placed in the larger rack", |seen| racks(seen, PODS));
    let expected = Rack::of_node("fabric-z1-r2-0");
    assert!(racks.values().all(|rack| *rack == expected), "{racks:?}");
    ns.delete();
}
