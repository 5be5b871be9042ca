//! A gang of one pod more than a rack has nodes: how soon its cause is named, and that it starts once it
//! fits. The scheduler of this cluster places all pods of the gang or none, one on each node, and refuses
//! them in the words of KAI Scheduler.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use operator::config::Gangs;
use serde_json::{Value, json};
use sim::actors::{self, GarbageCollector, Playing};
use sim::service::Server;
use sim::{Id, Resource, Rng, Store, expected, topology, view};
use testkit::builders::set;

use crate::cluster::PACE;
use crate::ring::{Begin, Ring, in_paused_time};
use crate::scenarios::{create, domains, manifest, ready_pods};

/// Zone and rack of each rack.
const RACKS: [(&str, &str); 4] = [("z0", "r0"), ("z0", "r1"), ("z1", "r2"), ("z1", "r3")];
/// Position of the level.
const RACK: usize = 1;
/// Nodes of a rack, each for one pod.
const NODES: usize = 4;
/// One pod too many.
const PODS: usize = 5;
/// How long an operator needs until it has read all lists.
const START: Duration = Duration::from_secs(1);
/// How soon PodGang and set name the cause, from the creation of the set on.
const SOON: Duration = Duration::from_secs(2);
/// Simulated time within which everything comes to rest.
const LIMIT: Duration = Duration::from_mins(10);
/// Lines of the story of a failure.
const LINES: usize = 80;

/// Four racks of four nodes.
fn begin() -> Begin {
    let scheduler = Some((topology::SCHEDULER, "kai-pod-grouper", Gangs::Split));
    let mut begin = Begin::empty().with_scheduler(scheduler).with_topology(true);
    for node in topology::nodes() {
        let id = Id::of_cluster(Resource::Node, view::name(&node));
        begin.store.remove("administrator", &id);
    }
    for rack in RACKS {
        for host in 0..NODES {
            add_node(&mut begin.store, rack, host);
        }
    }
    begin
}

