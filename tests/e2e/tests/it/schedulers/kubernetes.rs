//! Kubernetes' own scheduler, which does run here: gangs are placed as a whole or not at all.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::control_plane::{ControlPlane, fed, folder, printed};
use crate::harness::installation::Installation;
use crate::harness::manifest::set;
use crate::harness::operator::Operator;
use crate::harness::seen::name;
use crate::harness::{Namespace, Seen, condition, same, site};

/// Each node has as many as one pod asks for.
const SLOTS: &str = "example.com/slots";

/// Nodes with room for one pod each of those that ask for this resource; gone with this value.
struct Nodes<'a> {
    control_plane: &'a ControlPlane,
    resource: String,
    names: Vec<String>,
}

impl<'a> Nodes<'a> {
    fn new(control_plane: &'a ControlPlane, resource: &str, count: usize) -> Self {
        Self::of_each(control_plane, &[resource.to_owned()], count)
    }

    /// So many for each of these resources.
    fn of_each(control_plane: &'a ControlPlane, resources: &[String], count: usize) -> Self {
        let mut nodes = Self {
            control_plane,
            resource: resources[0].clone(),
            names: Vec::new(),
        };
        let all = resources
            .iter()
            .flat_map(|r| (0..count).map(move |i| node(r, i)));
        nodes.create(&all.collect::<Vec<_>>());
        nodes
    }

    fn add(&mut self) {
        let node = node(&self.resource, self.names.len());
        self.create(&[node]);
    }

    fn create(&mut self, nodes: &[Value]) {
        self.names
            .extend(nodes.iter().map(|node| name(node).to_owned()));
        let list = json!({"apiVersion": "v1", "kind": "List", "items": nodes});
        let mut create = self.control_plane.tool("kubectl", ["create", "-f", "-"]);
        let output = fed(&mut create, &list);
        assert!(output.status.success(), "{output:?}");
    }
}

fn node(resource: &str, index: usize) -> Value {
    let (_, short) = resource.split_once('/').unwrap();
    let name = format!("{short}-{index}");
    let mut resources = json!({"cpu": "64", "memory": "256Gi", "pods": "500"});
    resources[resource] = json!("8");
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, "type": "kwok"},
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "status": {"allocatable": resources, "capacity": resources},
    })
}

impl Drop for Nodes<'_> {
    fn drop(&mut self) {
        let mut delete = self.control_plane.tool("kubectl", ["delete", "node"]);
        printed(delete.args(["--ignore-not-found"]).args(&self.names));
    }
}

/// A clique whose pods need a node each.
fn clique(name: &str, resource: &str, replicas: u32) -> Value {
    let mut container = json!({"name": "main", "image": "registry.k8s.io/pause:3.10"});
    container["resources"] = json!({"limits": {resource: "8"}});
    json!({
        "name": name,
        "spec": {
            "roleName": name,
            "replicas": replicas,
            "podSpec": {"containers": [container]},
        },
    })
}

/// An operator that tells Kubernetes' own scheduler of gangs.
fn started(control_plane: &ControlPlane, gangs: &str) -> Operator {
    let profile = "config.scheduler.profiles[0]";
    let values = [
        format!("{profile}.name=default-scheduler"),
        format!("{profile}.backend=kubernetes"),
        format!("{profile}.gangs={gangs}"),
    ];
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let installation = Installation::on(control_plane, &values);
    let operator = Operator::start(&installation, &folder("kubernetes-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    operator
}

/// How many pods of each PodClique have a node.
fn bound(seen: &Seen) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for pod in seen.all("Pod") {
        let podclique = pod["metadata"]["labels"]["grove.io/podclique"].as_str();
        let count: &mut usize = counts.entry(podclique.unwrap().to_owned()).or_default();
        *count += usize::from(pod["spec"]["nodeName"].is_string());
    }
    counts
}

fn expect_bound(seen: &Seen, expected: &[(&str, usize)]) -> Result<(), String> {
    let expected = expected
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count));
    same("pods with a node", &bound(seen), &expected.collect())
}

/// How far the base gang is.
fn expect_phase(seen: &Seen, phase: &str) -> Result<(), String> {
    let gang = seen.one("PodGang", "svc-0")?;
    same("phase", &gang["status"]["schedulingPhase"], &json!(phase))
}

