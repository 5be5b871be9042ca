//! Sets whose pods share a topology domain, step by step: their node is drained while a pod is being
//! replaced, and their level gets another name.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use operator::config::Gangs;
use serde_json::{Value, json};
use sim::{Id, Resource, Store, topology, view};

use crate::course::{Course, play, svc};
use crate::ring::Begin;
use crate::scenarios::{create, domains, packed_in, pods_of, ready_pods, scale};

/// Drains, each begun a bit later in the course of a replacement.
const DRAINS: u64 = 8;
/// How much later, in milliseconds.
const STEP: u64 = 20;
/// Time between two evictions.
const BETWEEN_EVICTIONS: Duration = Duration::from_millis(20);
/// Positions of levels.
const RACK: usize = 1;
const HOST: usize = 2;

fn begin() -> Begin {
    let scheduler = Some((topology::SCHEDULER, "kai-pod-grouper", Gangs::Split));
    Begin::empty().with_scheduler(scheduler).with_topology(true)
}

/// The names of the nodes on which pods are.
fn nodes(store: &Store) -> BTreeSet<String> {
    let pods = store.all(Resource::Pod).map(|(_, pod)| &**pod);
    let names = pods.map(|pod| view::text(pod, "/spec/nodeName").to_owned());
    names.collect()
}

/// So many pods are Ready, all in one domain of the level.
fn expect_packed(cluster: &Course, pods: usize, position: usize) -> Result<(), String> {
    let (ready, count) = cluster.store(|store| {
        let count = domains(store, position, "svc-0-").len();
        (ready_pods(store), count)
    });
    cluster.expect(
        &format!("{pods} pods are Ready in one domain: {ready} are in {count}"),
        |_| (ready, count) == (pods, 1),
    )
}

fn set_schedulable(store: &mut Store, node: &str, is_schedulable: bool) {
    let id = Id::of_cluster(Resource::Node, node);
    store.edit("administrator", &id, |node| {
        node["spec"]["unschedulable"] = json!(!is_schedulable);
    });
}

/// The node gets no more pods, and those on it are evicted one after the other.
async fn drain(cluster: &mut Course, node: &str) -> Result<(), String> {
    let pods: Vec<Id> = cluster.store(|store| {
        set_schedulable(store, node, false);
        let is_there = |pod: &Value| view::text(pod, "/spec/nodeName") == node;
        let pods = store.all(Resource::Pod).filter(|(_, pod)| is_there(pod));
        pods.map(|(id, _)| id.clone()).collect()
    });
    for pod in &pods {
        cluster.store(|store| store.remove("chaos", pod));
        cluster.ring.pass(BETWEEN_EVICTIONS).await?;
    }
    Ok(())
}

/// A pod of the set is being replaced, and its node is drained after this time.
async fn drain_in_replacement(cluster: &mut Course, after: Duration) -> Result<(), String> {
    let node = cluster.store(|store| nodes(store).pop_first()).unwrap();
    cluster.store(|store| {
        let pods = pods_of(store, "svc-0-a");
        store.remove("user", &pods[0]);
    });
    cluster.ring.pass(after).await?;
    drain(cluster, &node).await?;
    cluster.rest().await?;
    expect_packed(cluster, 6, HOST)?;
    cluster.expect(&format!("they left {node}"), |store| {
        !nodes(store).contains(&node)
    })?;
    cluster.store(|store| set_schedulable(store, &node, true));
    Ok(())
}

/// All pods share a host. Fails if a replacement that has the labels of the drained host waits there for
/// ever, holds back the start of the others elsewhere, or makes them follow it to a host where nobody runs.
#[test]
fn the_only_node_of_a_domain_is_drained_while_a_pod_is_replaced() {
    for is_killed in [false, true] {
        play(begin(), is_killed, &async |cluster| {
            cluster.store(|store| create(store, &packed_in("host")));
            cluster.rest().await?;
            expect_packed(cluster, 6, HOST)?;
            for turn in 0..DRAINS {
                let after = Duration::from_millis(turn * STEP);
                drain_in_replacement(cluster, after).await?;
            }
            Ok(())
        });
    }
}

/// The racks get another name in the ClusterTopologyBinding.
fn name_racks(store: &mut Store, name: &str) {
    let id = Id::of_cluster(Resource::ClusterTopologyBinding, topology::BINDING);
    store.edit("administrator", &id, |binding| {
        binding["spec"]["levels"][RACK]["domain"] = json!(name);
    });
}

/// The pods by uid, and the constraint of each PodGang.
fn running(store: &Store) -> (BTreeSet<String>, BTreeMap<String, Value>) {
    let pods = store.all(Resource::Pod);
    let uids = pods.map(|(_, pod)| view::uid(pod).to_owned()).collect();
    let gangs = store.all(Resource::PodGang);
    let constraints = gangs.map(|(id, gang)| {
        let constraint = gang["spec"]["topologyConstraint"].clone();
        (id.name.clone(), constraint)
    });
    (uids, constraints.collect())
}

/// What the set says about its levels.
fn levels_of(store: &Store) -> String {
    let set = svc(store);
    let mut conditions = view::list(&set, "/status/conditions");
    let type_ = "TopologyLevelsUnavailable";
    let found = conditions.find(|c| view::text(c, "/type") == type_);
    found.map_or_else(String::new, |c| {
        let [reason, message] = ["/reason", "/message"].map(|field| view::text(c, field));
        format!("{reason}: {message}")
    })
}

/// The level of the running gangs has another name now: they stay as they are, and the set says so.
async fn rename(cluster: &mut Course) -> Result<(), String> {
    let before = cluster.store(|store| running(store));
    cluster.store(|store| name_racks(store, "shelf"));
    cluster.settle().await?;
    let now = cluster.store(|store| running(store));
    cluster.expect(&format!("{now:?} is as before: {before:?}"), |_| {
        now == before
    })?;
    let said = cluster.store(|store| levels_of(store));
    let words = "ClusterTopologyLevelsUnavailable: ClusterTopologyBinding fabric has no level rack; \
                 its levels are zone, shelf, host";
    cluster.expect(&format!("{said:?} is {words:?}"), |_| said == words)
}

/// Fails if a running gang is placed by the present levels: it would lose its constraint, or its pods; if its
/// replacements wait for the level or leave its rack; or if a gang starts without the level that it requires.
#[test]
fn a_level_that_is_renamed_holds_back_only_gangs_that_start() {
    for is_killed in [false, true] {
        play(begin(), is_killed, &async |cluster| {
            cluster.store(|store| create(store, &packed_in("rack")));
            cluster.rest().await?;
            expect_packed(cluster, 6, RACK)?;
            rename(cluster).await?;
            cluster.store(|store| {
                let pods = pods_of(store, "svc-0-a");
                store.remove("user", &pods[0]);
            });
            cluster.settle().await?;
            expect_packed(cluster, 6, RACK)?;
            let group = Resource::PodCliqueScalingGroup;
            cluster.store(|store| scale(store, group, "svc-0-g", 3));
            cluster.settle().await?;
            cluster.expect("the new gang waits", |store| {
                let bound = store.all(Resource::Pod).filter(|(_, pod)| is_bound(pod));
                ready_pods(store) == 6 && bound.count() == 6
            })?;
            cluster.store(|store| name_racks(store, "rack"));
            cluster.rest().await?;
            expect_packed(cluster, 8, RACK)
        });
    }
}

fn is_bound(pod: &Value) -> bool {
    !view::text(pod, "/spec/nodeName").is_empty()
}
