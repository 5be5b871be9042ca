//! I55: pods of a scope are in one domain, and are pinned only to what a list of their gang gave.

use sim::topology;

use super::*;

/// A cluster with a topology, and one PodClique that requires a rack.
fn racked() -> Store {
    let mut store = Store::new(testkit::builders::after(0));
    topology::install(&mut store);
    let set = json!({
        "apiVersion": Resource::PodCliqueSet.api_version(), "kind": "PodCliqueSet",
        "metadata": {"name": "demo"},
        "spec": {"replicas": 1, "template": {"cliques": [
            {"name": "a", "topologyConstraint": {"pack": {"required": "rack"}}},
        ]}},
    });
    create(&mut store, "user", Resource::PodCliqueSet, set);
    let set = uid_of(&store, Resource::PodCliqueSet, "demo");
    let podclique = json!({
        "apiVersion": Resource::PodClique.api_version(), "kind": "PodClique",
        "metadata": child("demo-0-a", &set), "spec": {"replicas": 3, "minAvailable": 1},
    });
    create(&mut store, OPERATOR, Resource::PodClique, podclique);
    store
}

/// Metadata of a child of the set with this uid.
fn child(name: &str, set: &str) -> Value {
    let mut meta = meta(name);
    meta["ownerReferences"][0]["uid"] = json!(set);
    meta
}

fn uid_of(store: &Store, resource: Resource, name: &str) -> String {
    let object = store.get(&Id::new(resource, name)).unwrap();
    object["metadata"]["uid"].as_str().unwrap().to_owned()
}

fn pod_id(name: &str) -> Id {
    Id::new(Resource::Pod, name)
}

fn add_pod(store: &mut Store, name: &str) {
    let owner = json!({
        "kind": "PodClique", "name": "demo-0-a", "controller": true,
        "uid": uid_of(store, Resource::PodClique, "demo-0-a"),
    });
    let pod = json!({
        "metadata": {
            "name": name, "ownerReferences": [owner], "annotations": {"note": "x"},
            "labels": {
                "app.kubernetes.io/part-of": "demo", (api::labels::PCS_REPLICA_INDEX): "0",
            },
        },
        "spec": {
            "hostname": format!("demo-0-a-{}", &name[name.len() - 1..]),
            "schedulingGates": [{"name": api::labels::POD_GANG_GATE}],
        },
    });
    create(store, OPERATOR, Resource::Pod, pod);
}

/// The pod gets this node.
fn bind(store: &mut Store, name: &str, node: &str) {
    store.edit("scheduler", &pod_id(name), |pod| {
        pod["spec"]["nodeName"] = json!(node);
    });
}

/// The verdict on all that happened after the pods were created, which the operator had seen.
fn judged(store: &Store, seen: usize) -> Option<&'static str> {
    let mut checker = Checker::default();
    let mut horizon = Horizon::default();
    for resource in [
        Resource::PodCliqueSet,
        Resource::PodCliqueScalingGroup,
        Resource::PodClique,
        Resource::PodGang,
        Resource::Pod,
        Resource::Node,
    ] {
        horizon.set(resource, seen);
    }
    let verdict = checker.check(store, &horizon);
    verdict.err().map(|violation| violation.invariant)
}

/// Three pods of one rack.
fn with_pods() -> Store {
    let mut store = racked();
    for name in ["demo-0-a-x0", "demo-0-a-x1", "demo-0-a-x2"] {
        add_pod(&mut store, name);
    }
    store
}

#[test]
fn i55_two_pods_of_a_scope_are_in_two_racks_of_the_same_name() {
    let mut store = with_pods();
    let seen = store.log.len();
    bind(&mut store, "demo-0-a-x0", "z0-r0-h0");
    bind(&mut store, "demo-0-a-x1", "z0-r0-h1");
    assert_eq!(judged(&store, seen), None);
    bind(&mut store, "demo-0-a-x2", "z1-r0-h0");
    assert_eq!(judged(&store, seen), Some("I55"));
}

#[test]
fn i55_a_node_without_the_label_is_in_no_rack() {
    let mut store = with_pods();
    let seen = store.log.len();
    bind(&mut store, "demo-0-a-x0", "z1-r0-h0");
    bind(&mut store, "demo-0-a-x1", "z1-loose");
    assert_eq!(judged(&store, seen), Some("I55"));
}

#[test]
fn i55_pods_that_are_gone_or_of_another_attempt_fix_no_domain() {
    let mut store = with_pods();
    let seen = store.log.len();
    bind(&mut store, "demo-0-a-x0", "z0-r0-h0");
    store.remove("chaos", &pod_id("demo-0-a-x0"));
    bind(&mut store, "demo-0-a-x1", "z1-r2-h0");
    assert_eq!(judged(&store, seen), None);
    let mut store = with_pods();
    store.edit(OPERATOR, &pod_id("demo-0-a-x0"), |pod| {
        pod["metadata"]["labels"][api::labels::ATTEMPT] = json!("1");
    });
    let seen = store.log.len();
    bind(&mut store, "demo-0-a-x0", "z0-r0-h0");
    bind(&mut store, "demo-0-a-x1", "z1-r2-h0");
    assert_eq!(judged(&store, seen), None);
}

