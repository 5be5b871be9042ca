//! The output for people and programs.

use cli::capacity::{Report, draw_report, read_dump, read_sets, simulate};
use serde_json::{Value, json};

fn node(name: &str, rack: &str, gpu: &str, taints: &Value) -> Value {
    json!({
        "kind": "Node",
        "metadata": {"name": name, "labels": {"rack": rack, "pool": "gpu"}},
        "spec": {"taints": taints},
        "status": {"allocatable": {
            "cpu": "64", "memory": "256Gi", "nvidia.com/gpu": gpu, "pods": "110",
        }},
    })
}

fn dump() -> Value {
    let tainted = json!([{"key": "team", "value": "nlp", "effect": "NoSchedule"}]);
    let nodes = [
        node("node-1", "r1", "8", &json!([])),
        node("node-2", "r1", "8", &json!([])),
        node("node-3", "r2", "8", &json!([])),
        node("node-4", "r2", "8", &tainted),
    ];
    let used = |name: &str, on: &str, requests: Value| {
        json!({
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "ml"},
            "spec": {"nodeName": on, "containers": [
                {"name": "main", "resources": {"requests": requests}},
            ]},
        })
    };
    let pods = [
        used("a", "node-1", json!({"nvidia.com/gpu": "4"})),
        used("b", "node-2", json!({"cpu": "60", "nvidia.com/gpu": "2"})),
        used("c", "node-3", json!({"memory": "250Gi"})),
    ];
    let topology = json!({
        "kind": "ClusterTopologyBinding",
        "apiVersion": "grove.io/v1alpha1",
        "metadata": {"name": "racks"},
        "spec": {"levels": [{"domain": "rack", "key": "rack"}]},
    });
    let all = nodes.into_iter().chain(pods).chain([topology]);
    json!({"kind": "List", "items": all.collect::<Vec<_>>()})
}

fn clique(name: &str, replicas: u32, minimum: u32, requests: &Value) -> Value {
    json!({"name": name, "spec": {
        "roleName": name, "replicas": replicas, "minAvailable": minimum,
        "podSpec": {"containers": [
            {"name": "main", "image": "example", "resources": {"requests": requests}},
        ]},
    }})
}

fn set(name: &str, cliques: &Value) -> Value {
    json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
        "metadata": {"name": name},
        "spec": {"replicas": 1, "template": {"cliques": cliques}},
    })
}

fn simulated(sets: &[Value]) -> Report {
    let manifest: Vec<String> = sets.iter().map(Value::to_string).collect();
    let sets = read_sets(&manifest.join("\n"), "file", "ml").unwrap();
    let snapshot = read_dump(&dump().to_string(), "dump").unwrap();
    simulate(&sets, &snapshot, "file").unwrap()
}

fn drawn(sets: &[Value], is_wide: bool) -> String {
    let text = draw_report(&simulated(sets), is_wide);
    let plain = anstream::adapter::strip_str(&text).to_string();
    assert!(
        plain.lines().all(|line| line.chars().count() <= 80),
        "{plain}"
    );
    plain
}

fn inference() -> Value {
    let leader = clique("leader", 1, 1, &json!({"cpu": "4", "nvidia.com/gpu": "1"}));
    let worker = clique("worker", 2, 2, &json!({"cpu": "8", "nvidia.com/gpu": "4"}));
    let mut router = clique("router", 3, 1, &json!({"cpu": "2"}));
    router["spec"]["podSpec"]["nodeSelector"] = json!({"pool": "gpu"});
    let mut set = set("svc", &json!([router, leader, worker]));
    set["spec"]["template"]["podCliqueScalingGroups"] = json!([
        {"name": "engine", "cliqueNames": ["leader", "worker"], "replicas": 3, "minAvailable": 1},
    ]);
    set
}

#[test]
fn gangs_are_drawn_with_what_is_short() {
    insta::assert_snapshot!(drawn(&[inference()], false));
}

#[test]
fn wide_shows_where_pods_go() {
    insta::assert_snapshot!(drawn(&[inference()], true));
}

