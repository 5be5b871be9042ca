//! Pods that have no room neither hold an update up nor use its budget up, and after it gang
//! termination works again.

use serde_json::{Value, json};

use super::probe;
use crate::harness::history::History;
use crate::harness::history::course::{Course, Watched};
use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::{is_ready, name};
use crate::harness::{Namespace, Seen, same, site};
use crate::schedulers::kubernetes::nodes::{Nodes, tolerate};
use crate::termination::{attempts_of, fence_times};

const WATCHED: Watched = Watched {
    clique: "web",
    group: "grp",
    pods_of_unit: 1,
    old: "1",
};

/// Places of each node. The first one is lost.
const PLACES: [usize; 2] = [5, 1];

/// Seconds.
const TERMINATION_DELAY: i64 = 20;

/// A clique whose pods each fill a place.
fn placed(replicas: u32, version: &str, place: &str) -> Value {
    let mut web = clique("web", replicas);
    web["annotations"] = json!({"example.com/version": version});
    probe(&mut web);
    tolerate(&mut web, place);
    let container = &mut web["spec"]["podSpec"]["containers"][0];
    container["resources"] = json!({"limits": {place: "8"}});
    web
}

/// Eight pods are wanted and two are required; there are places for six.
fn eight_pods(version: &str, place: &str) -> Value {
    let mut web = placed(8, version, place);
    web["spec"]["minAvailable"] = 2.into();
    terminating(set("svc", &[web], &[]))
}

/// The same as replicas of a group.
fn eight_group_replicas(version: &str, place: &str) -> Value {
    let web = placed(1, version, place);
    terminating(set("svc", &[web], &[group("grp", "web", 8, 2)]))
}

fn terminating(mut pcs: Value) -> Value {
    pcs["spec"]["template"]["terminationDelay"] = json!(format!("{TERMINATION_DELAY}s"));
    pcs
}

/// The others wait for a place.
fn expect_ready(seen: &Seen, count: usize) -> Result<(), String> {
    let pods = seen.all("Pod");
    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
    same("Ready pods", &ready, &count)
}

/// Returns the course of the update; after it the node is lost.
fn updates_with_six_places(
    purpose: &str,
    place: &str,
    workload: fn(&str, &str) -> Value,
    lose_node: fn(&Namespace<'_>, &Nodes<'_>),
) -> Course {
    // The nodes outlive the namespace: pods of a node that is gone are removed a minute later.
    let nodes = Nodes::reserved_for(&site::shared().control_plane, place, &PLACES);
    let ns = Namespace::new(purpose);
    ns.apply(&workload("1", place));
    ns.until("six run", |seen| expect_ready(seen, 6));
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    ns.apply(&workload("2", place));
    ns.until("six of version 2 run, and the update has ended", |seen| {
        let pods = seen.all("Pod");
        let new = pods
            .iter()
            .filter(|p| p["metadata"]["annotations"]["example.com/version"] == "2");
        same("pods of version 2", &new.count(), &8)?;
        expect_ready(seen, 6)?;
        has_ended(seen, "svc")
    });
    history.catch_up(&ns);
    lose_node(&ns, &nodes);
    Course::of(history.moments(), WATCHED)
}

/// One pod is left of the two that the clique needs: its replica of the set is terminated.
fn lose_replica(ns: &Namespace<'_>, nodes: &Nodes<'_>) {
    lose_pods(ns, nodes);
    are_terminated(ns, ("PodCliqueSet", "svc"), &[0]);
}

/// Two group replicas never had room, so that no more than five of eight are broken: the group keeps
/// its minimum, and terminates those five alone.
fn lose_group_replicas(ns: &Namespace<'_>, nodes: &Nodes<'_>) {
    let lost = lose_pods(ns, nodes);
    let replica = |pod: &Value| {
        let label = &pod["metadata"]["labels"]["grove.io/podcliquescalinggroup-replica-index"];
        label.as_str().unwrap().parse::<i64>().unwrap()
    };
    let replicas: Vec<_> = lost.iter().map(replica).collect();
    are_terminated(ns, ("PodCliqueScalingGroup", "svc-0-grp"), &replicas);
}

/// Takes the first node away, once all that runs has been seen to run, and returns its pods.
fn lose_pods(ns: &Namespace<'_>, nodes: &Nodes<'_>) -> Vec<Value> {
    let lost = ns.until("what runs was available", |seen| {
        seen.all("PodClique")
            .into_iter()
            .try_for_each(was_available)?;
        let mut pods = seen.all("Pod");
        pods.retain(|pod| pod["spec"]["nodeName"] == nodes.name(0));
        same("pods of the node", &pods.len(), &PLACES[0])?;
        Ok(pods.into_iter().cloned().collect())
    });
    nodes.lose(0);
    lost
}

/// A PodClique with Ready pods has recorded that it was available.
fn was_available(podclique: &Value) -> Result<(), String> {
    let status = &podclique["status"];
    let runs = status["readyReplicas"].as_u64() > Some(0);
    let is_recorded = !runs || status["wasAvailable"] == true;
    same(name(podclique), &is_recorded, &true)
}

/// These replicas are terminated once, after the delay.
fn are_terminated(ns: &Namespace<'_>, (kind, called): (&str, &str), replicas: &[i64]) {
    let mut expected: Vec<(i64, i64)> = replicas.iter().map(|replica| (*replica, 1)).collect();
    expected.sort_unstable();
    let fences = ns.until("they are terminated", |seen| {
        let mut attempts = attempts_of(seen, kind, called)?;
        attempts.sort_unstable();
        same("attempts", &attempts, &expected)?;
        let fences = &seen.one(kind, called)?["status"]["replicaAttempts"];
        Ok(fences.as_array().unwrap().clone())
    });
    for (since, fenced) in fences.iter().map(fence_times) {
        let waited = fenced.duration_since(since).as_secs();
        assert!(waited >= TERMINATION_DELAY, "{fences:?}");
    }
}

/// The update of the set has ended.
pub fn has_ended(seen: &Seen, set: &str) -> Result<(), String> {
    let progress = &seen.one("PodCliqueSet", set)?["status"]["updateProgress"];
    let end = &progress["updateEndedAt"];
    same("whether it ended", &end.is_string(), &true)
}

#[test]
fn an_update_with_six_places_for_eight_pods_ends_and_never_has_fewer_than_five() {
    let place = "example.com/update-place";
    let course = updates_with_six_places("no-room", place, eight_pods, lose_replica);
    assert!(course.fewest >= 5, "{} pods were up", course.fewest);
}

#[test]
fn an_update_with_six_places_for_eight_group_replicas_ends_and_never_has_fewer_than_five() {
    let place = "example.com/update-group-place";
    let purpose = "no-room-of-group";
    let course = updates_with_six_places(purpose, place, eight_group_replicas, lose_group_replicas);
    let fewest = course.fewest_units;
    assert!(fewest >= 5, "{fewest} group replicas were up");
}
