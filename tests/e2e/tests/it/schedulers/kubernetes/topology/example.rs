//! The example.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::fabric::Fabric;
use super::{expect_packed, racks};
use crate::harness::control_plane::CHECKOUT;
use crate::harness::lane::Lane;
use crate::harness::{Namespace, condition, same, subset};
use crate::schedulers::kubernetes::nodes::tolerate;

/// Pods of the example.
const PODS: usize = 7;

/// The objects of the example, for these nodes.
fn objects(fabric: &Fabric) -> Vec<Value> {
    let text = fs::read_to_string(CHECKOUT.join("examples/topology.yaml")).unwrap();
    let mut objects: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
    let [binding, set] = objects.as_mut_slice() else {
        panic!("the example has a binding and a set");
    };
    binding["metadata"]["name"] = json!(fabric.name);
    for level in binding["spec"]["levels"].as_array_mut().unwrap() {
        level["key"] = json!(fabric.key(level["domain"].as_str().unwrap()));
    }
    let template = &mut set["spec"]["template"];
    template["topologyConstraint"]["topologyName"] = json!(fabric.name);
    for clique in template["cliques"].as_array_mut().unwrap() {
        tolerate(clique, &fabric.resource);
    }
    objects
}

/// Key of the node label whose value the pods of each PodGroup and CompositePodGroup have to share,
/// by name.
fn keys(ns: &Namespace<'_>) -> BTreeMap<String, String> {
    let kinds = [
        "podgroups.scheduling.k8s.io",
        "compositepodgroups.scheduling.k8s.io",
    ];
    let mut keys = BTreeMap::new();
    for kind in kinds {
        let list: Value =
            serde_json::from_str(&ns.kubectl(&["get", kind, "--output=json"])).unwrap();
        for object in list["items"].as_array().unwrap() {
            let constraints = object["spec"]["schedulingConstraints"]["topology"].as_array();
            for constraint in constraints.into_iter().flatten() {
                let name = object["metadata"]["name"].as_str().unwrap();
                let key = constraint["key"].as_str().unwrap();
                keys.insert(name.to_owned(), key.to_owned());
            }
        }
    }
    keys
}

#[test]
fn the_example_is_in_one_zone_and_each_instance_in_one_rack() {
    let lane = Lane::start_with_topology("domains-example");
    let fabric = Fabric::new("domains-example", 4);
    let ns = lane.namespace();
    for object in objects(&fabric) {
        ns.apply(&object);
    }
    ns.until("it is Ready where it has to be", |seen| {
        let set = seen.one("PodCliqueSet", "topology")?;
        same("Ready", &condition(set, "Ready").as_str(), &"True/AllReady")?;
        let levels = condition(set, "TopologyLevelsUnavailable");
        let all = "False/AllClusterTopologyLevelsAvailable";
        same("levels", &levels.as_str(), &all)?;
        expect_packed(&racks(seen, PODS)?)
    });
    let (zone, rack) = (fabric.key("zone"), fabric.key("rack"));
    // The second instance is a gang of its own, which joins the zone by its node selector.
    let expected = [
        ("topology-0.groups", &zone),
        ("topology-0-instance-0.groups", &rack),
        ("topology-0-instance-0.instance", &rack),
    ];
    let expected = expected.map(|(name, key)| (name.to_owned(), key.clone()));
    assert_eq!(keys(&ns), BTreeMap::from(expected));
    expect_gang(&ns, &zone, &rack);
    ns.delete();
}

/// The PodGang of the base gang has the constraints, and the levels with which it started.
fn expect_gang(ns: &Namespace<'_>, zone: &str, rack: &str) {
    let seen = ns.look().unwrap();
    let gang = seen.one("PodGang", "topology-0").unwrap();
    let required = |key: &str| json!({"packConstraint": {"required": key}});
    let members = ["leader", "worker"].map(|clique| format!("topology-0-instance-0-{clique}"));
    let config = json!({
        "name": "topology-0-instance-0",
        "podGroupNames": members,
        "topologyConstraint": required(rack),
    });
    let expected = json!({
        "topologyConstraint": required(zone),
        "topologyConstraintGroupConfigs": [config],
    });
    subset("spec", &gang["spec"], &expected).unwrap();
    let levels = &gang["metadata"]["annotations"]["grove.io/topology-levels"];
    let levels: Value = serde_json::from_str(levels.as_str().unwrap()).unwrap();
    let expected = json!([
        {"domain": "zone", "key": zone},
        {"domain": "rack", "key": rack},
        {"domain": "host", "key": "kubernetes.io/hostname"},
    ]);
    assert_eq!(levels, expected);
}