fn add_node(store: &mut Store, (zone, rack): (&str, &str), host: usize) {
    let name = format!("{zone}-{rack}-h{host}");
    let [(_, of_zone), (_, of_rack), (_, of_host)] = topology::LEVELS;
    let node = json!({
        "apiVersion": Resource::Node.api_version(),
        "kind": "Node",
        "metadata": {"name": name, "labels": {of_zone: zone, of_rack: rack, of_host: name}},
        "spec": {},
        "status": {
            "allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110", "nvidia.com/gpu": "1"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    });
    store.add("administrator", Resource::Node, node);
}

/// All pods have to share a rack, and each needs the GPU of a node.
fn packed() -> Value {
    let pods = i32::try_from(PODS).unwrap();
    let mut packed = manifest(set("svc").clique("w", |c| c.replicas(pods).min(pods)));
    let template = &mut packed["spec"]["template"];
    template["topologyConstraint"] =
        json!({"topologyName": topology::BINDING, "pack": {"required": "rack"}});
    let spec = &mut template["cliques"][0]["spec"]["podSpec"];
    spec["schedulerName"] = json!(topology::SCHEDULER);
    spec["containers"][0]["resources"]["limits"] = json!({"nvidia.com/gpu": "1"});
    packed
}

/// The other actors.
async fn act(server: Server) {
    let mut rng = Rng::new(1);
    let mut collector = GarbageCollector::default();
    let mut changes = server.changes();
    loop {
        changes.mark_unchanged();
        let has_moved = server.with_store(|store| {
            schedule(store)
                || actors::run_pods(store, &mut rng, Playing::Nothing)
                || collector.act(store, &mut rng)
        });
        if has_moved {
            tokio::time::sleep(PACE).await;
        } else if changes.changed().await.is_err() {
            return;
        }
    }
}

/// Once all pods of the gang may be placed, they are, or they learn that no rack has room.
fn schedule(store: &mut Store) -> bool {
    let pods = waiting_pods(store);
    if pods.len() < PODS {
        return false;
    }
    let racks = free_nodes(store);
    let Some(nodes) = racks.values().find(|nodes| nodes.len() >= PODS) else {
        return refuse(store, &pods, &describe(&racks));
    };
    for (pod, node) in pods.iter().zip(nodes) {
        bind(store, pod, node);
    }
    true
}

fn waiting_pods(store: &Store) -> Vec<Id> {
    let is_waiting = |pod: &Value| {
        let has_node = !view::text(pod, "/spec/nodeName").is_empty();
        view::is_live(pod) && view::gates(pod).is_empty() && !has_node
    };
    let pods = store.all(Resource::Pod).filter(|(_, pod)| is_waiting(pod));
    pods.map(|(id, _)| id.clone()).collect()
}

/// The free nodes of each rack.
fn free_nodes(store: &Store) -> BTreeMap<String, Vec<String>> {
    let pods = store.all(Resource::Pod);
    let used: BTreeSet<&str> = pods
        .map(|(_, pod)| view::text(pod, "/spec/nodeName"))
        .collect();
    let mut racks = BTreeMap::<String, Vec<String>>::new();
    for (id, node) in store.all(Resource::Node) {
        let rack = topology::domain(node, RACK).unwrap().join(".");
        let free = racks.entry(rack).or_default();
        if !used.contains(id.name.as_str()) {
            free.push(id.name.clone());
        }
    }
    racks
}

fn describe(racks: &BTreeMap<String, Vec<String>>) -> String {
    let (_, key) = topology::LEVELS[RACK];
    let of_racks = racks.iter().map(|(rack, free)| {
        let free = free.len();
        format!("node-group {rack} can allocate only {free} of {PODS} required pods. \n")
    });
    let (of_racks, name) = (of_racks.collect::<Vec<_>>().concat(), topology::BINDING);
    format!(
        "Unable to schedule podgroup: {of_racks}topology {name}, requirement {key} couldn't be \
         satisfied for job <default/svc-0>."
    )
}

/// Returns whether this is new to a pod.
fn refuse(store: &mut Store, pods: &[Id], words: &str) -> bool {
    let time = store.stamp();
    let unaware: Vec<&Id> = pods
        .iter()
        .filter(|pod| !has_reason(store, pod, words))
        .collect();
    for pod in &unaware {
        store.edit("scheduler", pod, |pod| {
            pod["status"]["conditions"] = json!([{
                "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                "message": words, "lastTransitionTime": time,
            }]);
        });
    }
    !unaware.is_empty()
}

fn has_reason(store: &Store, pod: &Id, words: &str) -> bool {
    let pod = store.get(pod).into_iter();
    let mut conditions = pod.flat_map(|pod| view::list(pod, "/status/conditions"));
    conditions.any(|condition| view::text(condition, "/message") == words)
}

fn bind(store: &mut Store, pod: &Id, node: &str) {
    let time = store.stamp();
    store.edit("scheduler", pod, |pod| {
        pod["spec"]["nodeName"] = json!(node);
        pod["status"]["conditions"] =
            json!([{"type": "PodScheduled", "status": "True", "lastTransitionTime": time}]);
    });
}

/// Condition `Ready` of an object, with its message.
fn readiness_of(store: &Store, id: &Id) -> String {
    let object = store.get(id).into_iter();
    let mut conditions = object.flat_map(|object| view::list(object, "/status/conditions"));
    let ready = conditions.find(|condition| view::text(condition, "/type") == "Ready");
    ready.map_or_else(String::new, |ready| {
        let [status, reason, message] =
            ["/status", "/reason", "/message"].map(|field| view::text(ready, field));
        format!("{status}/{reason}: {message}")
    })
}

/// PodGang and set name the best rack and the shortfall.
fn expect_cause(store: &Store) -> Result<(), String> {
    const BEST: &str = "has room for 5 pods: the best, z0.r0, has room for 4, 1 too few";
    let objects = [
        (Resource::PodGang, "svc-0"),
        (Resource::PodCliqueSet, "svc"),
    ];
    for (resource, name) in objects {
        let said = readiness_of(store, &Id::new(resource, name));
        if !said.starts_with("False/TopologyNoDomain: ") || !said.contains(BEST) {
            return Err(format!("{name} says {said:?}, and not {BEST:?}"));
        }
    }
    Ok(())
}

/// All pods run in the rack that got a node more.
fn expect_placed(store: &Store) -> Result<(), String> {
    let racks = domains(store, RACK, "svc-0-");
    let mut problems = expected::problems(store);
    if ready_pods(store) != PODS || !racks.iter().eq([&Some(vec!["z1", "r2"])]) {
        let ready = ready_pods(store);
        problems.push(format!("{ready} pods are Ready, in {racks:?}"));
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}

async fn play(ring: &mut Ring) -> Result<(), String> {
    ring.pass(START).await?;
    let server = ring.wire.server.clone();
    server.with_store(|store| create(store, &packed()));
    ring.pass(SOON).await?;
    server.with_store(|store| expect_cause(store))?;
    server.with_store(|store| add_node(store, RACKS[2], NODES));
    ring.come_to_rest(LIMIT).await?;
    server.with_store(|store| expect_placed(store))
}

#[test]
fn a_gang_that_no_rack_can_hold_says_so_within_two_seconds() {
    let played = in_paused_time(async {
        let mut ring = Ring::start_among(begin(), act);
        ring.start_operator();
        let played = play(&mut ring).await;
        played.map_err(|wrong| format!("{}\n{wrong}", ring.story(LINES)))
    });
    if let Err(wrong) = played {
        panic!("{wrong}");
    }
}