/// What others did, or a node that got another rack, is no fault of the operator.
#[test]
fn i55_what_others_changed_is_not_judged() {
    let mut store = with_pods();
    let seen = store.log.len();
    bind(&mut store, "demo-0-a-x0", "z0-r0-h0");
    let node = Id::of_cluster(Resource::Node, "z0-r0-h0");
    store.edit("administrator", &node, |node| {
        node["metadata"]["labels"]["topology.kubernetes.io/rack"] = json!("r1");
    });
    bind(&mut store, "demo-0-a-x1", "z0-r1-h0");
    assert_eq!(judged(&store, seen), None);
    let mut store = with_pods();
    let seen = store.log.len();
    store.edit("chaos", &pod_id("demo-0-a-x0"), |pod| {
        pod["spec"]["schedulingGates"] = json!([]);
    });
    bind(&mut store, "demo-0-a-x0", "z0-r0-h0");
    bind(&mut store, "demo-0-a-x1", "z1-r2-h0");
    assert_eq!(judged(&store, seen), None);
}

/// The answer to the removal of a pod's gate with these node labels, of which the pod notes that
/// many, and the verdict.
fn pinned(listed: &Value, noted: &Value) -> (u16, Option<&'static str>) {
    let mut store = with_pods();
    let placements = json!([{"indexes": [0], "nodeSelector": listed}]);
    let part = json!({
        "name": "demo-0-a", "minReplicas": 1, "placements": placements,
        "podReferences": [{"namespace": "default", "name": "demo-0-a-x0"}],
    });
    let set = uid_of(&store, Resource::PodCliqueSet, "demo");
    let gang = json!({"metadata": child("demo-0", &set), "spec": {"podgroups": [part]}});
    create(&mut store, OPERATOR, Resource::PodGang, gang);
    let seen = store.log.len();
    let operations = json!([
        {"op": "remove", "path": "/spec/schedulingGates/0"},
        {"op": "add", "path": "/spec/nodeSelector", "value": {"rack": "r0"}},
        {"op": "add", "path": "/metadata/annotations/grove.io~1pinned", "value": noted.to_string()},
    ]);
    let path = format!("{}/demo-0-a-x0", Resource::Pod.path("default"));
    let answer = store.handle(OPERATOR, &Call::json_patch(&path, operations));
    let mut checker = Checker::default();
    let mut horizon = Horizon::default();
    horizon.set(Resource::Pod, seen);
    let verdict = checker.check(&store, &horizon);
    (
        answer.code,
        verdict.err().map(|violation| violation.invariant),
    )
}

#[test]
fn i55_a_pod_is_pinned_to_what_its_list_gives() {
    let rack = json!({"rack": "r0"});
    assert_eq!(pinned(&rack, &rack), (200, None));
    assert_eq!(pinned(&json!({"rack": "r1"}), &rack), (200, Some("I55")));
    assert_eq!(pinned(&rack, &json!({})), (200, Some("I6")));
}

/// As in the API server.
#[test]
fn the_node_selector_of_a_pod_without_a_gate_is_fixed() {
    let mut store = with_pods();
    let path = format!("{}/demo-0-a-x0", Resource::Pod.path("default"));
    let select = |rack: &str| Call::merge(&path, json!({"spec": {"nodeSelector": {"rack": rack}}}));
    assert_eq!(store.handle("user", &select("r0")).code, 200);
    assert_eq!(store.handle("user", &select("r1")).code, 422);
    let open = Call::merge(&path, json!({"spec": {"schedulingGates": []}}));
    assert_eq!(store.handle("user", &open).code, 200);
    let more = Call::merge(&path, json!({"spec": {"nodeSelector": {"zone": "z0"}}}));
    assert_eq!(store.handle("user", &more).code, 422);
}

/// All replicas of a group in one replica of the set are a scope, and each of them is one.
#[test]
fn the_scopes_of_a_pod_of_a_group_replica() {
    let required = |level: &str| json!({"pack": {"required": level}});
    let set = json!({"spec": {"template": {
        "podCliqueScalingGroups": [{
            "name": "g",
            "allReplicasTopologyConstraint": required("zone"),
            "topologyConstraint": required("rack"),
        }],
        "cliques": [{"name": "w"}],
    }}});
    let pod = json!({"metadata": {"namespace": "default"}});
    let found = topology::scopes::of_pod(&set, "demo-0-g-1-w", &pod);
    let found: Vec<(&str, usize)> = found
        .iter()
        .map(|scope| (scope.name.as_str(), scope.position))
        .collect();
    let expected = [("default/demo-0-g#0", 0), ("default/demo-0-g-1#0.0", 1)];
    assert_eq!(found, expected);
}
