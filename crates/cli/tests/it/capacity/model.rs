//! Small clusters and gangs.

use std::collections::BTreeMap;
use std::rc::Rc;

use cli::capacity::{ClusterSnapshot, Gang, GangPart, NodeOrder, Pack, PodNeeds, read_dump};
use domain::topology::Levels;
use proptest::prelude::*;
use serde_json::{Value, json};

pub const HOST: &str = "kubernetes.io/hostname";
pub const ZONE: &str = "topology.kubernetes.io/zone";

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeModel {
    pub cpu: i64,
    pub gpu: i64,
    pub pods: i64,
    /// `None`: the node is in no zone.
    pub zone: Option<u8>,
    pub is_tainted: bool,
}

/// Pods to keep away from, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repels {
    pub app: char,
    pub key: &'static str,
}

/// Pods of one clique, or one pod that is bound to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodModel {
    pub cpu: i64,
    pub gpu: i64,
    pub app: char,
    pub bears_taint: bool,
    pub repels: Option<Repels>,
    pub has_port: bool,
}

/// A clique of a gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartModel {
    pub pod: PodModel,
    pub guaranteed: u32,
    pub best_effort: u32,
    /// Whether its pods have to share a zone.
    pub is_packed: bool,
}

/// A gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangModel {
    pub parts: Vec<PartModel>,
    /// Whether all its pods have to share a zone.
    pub is_packed: bool,
}

/// A cluster with its pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    pub nodes: Vec<NodeModel>,
    /// By the number of the node.
    pub bound: Vec<(usize, PodModel)>,
    pub gangs: Vec<GangModel>,
}

pub fn node(cpu: i64, gpu: i64) -> NodeModel {
    NodeModel {
        cpu,
        gpu,
        pods: 110,
        zone: Some(0),
        is_tainted: false,
    }
}

pub fn pod(cpu: i64, gpu: i64) -> PodModel {
    PodModel {
        cpu,
        gpu,
        app: 'a',
        bears_taint: false,
        repels: None,
        has_port: false,
    }
}

pub fn part(pod: PodModel, guaranteed: u32) -> PartModel {
    PartModel {
        pod,
        guaranteed,
        best_effort: 0,
        is_packed: false,
    }
}

pub fn gang(parts: &[PartModel]) -> GangModel {
    GangModel {
        parts: parts.to_vec(),
        is_packed: false,
    }
}

impl PodModel {
    pub fn spec(&self) -> Value {
        let mut container = json!({"name": "main", "resources": {"requests": {
            "cpu": self.cpu.to_string(), "example.com/gpu": self.gpu.to_string(),
        }}});
        if self.has_port {
            container["ports"] = json!([{"containerPort": 80, "hostPort": 8080}]);
        }
        let mut spec = json!({"containers": [container]});
        if self.bears_taint {
            spec["tolerations"] = json!([{"key": "special", "operator": "Exists"}]);
        }
        if let Some(Repels { app, key }) = self.repels {
            let selector = json!({"matchLabels": {"app": app.to_string()}});
            let term = json!({"topologyKey": key, "labelSelector": selector});
            let required = "requiredDuringSchedulingIgnoredDuringExecution";
            spec["affinity"] = json!({"podAntiAffinity": {required: [term]}});
        }
        spec
    }

    fn labels(&self) -> BTreeMap<String, String> {
        BTreeMap::from([("app".to_owned(), self.app.to_string())])
    }
}

impl World {
    /// In the form of `kubectl get nodes,pods -A -o json`.
    pub fn dump(&self) -> Value {
        let nodes = self.nodes.iter().enumerate().map(|(i, node)| {
            let mut labels = json!({HOST: node_name(i)});
            if let Some(zone) = node.zone {
                labels[ZONE] = json!(format!("z{zone}"));
            }
            let tainted = json!([{"key": "special", "effect": "NoSchedule"}]);
            json!({
                "kind": "Node",
                "metadata": {"name": node_name(i), "labels": labels},
                "spec": {"taints": if node.is_tainted { tainted } else { json!([]) }},
                "status": {"allocatable": {
                    "cpu": node.cpu.to_string(),
                    "example.com/gpu": node.gpu.to_string(),
                    "pods": node.pods.to_string(),
                }},
            })
        });
        let pods = self.bound.iter().enumerate().map(|(i, (node, pod))| {
            let mut spec = pod.spec();
            spec["nodeName"] = json!(node_name(*node));
            json!({
                "kind": "Pod",
                "metadata": {
                    "name": format!("bound-{i}"), "namespace": "ml", "labels": pod.labels(),
                },
                "spec": spec,
                "status": {"phase": "Running"},
            })
        });
        json!({"kind": "List", "items": nodes.chain(pods).collect::<Vec<_>>()})
    }