#[test]
fn a_set_without_replicas_has_no_gang_to_place() {
    let mut idle = inference();
    idle["spec"]["replicas"] = json!(0);
    let text = drawn(&[idle], false);
    assert!(
        text.contains("no gang to place: spec.replicas is 0"),
        "{text}"
    );
    assert!(!text.contains("GANG"), "{text}");
}

/// A name that no node has is no matter of free room.
#[test]
fn a_resource_that_no_node_has_is_named() {
    let requests = json!({"nvidia.com/gpus": "1", "example.com/licence": "2"});
    let report = simulated(&[set("svc", &json!([clique("a", 1, 1, &requests)]))]);
    let text = draw_report(&report, false);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let gpus = "1 nvidia.com/gpus, which no node has: did you mean nvidia.com/gpu?";
    assert!(text.contains(gpus), "{text}");
    assert!(
        text.contains("2 example.com/licence, which no node has"),
        "{text}"
    );
}

#[test]
fn programs_get_the_same() {
    insta::assert_json_snapshot!(simulated(&[inference()]));
}

/// One set for each cause.
#[test]
fn each_cause_has_its_words() {
    let one = |name: &str, requests: Value| set(name, &json!([clique("worker", 1, 1, &requests)]));
    let pod = |name: &str, key: &str, value: Value| {
        let mut set = one(name, json!({}));
        set["spec"]["template"]["cliques"][0]["spec"]["podSpec"][key] = value;
        set
    };
    let expression = json!([{"key": "pool", "operator": "In", "values": ["cpu"]}]);
    let terms = json!({"nodeSelectorTerms": [{"matchExpressions": expression}]});
    let affinity =
        json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}});
    let own = json!({"matchLabels": {"app.kubernetes.io/part-of": "apart"}});
    let term = json!({"topologyKey": "pool", "labelSelector": own});
    let mut apart = pod(
        "apart",
        "affinity",
        json!({
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
        }),
    );
    apart["spec"]["template"]["cliques"][0]["spec"]["replicas"] = json!(2);
    apart["spec"]["template"]["cliques"][0]["spec"]["minAvailable"] = json!(2);
    let mut packed = set(
        "packed",
        &json!([clique("worker", 3, 3, &json!({"nvidia.com/gpu": "4"}))]),
    );
    packed["spec"]["template"]["topologyConstraint"] = json!({
        "topologyName": "racks", "pack": {"required": "rack"},
    });
    let gpu = |n: &str| json!({"nvidia.com/gpu": n});
    let sets = [
        one("too-many", gpu("16")),
        one(
            "two-short",
            json!({"nvidia.com/gpu": "16", "memory": "1Ti"}),
        ),
        one(
            "not-together",
            json!({"cpu": "16", "memory": "200Gi", "nvidia.com/gpu": "6"}),
        ),
        pod("nowhere", "nodeSelector", json!({"pool": "cpu"})),
        pod("no-affinity", "affinity", affinity),
        apart,
        packed,
    ];
    insta::assert_snapshot!(drawn(&sets, false));
}

/// Parts that are not considered are named.
#[test]
fn limits_of_the_answer_are_named() {
    let mut set = inference();
    let template = &mut set["spec"]["template"];
    template["topologyConstraint"] = json!({"topologyName": "zones", "pack": {"required": "zone"}});
    let pod = &mut template["cliques"][0]["spec"]["podSpec"];
    pod["schedulerName"] = json!("kai-scheduler");
    pod["runtimeClassName"] = json!("kata");
    pod["priorityClassName"] = json!("high");
    let silent = json!({"name": "beside", "image": "example/beside:1"});
    pod["containers"].as_array_mut().unwrap().push(silent);
    pod["volumes"] = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    let selector = json!({"matchLabels": {"app": "cache"}});
    let term = json!({"topologyKey": "rack", "labelSelector": selector});
    pod["affinity"] = json!({
        "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]},
    });
    for clique in template["cliques"].as_array_mut().unwrap() {
        clique["spec"]["podSpec"]["schedulerName"] = json!("kai-scheduler");
    }
    insta::assert_json_snapshot!(simulated(&[set]).notes);
}
