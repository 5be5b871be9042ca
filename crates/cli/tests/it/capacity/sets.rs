//! Sets of manifests on nodes of a dump.

use cli::capacity::{
    ClusterSnapshot, Gang, NodeOrder, Outcome, gangs_of, place_gangs, read_dump, read_sets,
};
use rstest::rstest;
use serde_json::{Value, json};

use super::placing::outcomes;

fn dump(nodes: &[Value], pods: &[Value]) -> ClusterSnapshot {
    let items: Vec<&Value> = nodes.iter().chain(pods).collect();
    read_dump(&json!({"kind": "List", "items": items}).to_string(), "dump").unwrap()
}

fn node_of(name: &str, cpu: &str) -> Value {
    json!({
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"allocatable": {"cpu": cpu, "pods": "110"}},
    })
}

/// A router, and a group of three replicas of which two are required.
fn set() -> Value {
    let clique = |name: &str, replicas: u32, minimum: u32| {
        json!({"name": name, "spec": {
            "roleName": name, "replicas": replicas, "minAvailable": minimum,
            "podSpec": {"containers": [
                {"name": "main", "image": "example", "resources": {"requests": {"cpu": "1"}}},
            ]},
        }})
    };
    json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
        "metadata": {"name": "svc", "namespace": "ml"},
        "spec": {"replicas": 2, "template": {
            "cliques": [clique("router", 2, 1), clique("worker", 2, 2)],
            "podCliqueScalingGroups": [
                {"name": "grp", "cliqueNames": ["worker"], "replicas": 3, "minAvailable": 2},
            ],
        }},
    })
}

fn gangs(set: &Value, snapshot: &ClusterSnapshot) -> Vec<Gang> {
    let sets = read_sets(&set.to_string(), "file", "default").unwrap();
    gangs_of(&sets[0], snapshot).unwrap()
}

#[test]
fn base_gangs_are_placed_first_then_scaled_ones() {
    let snapshot = dump(&[node_of("n", "100")], &[]);
    let gangs = gangs(&set(), &snapshot);
    let told: Vec<_> = gangs
        .iter()
        .map(|gang| {
            (
                &*gang.name,
                gang.base.as_deref(),
                gang.guaranteed(),
                gang.best_effort(),
            )
        })
        .collect();
    let expected = [
        ("svc-0", None, 5, 1),
        ("svc-1", None, 5, 1),
        ("svc-0-grp-0", Some("svc-0"), 2, 0),
        ("svc-1-grp-0", Some("svc-1"), 2, 0),
    ];
    assert_eq!(told, expected);
}

#[rstest]
#[case::nothing("4", [Outcome::NoPlacementFound, Outcome::NoPlacementFound, Outcome::WaitsForBase, Outcome::WaitsForBase], [0; 4])]
#[case::one_base("6", [Outcome::Fits, Outcome::NoPlacementFound, Outcome::NoPlacementFound, Outcome::WaitsForBase], [1, 0, 0, 0])]
#[case::one_base_and_more("8", [Outcome::Fits, Outcome::NoPlacementFound, Outcome::Fits, Outcome::WaitsForBase], [1, 0, 0, 0])]
#[case::both_bases("11", [Outcome::Fits, Outcome::Fits, Outcome::NoPlacementFound, Outcome::NoPlacementFound], [1, 0, 0, 0])]
#[case::all_but_best_effort("14", [Outcome::Fits; 4], [0; 4])]
#[case::all("16", [Outcome::Fits; 4], [1, 1, 0, 0])]
fn guaranteed_pods_go_before_best_effort_ones(
    #[case] cpu: &str,
    #[case] expected: [Outcome; 4],
    #[case] best_effort: [u32; 4],
) {
    let snapshot = dump(&[node_of("n", cpu)], &[]);
    let verdicts = place_gangs(&snapshot, &gangs(&set(), &snapshot));
    assert_eq!(outcomes(&verdicts), expected);
    let found: Vec<u32> = verdicts.iter().map(|verdict| verdict.best_effort).collect();
    assert_eq!(found, best_effort);
}

fn pod_of(name: &str, podclique: &str, phase: &str) -> Value {
    let labels = json!({"app.kubernetes.io/part-of": "svc", "grove.io/podclique": podclique});
    json!({
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", "labels": labels},
        "spec": {"nodeName": "n", "containers": [
            {"name": "main", "resources": {"requests": {"cpu": "1"}}},
        ]},
        "status": {"phase": phase},
    })
}

/// The scheduler does not move them, and they do not count twice.
#[test]
fn pods_of_the_set_that_are_placed_keep_their_places() {
    let podcliques = [
        "svc-0-router",
        "svc-0-router",
        "svc-0-grp-0-worker",
        "svc-0-grp-1-worker",
    ];
    let mut pods: Vec<Value> = podcliques
        .iter()
        .enumerate()
        .map(|(i, podclique)| pod_of(&format!("p{i}"), podclique, "Running"))
        .collect();
    pods.push(pod_of("ended", "svc-0-grp-0-worker", "Failed"));
    let mut leaving = pod_of("leaving", "svc-0-grp-1-worker", "Running");
    leaving["metadata"]["deletionTimestamp"] = json!("2026-10-01T00:00:00Z");
    pods.push(leaving);
    let mut set = set();
    set["spec"]["replicas"] = json!(1);
    let judge = |cpu: &str| {
        let snapshot = dump(&[node_of("n", cpu)], &pods);
        place_gangs(&snapshot, &gangs(&set, &snapshot))
    };
    // Five exist, one of them is being deleted; two are missing.
    let short = judge("6");
    assert_eq!(
        outcomes(&short),
        [Outcome::NoPlacementFound, Outcome::WaitsForBase]
    );
    assert_eq!(short[0].guaranteed, 4);
    let enough = judge("7");
    assert_eq!(
        outcomes(&enough),
        [Outcome::Fits, Outcome::NoPlacementFound]
    );
    assert_eq!((enough[0].guaranteed, enough[0].best_effort), (5, 1));
    let placed: u32 = enough[0].places.iter().map(|p| p.guaranteed).sum();
    assert_eq!(placed, 2);
}