    pub fn snapshot(&self) -> ClusterSnapshot {
        read_dump(&self.dump().to_string(), "dump").unwrap()
    }

    pub fn gangs(&self) -> Vec<Gang> {
        let gangs = self.gangs.iter().enumerate();
        gangs.map(|(i, gang)| gang.gang(&format!("g{i}"))).collect()
    }
}

impl GangModel {
    fn gang(&self, name: &str) -> Gang {
        let levels = json!([{"domain": "zone", "key": ZONE}]).to_string();
        let pack = |scope: String| Pack {
            scope,
            levels: Levels::from_text(&levels).unwrap(),
        };
        let parts = self.parts.iter().enumerate().map(|(i, part)| {
            let template = serde_json::from_value(part.pod.spec()).unwrap();
            let own = part.is_packed.then(|| pack(format!("part {name}-{i}")));
            let outer = self.is_packed.then(|| pack(format!("gang {name}")));
            GangPart {
                podclique: format!("{name}-{i}"),
                clique: format!("c{i}"),
                needs: Rc::new(PodNeeds::of_template(&template, "ml").unwrap()),
                labels: part.pod.labels(),
                packs: outer.into_iter().chain(own).collect(),
                guaranteed: part.guaranteed,
                best_effort: part.best_effort,
                held: Vec::new(),
            }
        });
        Gang {
            namespace: "ml".to_owned(),
            set: "svc".to_owned(),
            name: name.to_owned(),
            base: None,
            node_order: NodeOrder::default(),
            parts: parts.collect(),
        }
    }
}

/// Names whose order differs from that of the numbers, so that the snapshot has another order too.
pub fn node_name(number: usize) -> String {
    format!("n{}{number}", ["c", "a", "b"][number % 3])
}

pub fn number_of(name: &str) -> usize {
    name[2..].parse().unwrap()
}

fn some_repels() -> impl Strategy<Value = Option<Repels>> {
    let one = (
        prop_oneof![Just('a'), Just('b')],
        prop_oneof![Just(HOST), Just(ZONE)],
    );
    prop::option::weighted(0.25, one.prop_map(|(app, key)| Repels { app, key }))
}

fn some_pod() -> impl Strategy<Value = PodModel> {
    let app = prop_oneof![Just('a'), Just('b')];
    let is_set = || prop::bool::weighted(0.15);
    (
        0..4_i64,
        0..3_i64,
        app,
        prop::bool::ANY,
        some_repels(),
        is_set(),
    )
        .prop_map(|(cpu, gpu, app, bears_taint, repels, has_port)| PodModel {
            cpu,
            gpu,
            app,
            bears_taint,
            repels,
            has_port,
        })
}

fn some_node() -> impl Strategy<Value = NodeModel> {
    let zone = prop::option::weighted(0.9, 0..2_u8);
    (
        1..7_i64,
        0..5_i64,
        1..6_i64,
        zone,
        prop::bool::weighted(0.2),
    )
        .prop_map(|(cpu, gpu, pods, zone, is_tainted)| NodeModel {
            cpu,
            gpu,
            pods,
            zone,
            is_tainted,
        })
}

fn some_gang() -> impl Strategy<Value = GangModel> {
    let packed = || prop::bool::weighted(0.15);
    let part = (some_pod(), 0..4_u32, 0..2_u32, packed()).prop_map(
        |(pod, guaranteed, best_effort, is_packed)| PartModel {
            pod,
            guaranteed,
            best_effort,
            is_packed,
        },
    );
    let parts = prop::collection::vec(part, 1..3);
    (parts, packed()).prop_map(|(parts, is_packed)| GangModel { parts, is_packed })
}

/// Up to that many gangs on 1 to 4 nodes, with up to 3 bound pods.
pub fn some_world(gangs: usize) -> impl Strategy<Value = World> {
    let nodes = prop::collection::vec(some_node(), 1..5);
    let bound = prop::collection::vec((0..4_usize, some_pod()), 0..4);
    let gangs = prop::collection::vec(some_gang(), 1..=gangs);
    (nodes, bound, gangs).prop_map(|(nodes, bound, gangs)| {
        let bound = bound.into_iter().map(|(at, pod)| (at % nodes.len(), pod));
        World {
            bound: bound.collect(),
            nodes,
            gangs,
        }
    })
}
