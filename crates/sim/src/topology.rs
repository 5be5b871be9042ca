//! The topology of the simulated cluster: its nodes, the binding that names its levels, and the
//! domains of nodes. Only some seeds have one.

pub mod scopes;

use api::labels;
use serde_json::{Value, json};

use crate::Rng;
use crate::resource::{Id, Resource};
use crate::store::{Store, Stored};
use crate::view;

/// Name of the ClusterTopologyBinding.
pub const BINDING: &str = "fabric";

/// The scheduler that places pods by topology.
pub const SCHEDULER: &str = "kai-scheduler";

/// The levels, broadest first: the name of each, and its node label.
pub const LEVELS: [(&str, &str); 3] = [
    ("zone", "topology.kubernetes.io/zone"),
    ("rack", "topology.kubernetes.io/rack"),
    ("host", "kubernetes.io/hostname"),
];

/// Zone and rack of each rack. Racks `r0` of both zones are two domains.
const RACKS: [(&str, &str); 4] = [("z0", "r0"), ("z0", "r1"), ("z1", "r0"), ("z1", "r2")];

/// The node that has no rack: it is in no domain of a level below the zone.
const LOOSE: &str = "z1-loose";

/// In this many of a thousand seeds the cluster has a topology, and the sets have constraints.
const SEEDS: usize = 200;

/// Whether the cluster of this seed has a topology. A separate random source: it changes nothing
/// about the other seeds, and the number is one with which canaries find their bugs in these.
pub fn is_in(seed: u64) -> bool {
    const APART: u64 = 0x70B0_164E;
    Rng::new(seed ^ APART).chance(SEEDS)
}

/// Creates the nodes, the binding, and the topology that the scheduler reads.
pub fn install(store: &mut Store) {
    for node in nodes() {
        store.add("administrator", Resource::Node, node);
    }
    let level = |(domain, key): &(&str, &str)| json!({"domain": domain, "key": key});
    add_levels(store, Resource::ClusterTopologyBinding, level);
    add_levels(
        store,
        Resource::KaiTopology,
        |(_, key)| json!({"nodeLabel": key}),
    );
}

fn add_levels(store: &mut Store, resource: Resource, level: fn(&(&str, &str)) -> Value) {
    let levels: Vec<Value> = LEVELS.iter().map(level).collect();
    let object = json!({
        "apiVersion": resource.api_version(),
        "kind": resource.kind(),
        "metadata": {"name": BINDING},
        "spec": {"levels": levels},
    });
    store.add("administrator", resource, object);
}

/// Whether the cluster has a topology.
pub fn is_installed(store: &Store) -> bool {
    let binding = Id::of_cluster(Resource::ClusterTopologyBinding, BINDING);
    store.get(&binding).is_some()
}

/// The nodes as they are created, with two hosts in each rack.
pub fn nodes() -> impl Iterator<Item = Value> {
    let hosts = RACKS.iter().flat_map(|(zone, rack)| {
        (0..2).map(move |host| node(&format!("{zone}-{rack}-h{host}"), zone, Some(rack)))
    });
    hosts.chain([node(LOOSE, "z1", None)])
}

fn node(name: &str, zone: &str, rack: Option<&str>) -> Value {
    let [(_, of_zone), (_, of_rack), (_, of_host)] = LEVELS;
    let mut labels = json!({of_zone: zone, of_host: name});
    if let Some(rack) = rack {
        labels[of_rack] = json!(rack);
    }
    json!({
        "apiVersion": Resource::Node.api_version(),
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {},
        "status": {
            "allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    })
}

/// The node of that name.
pub fn find_node<'a>(store: &'a Store, name: &str) -> Option<&'a Stored> {
    store.get(&Id::of_cluster(Resource::Node, name))
}

/// Position of the level of that name, 0 for the broadest.
pub fn position(domain: &str) -> Option<usize> {
    LEVELS.iter().position(|(name, _)| *name == domain)
}

/// Position of the level with that node label.
pub fn position_of_key(key: &str) -> Option<usize> {
    LEVELS.iter().position(|(_, own)| *own == key)
}

/// The domain of a node at the level at `position`: the values of the labels of all levels down to
/// it. A node that lacks one of them is in none.
pub fn domain(node: &Value, position: usize) -> Option<Vec<&str>> {
    let levels = LEVELS.iter().take(position + 1);
    levels
        .map(|(_, key)| Some(view::label(node, key)).filter(|value| !value.is_empty()))
        .collect()
}

/// The node labels to which the operator has pinned a pod.
pub fn pin(pod: &Value) -> Option<Value> {
    serde_json::from_str(view::annotation(pod, labels::PINNED)).ok()
}
