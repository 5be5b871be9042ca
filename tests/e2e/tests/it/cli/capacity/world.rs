//! Small clusters, each with one gang, so that many of them go into one control plane: nodes of one
//! are for its gang alone.

use localcluster::MANUAL_STATUS_LABEL;
use serde_json::{Value, json};
use sim::Rng;

use crate::harness::manifest;

/// Label and taint of nodes, with the number of their cluster.
pub const CLUSTER: &str = "e2e.example.com/capacity";
/// A taint that not every pod tolerates.
const SPECIAL: &str = "e2e.example.com/special";
const GPU: &str = "example.com/gpu";

/// Resources of a node, or requests of a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// In halves of one.
    pub cpu: i64,
    /// In 256Mi.
    pub memory: i64,
    pub gpu: i64,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    pub name: String,
    pub has: Amounts,
    pub pods: i64,
    pub is_special: bool,
    /// Pods that were placed before.
    pub loaded: Vec<Amounts>,
}

/// A clique of the gang.
#[derive(Clone, Debug)]
pub struct Clique {
    pub name: String,
    pub wants: Amounts,
    pub bears_special: bool,
    pub replicas: i64,
    pub minimum: i64,
}

/// A cluster and its gang.
#[derive(Clone, Debug)]
pub struct World {
    /// Name of the set.
    pub name: String,
    pub nodes: Vec<Node>,
    pub cliques: Vec<Clique>,
}

impl World {
    /// A random cluster with that number.
    pub fn any(number: usize, rng: &mut Rng) -> Self {
        let name = format!("c{number}");
        let nodes = 0..rng.between(2, 5);
        let cliques = 0..rng.between(1, 3);
        Self {
            nodes: nodes
                .map(|i| any_node(format!("{name}-n{i}"), rng))
                .collect(),
            cliques: cliques.map(|i| any_clique(format!("q{i}"), rng)).collect(),
            name,
        }
    }

    /// The set of the gang.
    pub fn set(&self) -> Value {
        let cliques = self.cliques.iter().map(|clique| self.clique(clique));
        manifest::set(&self.name, &cliques.collect::<Vec<_>>(), &[])
    }

    fn clique(&self, clique: &Clique) -> Value {
        let mut made = manifest::held_clique(&clique.name, 0);
        made["spec"]["replicas"] = json!(clique.replicas);
        made["spec"]["minAvailable"] = json!(clique.minimum);
        let pod = &mut made["spec"]["podSpec"];
        pod["nodeSelector"] = json!({CLUSTER: self.name});
        // No kubelet reports here.
        let mut borne = vec![
            CLUSTER,
            "node.kubernetes.io/not-ready",
            "node.kubernetes.io/unreachable",
        ];
        borne.extend(clique.bears_special.then_some(SPECIAL));
        let borne = borne
            .iter()
            .map(|key| json!({"key": key, "operator": "Exists"}));
        pod["tolerations"] = borne.collect();
        make_cheap(pod, clique.wants);
        made
    }

    /// Its nodes, as objects.
    pub fn node_objects(&self) -> Vec<Value> {
        self.nodes
            .iter()
            .map(|node| self.node_object(node))
            .collect()
    }

    fn node_object(&self, node: &Node) -> Value {
        let taint =
            |key: &str, value: &str| json!({"key": key, "value": value, "effect": "NoSchedule"});
        let mut taints = vec![taint(CLUSTER, &self.name)];
        taints.extend(node.is_special.then(|| taint(SPECIAL, "")));
        let mut has = node.has.quantities();
        has["pods"] = json!(node.pods.to_string());
        json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": node.name, "labels": {
                "kubernetes.io/hostname": node.name, CLUSTER: self.name, MANUAL_STATUS_LABEL: "true",
            }},
            "spec": {"taints": taints},
            "status": {"allocatable": has, "capacity": has},
        })
    }

    /// The pods that were placed before, as objects.
    pub fn pod_objects(&self) -> Vec<Value> {
        let pods = self.nodes.iter().flat_map(|node| {
            let loaded = node.loaded.iter().enumerate();
            loaded.map(|(i, wants)| {
                let container = json!({"name": "main", "image": "registry.k8s.io/pause:3.10"});
                let mut spec = json!({"nodeName": node.name, "containers": [container]});
                make_cheap(&mut spec, *wants);
                json!({
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {
                        "name": format!("{}-{i}", node.name),
                        "labels": {MANUAL_STATUS_LABEL: "true"},
                    },
                    "spec": spec,
                })
            })
        });
        pods.collect()
    }
}

/// Nothing is mounted, and the pod ends at once.
fn make_cheap(spec: &mut Value, wants: Amounts) {
    spec["terminationGracePeriodSeconds"] = json!(0);
    spec["automountServiceAccountToken"] = json!(false);
    let wants = wants.quantities();
    spec["containers"][0]["resources"] = json!({"requests": wants, "limits": wants});
}

impl Amounts {
    fn quantities(self) -> Value {
        let mut all = json!({
            "cpu": format!("{}m", self.cpu * 500),
            "memory": format!("{}Mi", self.memory * 256),
        });
        if self.gpu > 0 {
            all[GPU] = json!(self.gpu.to_string());
        }
        all
    }
}

fn any_amounts(rng: &mut Rng, most: Amounts) -> Amounts {
    Amounts {
        cpu: rng.between(1, most.cpu),
        memory: rng.between(1, most.memory),
        gpu: rng.between(0, most.gpu),
    }
}

fn any_node(name: String, rng: &mut Rng) -> Node {
    let most = Amounts {
        cpu: 12,
        memory: 12,
        gpu: 4,
    };
    let mut has = any_amounts(rng, most);
    has.cpu += 4;
    has.memory += 4;
    let loaded = 0..rng.between(0, 2);
    let part = Amounts {
        cpu: 3,
        memory: 3,
        gpu: i64::from(has.gpu > 1),
    };
    Node {
        name,
        has,
        pods: rng.between(3, 8),
        is_special: rng.chance(200),
        loaded: loaded.map(|_| any_amounts(rng, part)).collect(),
    }
}

fn any_clique(name: String, rng: &mut Rng) -> Clique {
    let replicas = rng.between(1, 4);
    Clique {
        name,
        wants: any_amounts(
            rng,
            Amounts {
                cpu: 6,
                memory: 6,
                gpu: 2,
            },
        ),
        bears_special: rng.chance(500),
        replicas,
        minimum: rng.between(1, replicas),
    }
}
