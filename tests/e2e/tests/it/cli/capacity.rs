//! `capacity` predicts the verdict of kube-scheduler on a gang.

mod verify;
mod world;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sim::Rng;

use crate::harness::control_plane::{ControlPlane, fed, folder};
use crate::harness::namespace::called;
use crate::harness::operator::Operator;
use crate::harness::{Namespace, Seen, client, site};
use verify::expect_assignment;
use world::{CLUSTER, World};

/// Number of clusters in `make test`; `make soak` has 200: `CAPACITY_CLUSTERS=200`.
const CLUSTERS: usize = 40;

/// A seed for other clusters: `CAPACITY_SEED=7 cargo test -p e2e cli::capacity`.
const SEED: &str = "CAPACITY_SEED";

/// Both place pod after pod and never move one, but score nodes and order pods differently: one
/// gang in this many may be placed by only one of them.
const DIFFERENT_OF: usize = 8;

/// Nodes of all clusters; dropping the value deletes them.
struct Nodes<'a>(&'a ControlPlane);

impl<'a> Nodes<'a> {
    fn of(control_plane: &'a ControlPlane, worlds: &[World]) -> Self {
        let nodes = worlds.iter().flat_map(World::node_objects).collect();
        client::create_all(&control_plane.kubeconfig, "", nodes).unwrap();
        Self(control_plane)
    }
}

impl Drop for Nodes<'_> {
    fn drop(&mut self) {
        let all = format!("/api/v1/nodes?labelSelector={CLUSTER}");
        let answer = client::send(&self.0.kubeconfig, "DELETE", &all, &Value::Null);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

/// The outcome of a gang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Placed,
    Refused,
}

#[test]
fn capacity_and_kube_scheduler_agree_about_most_gangs() {
    let seed = std::env::var(SEED).map_or(1, |seed| seed.parse().unwrap());
    let clusters = std::env::var("CAPACITY_CLUSTERS").map_or(CLUSTERS, |n| n.parse().unwrap());
    let mut rng = Rng::new(seed);
    let worlds: Vec<World> = (0..clusters).map(|i| World::any(i, &mut rng)).collect();
    let operator = started();
    let site = site::gangs();
    let _nodes = Nodes::of(&site.control_plane, &worlds);
    let ns = Namespace::on(&site.control_plane, &operator, "cli-capacity");
    let pods = worlds.iter().flat_map(World::pod_objects).collect();
    client::create_all(&site.control_plane.kubeconfig, &ns.name, pods).unwrap();
    let sets: Vec<Value> = worlds.iter().map(World::set).collect();
    let sets = json!({"apiVersion": "v1", "kind": "List", "items": sets});

    let told = ask(&ns, &sets);
    let created = ns.feed(&["create", "-f", "-"], &sets);
    assert!(created.status.success(), "{created:?}");
    let fates = ns.until("the scheduler has decided about all", |seen| {
        fates(seen, &worlds)
    });

    let (mut different, mut wrong, mut placed) = (Vec::new(), Vec::new(), 0);
    for (world, fate) in worlds.iter().zip(fates) {
        let gang = &told[&*format!("{}-0", world.name)];
        match (gang["verdict"].as_str().unwrap(), fate) {
            ("fits", fate) => {
                placed += usize::from(fate == Fate::Placed);
                match expect_assignment(world, gang) {
                    Err(error) => wrong.push(format!("{error}: {gang} in {world:?}")),
                    Ok(()) if fate == Fate::Refused => different.push(&world.name),
                    Ok(()) => {}
                }
            }
            ("noPlacementFound", Fate::Refused) => {}
            ("noPlacementFound", Fate::Placed) => {
                placed += 1;
                different.push(&world.name);
            }
            _ => wrong.push(format!("{fate:?}, but {gang} in {world:?}")),
        }
    }
    println!("seed {seed}: {placed} placed, different: {different:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(different.len() <= clusters / DIFFERENT_OF, "{different:?}");
    // It would prove little if all outcomes were the same.
    assert!(
        (clusters / 4..=clusters * 3 / 4).contains(&placed),
        "{placed}"
    );
    ns.kubectl(&["delete", "podcliquesets", "--all", "--wait=false"]);
    ns.delete();
}

fn started() -> Operator {
    let profile = json!({"name": "default-scheduler", "backend": "kubernetes", "gangs": "Split"});
    let more = json!({
        "watchNamespaces": [called("cli-capacity")],
        "scheduler": {"profiles": [profile]},
    });
    let dir = folder("cli-capacity-operator");
    let installation = &site::gangs().installation;
    let operator = Operator::start_with(installation, &dir, &more.to_string()).unwrap();
    operator.wait_until_ready().unwrap();
    operator
}

/// The verdict of capacity on each gang, by name.
fn ask(ns: &Namespace<'_>, sets: &Value) -> BTreeMap<String, Value> {
    let mut command = ns.grove_command(&["capacity", "-", "--output", "json"]);
    let output = fed(&mut command, sets);
    // Some do not fit.
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let gangs = report["gangs"].as_array().unwrap().iter();
    let named = |gang: &Value| (gang["name"].as_str().unwrap().to_owned(), gang.clone());
    gangs.map(named).collect()
}

fn fates(seen: &Seen, worlds: &[World]) -> Result<Vec<Fate>, String> {
    let mut pods: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for pod in seen.all("Pod") {
        if let Some(gang) = pod["metadata"]["labels"]["grove.io/podgang"].as_str() {
            pods.entry(gang).or_default().push(pod);
        }
    }
    let fate = |world: &World| {
        let gang = format!("{}-0", world.name);
        let found = seen.one("PodGang", &gang)?;
        if found["status"]["schedulingPhase"] == "Scheduled" {
            return Ok(Fate::Placed);
        }
        // A gang with one placed pod may still be in progress.
        let of_gang = pods.get(&*gang).map_or(&[][..], Vec::as_slice);
        let is_refused = !of_gang.is_empty() && of_gang.iter().all(|pod| is_unschedulable(pod));
        let phase = &found["status"]["schedulingPhase"];
        is_refused
            .then_some(Fate::Refused)
            .ok_or_else(|| format!("{gang} is {phase}"))
    };
    worlds.iter().map(fate).collect()
}

/// Whether it has no node, and the scheduler has said why.
fn is_unschedulable(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    let mut said = conditions.filter(|condition| condition["type"] == "PodScheduled");
    pod["spec"]["nodeName"].is_null() && said.any(|said| said["reason"] == "Unschedulable")
}