fn with_pod(mut set: Value, key: &str, value: &Value) -> Value {
    for clique in set["spec"]["template"]["cliques"].as_array_mut().unwrap() {
        clique["spec"]["podSpec"][key] = value.clone();
    }
    set
}

/// `matchLabelKeys` are labels that the operator sets: no two pods of one gang share a node; pods
/// of other gangs do not matter.
#[test]
fn anti_affinity_by_labels_of_the_operator_is_understood() {
    let selector = json!({"matchLabels": {"app.kubernetes.io/part-of": "svc"}});
    let term = json!({
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": selector,
        "matchLabelKeys": ["grove.io/podgang"],
    });
    let required = json!({"requiredDuringSchedulingIgnoredDuringExecution": [term]});
    let set = with_pod(set(), "affinity", &json!({"podAntiAffinity": required}));
    let judge = |nodes: usize| {
        let nodes: Vec<Value> = (0..nodes).map(|i| node_of(&format!("n{i}"), "8")).collect();
        let snapshot = dump(&nodes, &[]);
        outcomes(&place_gangs(&snapshot, &gangs(&set, &snapshot)))
    };
    assert_eq!(judge(5), [Outcome::Fits; 4]);
    let waits = Outcome::WaitsForBase;
    assert_eq!(
        judge(4),
        [
            Outcome::NoPlacementFound,
            Outcome::NoPlacementFound,
            waits,
            waits
        ]
    );
}

#[rstest]
#[case::one_port(json!([{"containerPort": 80, "hostPort": 80}]), Outcome::NoPlacementFound)]
#[case::udp(json!([{"containerPort": 80, "hostPort": 80, "protocol": "UDP"}]), Outcome::Fits)]
#[case::another_address(
    json!([{"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.2"}]), Outcome::Fits,
)]
#[case::every_address(
    json!([{"containerPort": 80, "hostPort": 80, "hostIP": "0.0.0.0"}]), Outcome::NoPlacementFound,
)]
#[case::not_of_the_node(json!([{"containerPort": 80}]), Outcome::Fits)]
fn a_port_of_a_node_is_taken_once(#[case] ports: Value, #[case] expected: Outcome) {
    let taken = json!([{"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}]);
    let mut other = pod_of("other", "svc-9-other", "Running");
    other["spec"]["containers"][0]["ports"] = taken;
    let snapshot = dump(&[node_of("n", "8")], &[other]);
    let mut set = set();
    set["spec"]["replicas"] = json!(1);
    let template = &mut set["spec"]["template"];
    template["podCliqueScalingGroups"] = json!([]);
    template["cliques"].as_array_mut().unwrap().truncate(1);
    template["cliques"][0]["spec"]["podSpec"]["containers"][0]["ports"] = ports;
    let verdicts = place_gangs(&snapshot, &gangs(&set, &snapshot));
    assert_eq!(outcomes(&verdicts), [expected]);
}

/// If some pods of a gang are placed, the others have to join them.
#[test]
fn the_domain_of_pods_that_are_placed_counts() {
    let zone = |name: &str, zone: &str, cpu: &str| {
        let mut node = node_of(name, cpu);
        node["metadata"]["labels"]["topology.kubernetes.io/zone"] = json!(zone);
        node
    };
    let mut set = set();
    set["spec"]["replicas"] = json!(1);
    let template = &mut set["spec"]["template"];
    template["podCliqueScalingGroups"] = json!([]);
    template["topologyConstraint"] = json!({"topologyName": "zones", "pack": {"required": "zone"}});
    let binding = json!({
        "kind": "ClusterTopologyBinding", "apiVersion": "grove.io/v1alpha1",
        "metadata": {"name": "zones"},
        "spec": {"levels": [{"domain": "zone", "key": "topology.kubernetes.io/zone"}]},
    });
    let judge = |cpu: &str| {
        let nodes = [
            zone("n", "a", cpu),
            zone("other", "b", "8"),
            binding.clone(),
        ];
        let snapshot = dump(&nodes, &[pod_of("p", "svc-0-worker", "Running")]);
        outcomes(&place_gangs(&snapshot, &gangs(&set, &snapshot)))
    };
    assert_eq!(judge("3"), [Outcome::Fits]);
    assert_eq!(judge("2"), [Outcome::NoPlacementFound]);
}

#[rstest]
#[case::none("", NodeOrder::LeastAllocated)]
#[case::default("default-scheduler", NodeOrder::LeastAllocated)]
#[case::kai("kai-scheduler", NodeOrder::MostAllocated)]
fn the_scheduler_of_the_set_decides_the_order_of_nodes(
    #[case] scheduler: &str,
    #[case] expected: NodeOrder,
) {
    let set = with_pod(set(), "schedulerName", &json!(scheduler));
    let gangs = gangs(&set, &dump(&[node_of("n", "8")], &[]));
    assert!(gangs.iter().all(|gang| gang.node_order == expected));
}
