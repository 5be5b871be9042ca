//! Pods that join others: replacements, more instances, and the pods of an update.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::fabric::{Fabric, Rack};
use super::{PODS, Slot, expect_packed, racks, service};
use crate::harness::lane::Lane;
use crate::harness::seen::{index, name};
use crate::harness::{Namespace, Seen, condition, same};
use crate::schedulers::kubernetes::of_version;

/// Four instances, of which one is in the base gang, and the router.
const SCALED: usize = 13;

fn in_version(mut service: Value, version: &str) -> Value {
    for clique in service["spec"]["template"]["cliques"]
        .as_array_mut()
        .unwrap()
    {
        clique["annotations"] = json!({"example.com/version": version});
    }
    service
}

/// Terminates replicas that lack a required pod for that long.
fn with_delay(mut service: Value, delay: &str) -> Value {
    service["spec"]["template"]["terminationDelay"] = json!(delay);
    service
}

/// Replaces each pod, one after the other: each comes back where the others of its scope are, by a
/// node selector that the operator notes.
fn replace_each(ns: &Namespace<'_>, fabric: &Fabric, before: &BTreeMap<Slot, Rack>) {
    for (podclique, pod) in before.keys() {
        let is_it = |found: &&Value| index(found) == *pod;
        let seen = ns.look().unwrap();
        let old = seen.pods(podclique).into_iter().find(is_it).unwrap();
        ns.kubectl(&["delete", "pod", name(old)]);
        ns.until("it comes back in its domain", |seen| {
            let now = racks(seen, PODS)?;
            let new = seen.pods(podclique).into_iter().find(is_it);
            let new = new.ok_or("it is not there")?;
            let is_same = new["metadata"]["uid"] == old["metadata"]["uid"];
            same("is the old one", &is_same, &false)?;
            let pin = new["metadata"]["annotations"]["grove.io/pinned"].as_str();
            let pin: BTreeMap<String, String> =
                serde_json::from_str(pin.ok_or("it has no pin")?).unwrap();
            let old_rack = &before[&(podclique.clone(), *pod)];
            let zone = pin.get(&fabric.key("zone"));
            same("pinned zone", &zone, &Some(&old_rack.zone))?;
            if podclique == "svc-0-router" {
                return same("pinned keys", &pin.len(), &1);
            }
            let rack = pin.get(&fabric.key("rack"));
            same("pinned rack", &rack, &Some(&old_rack.rack))?;
            same("racks", &expect_packed(&now)?, &old_rack.zone)
        });
    }
}

/// All pods have this version and are Ready, in this zone.
fn expect_version(seen: &Seen, version: &str, zone: &String) -> Result<(), String> {
    same("pods of the version", &of_version(seen, version), &SCALED)?;
    same("zone", &expect_packed(&racks(seen, SCALED)?)?, zone)
}

/// There is no room in the zone for a router that is replaced, until the whole replica is
/// terminated: then it starts in the other zone.
fn expect_move(ns: &Namespace<'_>, fabric: &Fabric, zone: &String) {
    fabric.cordon(zone);
    ns.kubectl(&[
        "delete",
        "pod",
        "--selector=grove.io/podclique=svc-0-router",
    ]);
    ns.until("the router waits for room in its zone", |seen| {
        let routers = seen.pods("svc-0-router").into_iter();
        let is_refused = |pod: &&Value| condition(pod, "PodScheduled") == "False/Unschedulable";
        same("refused routers", &routers.filter(is_refused).count(), &1)
    });
    ns.apply(&with_delay(in_version(service(fabric), "2"), "1s"));
    let now = ns.until("it runs in the other zone", |seen| {
        expect_packed(&racks(seen, SCALED)?)
    });
    assert_ne!(now, *zone);
}

#[test]
fn pods_that_join_stay_in_the_domain_and_a_termination_frees_them() {
    let lane = Lane::start_with_topology("domains-kept");
    let fabric = Fabric::new("domains-kept", 8);
    fabric.bind(&["zone", "rack", "host"]);
    let ns = lane.namespace();
    ns.apply(&with_delay(in_version(service(&fabric), "1"), "1h"));
    let before = ns.until("it runs", |seen| {
        let racks = racks(seen, PODS)?;
        expect_packed(&racks)?;
        Ok(racks)
    });
    let zone = expect_packed(&before).unwrap();
    replace_each(&ns, &fabric, &before);

    ns.kubectl(&["scale", "pcsg/svc-0-instance", "--replicas=4"]);
    ns.until("more instances join the zone", |seen| {
        expect_version(seen, "1", &zone)
    });
    ns.apply(&with_delay(in_version(service(&fabric), "2"), "1h"));
    ns.until("an update stays in the zone", |seen| {
        expect_version(seen, "2", &zone)
    });
    expect_move(&ns, &fabric, &zone);
    ns.delete();
}
