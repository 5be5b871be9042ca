//! Small clusters and gangs, so small that all placements can be tried.

use std::collections::BTreeMap;
use std::rc::Rc;

use cli::capacity::{Gang, GangPart, Pack, PodNeeds, Snapshot, read_dump};
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
    /// In none without one.
    pub zone: Option<u8>,
    pub is_tainted: bool,
}

/// What pods keep away from, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repels {
    pub app: char,
    pub key: &'static str,
}

/// Pods of one clique, or one that is on a node.
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
    /// Whether all of it has to share a zone.
    pub is_packed: bool,
}

/// A cluster with what is on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    pub nodes: Vec<NodeModel>,
    /// By number of the node.
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
    /// As `kubectl get nodes,pods -A -o json` shows it.
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

    pub fn snapshot(&self) -> Snapshot {
        read_dump(&self.dump().to_string(), "dump").unwrap()
    }

    pub fn gangs(&self) -> Vec<Gang> {
        let gangs = self.gangs.iter().enumerate();
        gangs.map(|(i, gang)| gang.gang(&format!("g{i}"))).collect()
    }
}

impl GangModel {
    fn gang(&self, name: &str) -> Gang {
        let pack = |scope: &str| Pack {
            scope: scope.to_owned(),
            level: "zone".to_owned(),
            key: ZONE.to_owned(),
        };
        let parts = self.parts.iter().enumerate().map(|(i, part)| {
            let template = serde_json::from_value(part.pod.spec()).unwrap();
            let own = part.is_packed.then(|| pack(&format!("part {i}")));
            let outer = self.is_packed.then(|| pack("gang"));
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
            parts: parts.collect(),
        }
    }
}

/// Names that are not in the order of the numbers, so that neither is the snapshot.
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

pub fn some_node() -> impl Strategy<Value = NodeModel> {
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

/// Up to so many gangs on 1 to 4 nodes, with up to 3 pods there.
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

/// Pods that fill their nodes, or nearly: of a gang of them, only few placements are one, or none
/// if one pod is a little larger. What keeps pods apart is told by the nodes that they came from.
pub fn some_full_world() -> impl Strategy<Value = World> {
    let pod = (
        1..6_i64,
        0..4_i64,
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.2),
    );
    let of_node = (
        prop::collection::vec(pod, 1..4),
        0..3_u8,
        prop::bool::weighted(0.2),
    );
    let nodes = prop::collection::vec(of_node, 2..5);
    let larger = prop::option::of((0..12_usize, prop::bool::ANY));
    let split = (
        1..3_usize,
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.1),
    );
    (nodes, larger, split).prop_map(|(filled, larger, (gangs, has_zones, is_packed))| {
        let (mut nodes, mut pods) = (Vec::new(), Vec::new());
        for (own, zone, is_tainted) in &filled {
            let sum = |of: fn(&(i64, i64, bool, bool)) -> i64| own.iter().map(of).sum::<i64>();
            nodes.push(NodeModel {
                zone: has_zones.then_some(*zone % 2),
                pods: i64::try_from(own.len()).unwrap() + i64::from(*zone == 0),
                is_tainted: *is_tainted,
                ..node(sum(|p| p.0) + i64::from(*zone == 2), sum(|p| p.1))
            });
            let first = |(i, _): &(usize, &(i64, i64, bool, bool))| *i == 0;
            for one in own.iter().enumerate() {
                let (is_first, (_, (cpu, gpu, repels, has_port))) = (first(&one), one);
                let key = if has_zones { ZONE } else { HOST };
                pods.push(PodModel {
                    app: if is_first { 'a' } else { 'b' },
                    bears_taint: *is_tainted,
                    repels: (is_first && *repels).then_some(Repels { app: 'a', key }),
                    has_port: is_first && *has_port,
                    ..super::model::pod(*cpu, *gpu)
                });
            }
        }
        if let Some((number, is_gpu)) = larger {
            let count = pods.len();
            let pod = &mut pods[number % count];
            *(if is_gpu { &mut pod.gpu } else { &mut pod.cpu }) += 1;
        }
        World {
            nodes,
            bound: Vec::new(),
            gangs: split_into(gangs, pods, is_packed),
        }
    })
}

/// The pods in turn, equal ones as one part.
fn split_into(gangs: usize, pods: Vec<PodModel>, is_packed: bool) -> Vec<GangModel> {
    let mut all = vec![
        GangModel {
            parts: Vec::new(),
            is_packed
        };
        gangs
    ];
    for (i, pod) in pods.into_iter().enumerate() {
        let parts = &mut all[i % gangs].parts;
        match parts.iter_mut().find(|part| part.pod == pod) {
            Some(part) => part.guaranteed += 1,
            None => parts.push(part(pod, 1)),
        }
    }
    all
}