/// What the gang's condition says, with its reason.
fn told(seen: &Seen, kind: &str, called: &str, type_: &str) -> Result<String, String> {
    let object = seen.one(kind, called)?;
    let conditions = object["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    let mut of_type = conditions.filter(|c| c["type"] == type_);
    let found = of_type
        .next()
        .ok_or_else(|| format!("{called} has no {type_}"))?;
    Ok(format!(
        "{}: {}",
        condition(object, type_),
        found["message"]
    ))
}

/// The example of this scheduler is placed, those of others are accepted.
#[test]
fn the_examples_are_placed_and_accepted() {
    let control_plane = site::gangs();
    let operator = started(&control_plane, "Split");
    let ns = Namespace::on(&control_plane, &operator, "native-example");
    ns.apply_file("examples/schedulers/kubernetes.yaml");
    ns.until("it is placed", |seen| seen.expect_ready_pods(12));
    let groups = ns.kubectl(&["get", "podgroups.scheduling.k8s.io", "--output=name"]);
    // A leader that shares with nobody but its gang, and workers of each engine by themselves.
    let group = |name: &str| format!("podgroup.scheduling.k8s.io/kubernetes-gang-0{name}");
    let workers = [0, 1, 2].map(|j| group(&format!("-engine-{j}-worker")));
    let mut expected = vec![group(""), group("-engine-0")];
    expected.extend(workers);
    expected.sort();
    assert_eq!(groups.lines().collect::<Vec<_>>(), expected);
    for scheduler in ["kai-scheduler", "volcano"] {
        let example = format!("examples/schedulers/{scheduler}.yaml");
        ns.apply_file(&example);
    }
    ns.delete();
}

#[test]
fn a_gang_without_room_gets_nothing_and_says_why() {
    let control_plane = site::gangs();
    let operator = started(&control_plane, "Split");
    let mut nodes = Nodes::new(&control_plane, SLOTS, 4);
    let ns = Namespace::on(&control_plane, &operator, "native-room");
    ns.apply(&set(
        "svc",
        &[clique("a", SLOTS, 2), clique("b", SLOTS, 3)],
        &[],
    ));
    ns.until("it says why", |seen| {
        expect_bound(seen, &[("svc-0-a", 0), ("svc-0-b", 0)])?;
        let gang = told(seen, "PodGang", "svc-0", "Ready")?;
        let set = told(seen, "PodCliqueSet", "svc", "Ready")?;
        let says = |text: &String| text.contains("Insufficient example.com/slots");
        same(&gang, &says(&gang), &true)?;
        same(&set, &says(&set), &true)
    });
    nodes.add();
    ns.until("all of it is placed", |seen| {
        expect_phase(seen, "Scheduled")?;
        seen.expect_ready_pods(5)
    });

    let lost = ns.kubectl(&["get", "pods", "--output=jsonpath={.items[0].metadata.name}"]);
    let node = ns.kubectl(&["get", "pod", &lost, "--output=jsonpath={.spec.nodeName}"]);
    control_plane.kubectl(["cordon", &node]);
    ns.kubectl(&["delete", "pod", &lost]);
    ns.until("it waits for a node", |seen| {
        expect_phase(seen, "Pending")?;
        same("pods", &bound(seen).values().sum(), &4)
    });
    nodes.add();
    ns.until("it is placed elsewhere", |seen| {
        expect_phase(seen, "Scheduled")?;
        seen.expect_ready_pods(5)
    });
    ns.delete();
}

/// Each of a pair wants both nodes that there are, by two PodGroups: one more pod than it needs
/// finds no room.
#[test]
fn of_two_gangs_one_is_placed_whole_each_time() {
    const PAIRS: usize = 30;
    let control_plane = site::gangs();
    let operator = started(&control_plane, "Split");
    let resource = |pair: usize| format!("example.com/pair{pair}");
    let resources: Vec<String> = (0..PAIRS).map(resource).collect();
    let _nodes = Nodes::of_each(&control_plane, &resources, 2);
    let ns = Namespace::on(&control_plane, &operator, "native-pairs");
    let one_of = |pair: usize| {
        let mut extra = clique("b", &resource(pair), 2);
        extra["spec"]["minAvailable"] = json!(1);
        let cliques = [clique("a", &resource(pair), 1), extra];
        ["x", "y"].map(|one| set(&format!("{one}{pair}"), &cliques, &[]))
    };
    let sets: Vec<Value> = (0..PAIRS).flat_map(one_of).collect();
    ns.apply(&json!({"apiVersion": "v1", "kind": "List", "items": sets}));
    let mut halves: BTreeMap<String, u32> = BTreeMap::new();
    ns.until("one of each pair is placed whole", |seen| {
        let bound = bound(seen);
        let mut waiting = Vec::new();
        for pair in 0..PAIRS {
            let of = |one: &str| {
                let count = |clique: &str| bound.get(&format!("{one}{pair}-0-{clique}")).copied();
                (count("a").unwrap_or(0), count("b").unwrap_or(0))
            };
            let (x, y) = (of("x"), of("y"));
            let is_whole = matches!((x, y), ((1, 1), (0, 0)) | ((0, 0), (1, 1)));
            if !is_whole {
                waiting.push((pair, x, y));
            }
            if [x, y].iter().any(|one| ![(0, 0), (1, 1)].contains(one)) {
                *halves.entry(format!("{pair}")).or_default() += 1;
            }
        }
        same("pairs", &waiting, &Vec::new())
    });
    let longest = halves.values().max();
    assert!(
        longest.is_none_or(|looks| *looks < 8),
        "half a gang stayed: {halves:?}"
    );
    // So many take longer than a namespace is waited for.
    ns.kubectl(&["delete", "podcliquesets", "--all"]);
    ns.delete();
}

/// A router, and a group of four replicas of which two are required.
fn tree(resource: &str) -> Value {
    let cliques = ["router", "lead", "work"].map(|name| clique(name, resource, 1));
    let group = json!({
        "name": "g",
        "cliqueNames": ["lead", "work"],
        "replicas": 4,
        "minAvailable": 2,
    });
    set("svc", &cliques, &[group])
}

/// There is room for a router and three replicas, with a node to spare.
#[test]
fn of_a_tree_so_many_replicas_are_placed_whole_as_there_is_room_for() {
    let control_plane = site::gangs();
    let operator = started(&control_plane, "Tree");
    let nodes = Nodes::new(&control_plane, "example.com/tree", 8);
    let ns = Namespace::on(&control_plane, &operator, "native-tree");
    ns.apply(&tree(&nodes.resource));
    ns.until("three replicas are placed", |seen| {
        let bound = bound(seen);
        let of = |replica: u32| {
            let count = |clique: &str| bound.get(&format!("svc-0-g-{replica}-{clique}"));
            (count("lead").copied(), count("work").copied())
        };
        let mut replicas: Vec<_> = (0..4).map(of).collect();
        replicas.sort_unstable();
        let whole = (Some(1), Some(1));
        same("router", &bound.get("svc-0-router"), &Some(&1))?;
        same(
            "replicas",
            &replicas,
            &vec![(Some(0), Some(0)), whole, whole, whole],
        )
    });
    let objects = ns.kubectl(&["get", "compositepodgroups", "--output=name"]);
    let composite = |name: &str| format!("compositepodgroup.scheduling.k8s.io/{name}.groups");
    let mut expected: Vec<String> = (0..4).map(|j| composite(&format!("svc-0-g-{j}"))).collect();
    expected.extend([composite("svc-0-g"), composite("svc-0")]);
    assert_eq!(objects.lines().collect::<Vec<_>>(), expected);

    ns.kubectl(&["scale", "pcsg/svc-0-g", "--replicas=1"]);
    ns.until("one replica stays", |seen| {
        expect_bound(
            seen,
            &[
                ("svc-0-g-0-lead", 1),
                ("svc-0-g-0-work", 1),
                ("svc-0-router", 1),
            ],
        )
    });
    let is_there = |seen: &Seen| seen.all("Pod").iter().map(|p| name(p).to_owned()).collect();
    let before: Vec<String> = is_there(&ns.look().unwrap());
    ns.kubectl(&["scale", "pcsg/svc-0-g", "--replicas=3"]);
    ns.until("three are there again", |seen| {
        same("placed", &bound(seen).values().sum(), &7)
    });
    let after: Vec<String> = is_there(&ns.look().unwrap());
    assert!(
        before.iter().all(|pod| after.contains(pod)),
        "{before:?} {after:?}"
    );
    ns.delete();
}
