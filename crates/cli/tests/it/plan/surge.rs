//! Whether the surge of an update finds nodes.

use cli::capacity::{ClusterSnapshot, read_dump};
use cli::plan::{Change, Planned, judge_surge};
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::live::change;
use super::{clique, group, set, text, with};

const IMAGE: &str = "/spec/template/cliques/0/spec/podSpec/containers/0/image";

/// A clique with surge that may be down, and a group of two GPUs a replica that may not.
fn update() -> Change {
    let requests = |requests: Value| json!({"requests": requests, "limits": requests});
    let mut web = clique("web", 3);
    web["rollingUpdate"] = json!({"maxSurge": 2});
    web["spec"]["podSpec"]["containers"][0]["resources"] = requests(json!({"cpu": "500m"}));
    let mut work = clique("work", 2);
    let gpu = requests(json!({"nvidia.com/gpu": "1"}));
    work["spec"]["podSpec"]["containers"][0]["resources"] = gpu;
    let mut engine = group("work", 1, 1);
    engine["rollingUpdate"] = json!({"maxSurge": 1, "maxUnavailable": 0});
    let file = set(&[web, work], &[engine]);
    let cluster = Cluster::of(&file);
    let next = with(file, IMAGE, json!("example/main:2"));
    let of_group = "/spec/template/cliques/1/spec/podSpec/containers/0/image";
    change(
        &with(next, of_group, json!("example/main:2")),
        &cluster.found(),
    )
}

/// Nodes with these numbers of CPUs and GPUs.
fn nodes(given: &[(i64, i64)]) -> ClusterSnapshot {
    let node = |(at, (cpu, gpu)): (usize, &(i64, i64))| {
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("node-{at}")},
            "status": {"allocatable": {
                "cpu": cpu.to_string(), "nvidia.com/gpu": gpu.to_string(),
                "memory": "64Gi", "pods": "110",
            }},
        })
    };
    let items: Vec<Value> = given.iter().enumerate().map(node).collect();
    let dump = json!({"apiVersion": "v1", "kind": "List", "items": items});
    read_dump(&dump.to_string(), "dump").unwrap()
}

fn told(snapshot: &ClusterSnapshot) -> String {
    let mut change = update();
    change.surge = judge_surge(&change.set, &change.steps, snapshot).unwrap();
    let text = text(Planned::Changed(Box::new(change)));
    let surge = text.split("surge: ").skip(1);
    let first = surge.map(|text| text.split("\n\n").next().unwrap_or(text));
    first.collect::<Vec<_>>().join("")
}

#[test]
fn surge_that_fits_says_where() {
    insta::assert_snapshot!(told(&nodes(&[(1, 2), (8, 0)])), @r"
    svc-0-grp: 2 pods more, with 2 nvidia.com/gpu; would fit now on node-0
    svc-0-web: 2 pods more, with 1 cpu; would fit now on node-1
    ");
}

#[test]
fn surge_that_fits_nowhere_says_what_follows() {
    insta::assert_snapshot!(told(&nodes(&[(0, 1)])), @r"
    svc-0-grp: 2 pods more, with 2 nvidia.com/gpu; finds no room now (work
           needs 1 nvidia.com/gpu on one node: largest free is 0 (node-0)); the
           update would wait for it
    svc-0-web: 2 pods more, with 1 cpu; finds no room now (web needs 500m cpu
           on one node: largest free is 0 (node-0)); after 60 s the update would go
           on without it
    ");
}

/// A file with a clique and a group of these replicas, of which two may be surge.
fn service(image: &str, pods: u32, replicas: u32) -> Value {
    let mut web = clique("web", pods);
    web["spec"]["minAvailable"] = json!(1);
    web["rollingUpdate"] = json!({"maxSurge": 2});
    let mut engine = group("work", replicas, 1);
    engine["rollingUpdate"] = json!({"maxSurge": 2});
    let mut file = set(&[web, clique("work", 2)], &[engine]);
    for clique in file["spec"]["template"]["cliques"].as_array_mut().unwrap() {
        clique["spec"]["podSpec"]["containers"][0]["image"] = json!(image);
    }
    file
}

/// The surge pods of each component.
fn surge_pods(change: &Change) -> Vec<String> {
    let judged = judge_surge(&change.set, &change.steps, &nodes(&[(64, 0)])).unwrap();
    let all = judged.iter().map(|s| format!("{} {}", s.component, s.pods));
    let mut all: Vec<String> = all.collect();
    all.sort();
    all
}

/// An autoscaler scaled both in to one.
#[test]
fn no_more_surge_than_live_replicas() {
    let one = |object: &mut Value| object["spec"]["replicas"] = json!(1);
    let cluster = Cluster::of(&service("example/main:1", 3, 3))
        .edit("PodClique", "svc-0-web", one)
        .edit("PodCliqueScalingGroup", "svc-0-grp", one);
    let change = change(&service("example/main:2", 3, 3), &cluster.found());
    assert_eq!(surge_pods(&change), ["svc-0-grp 2", "svc-0-web 1"]);
}

/// An autoscaler scaled both out; the template says none.
#[test]
fn what_only_the_template_scales_to_zero_has_surge() {
    const STAMP: &str = "grove.io/template-replicas";
    let none = |object: &mut Value| object["metadata"]["annotations"][STAMP] = json!("0");
    let cluster = Cluster::of(&service("example/main:1", 3, 3))
        .edit("PodClique", "svc-0-web", none)
        .edit("PodCliqueScalingGroup", "svc-0-grp", none)
        .edit("PodCliqueSet", "svc", |set| {
            set["spec"] = service("example/main:1", 0, 0)["spec"].clone();
        });
    let change = change(&service("example/main:2", 0, 0), &cluster.found());
    assert_eq!(surge_pods(&change), ["svc-0-grp 4", "svc-0-web 2"]);
}

#[test]
fn an_update_without_surge_needs_no_nodes() {
    let mut change = update();
    for step in &mut change.steps {
        step.max_surge = None;
    }
    let judged = judge_surge(&change.set, &change.steps, &nodes(&[(1, 0)])).unwrap();
    assert_eq!(judged, []);
}
