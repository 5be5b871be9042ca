//! Topology constraints of sets that run.

use cli::plan::Surroundings;
use serde_json::{Value, json};

use super::{known, service};
use crate::plan::cluster::Cluster;
use crate::plan::examples::{example, objects_of};
use crate::plan::live::change_in;
use crate::plan::with;

/// Two racks in one zone, with a node each.
fn nodes() -> [Value; 2] {
    ["0", "1"].map(|index| {
        let labels = json!({"example.com/zone": "z0", "example.com/rack": format!("r{index}")});
        json!({"metadata": {"name": format!("node-{index}"), "labels": labels}})
    })
}

/// A cluster with two racks, in which the pods of the set run on the first node.
fn around() -> Surroundings {
    known(&["zone", "rack"]).with_nodes(&nodes())
}

#[test]
fn nothing_happens_where_all_is_as_in_the_file() {
    for file in [service(), example("topology.yaml")] {
        let around = match file["metadata"]["name"].as_str() {
            Some("topology") => Surroundings::of_file(&objects_of("topology.yaml")).unwrap(),
            _ => around(),
        };
        let change = change_in(&file, &Cluster::around(&file, &around).found(), &around);
        assert!(!change.is_changed, "{:?}", change.differences);
        assert_eq!(change.steps, []);
        assert_eq!(change.remains, [""; 0]);
    }
}

#[test]
fn a_pod_that_failed_comes_back_and_a_group_grows() {
    let (file, around) = (service(), around());
    let cluster = Cluster::around(&file, &around).edit("Pod", "svc-0-grp-0-worker-p1", |pod| {
        pod["status"]["phase"] = json!("Failed");
    });
    let larger = with(
        file,
        "/spec/template/podCliqueScalingGroups/0/replicas",
        json!(3),
    );
    let change = change_in(&larger, &cluster.found(), &around);
    let restarted: Vec<&str> = change
        .steps
        .iter()
        .filter(|step| step.is_under_way)
        .map(|step| &*step.name)
        .collect();
    assert_eq!(restarted, ["svc-0-grp-0-worker-p1"]);
    assert_eq!(change.remains, [""; 0]);
    assert_eq!(change.after.pods(), 14);
    let placed = change.after.gangs.iter().flat_map(|gang| &gang.podgroups);
    assert_eq!(placed.map(|part| part.pods).sum::<usize>(), 14);
}

/// The stored set is valid without its binding; gangs that have not started wait.
#[test]
fn without_the_binding_new_gangs_wait() {
    let (file, around) = (service(), around());
    let found = Cluster::around(&file, &around).found();
    let larger = with(
        file,
        "/spec/template/podCliqueScalingGroups/0/replicas",
        json!(3),
    );
    let gone = Surroundings::default()
        .with_bindings(Vec::new())
        .with_nodes(&nodes());
    let change = change_in(&larger, &found, &gone);
    assert_eq!(change.remains.len(), 1, "{:?}", change.remains);
    assert!(change.remains[0].contains("ClusterTopologyBinding fabric does not exist"));
    let running = change.after.gangs.iter().flat_map(|gang| &gang.podgroups);
    assert_eq!(running.map(|part| part.pods).sum::<usize>(), 10);
}
