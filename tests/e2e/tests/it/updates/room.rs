//! Pods that have no room neither hold an update up nor use its budget up.

use serde_json::{Value, json};

use super::probe;
use crate::harness::history::History;
use crate::harness::history::course::{Course, Watched};
use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::is_ready;
use crate::harness::{Namespace, Seen, same, site};
use crate::schedulers::kubernetes::nodes::{Nodes, tolerate};

const WATCHED: Watched = Watched {
    clique: "web",
    group: "grp",
    pods_of_unit: 1,
    old: "1",
};

/// A clique whose pods each fill a node for this resource.
fn placed(replicas: u32, version: &str, place: &str) -> Value {
    let mut web = clique("web", replicas);
    web["annotations"] = json!({"example.com/version": version});
    probe(&mut web);
    tolerate(&mut web, place);
    let container = &mut web["spec"]["podSpec"]["containers"][0];
    container["resources"] = json!({"limits": {place: "8"}});
    web
}

/// Eight pods are wanted and two are required; there are nodes for six.
fn eight_pods(version: &str, place: &str) -> Value {
    let mut web = placed(8, version, place);
    web["spec"]["minAvailable"] = 2.into();
    set("svc", &[web], &[])
}

/// The same as replicas of a group.
fn eight_group_replicas(version: &str, place: &str) -> Value {
    let web = placed(1, version, place);
    set("svc", &[web], &[group("grp", "web", 8, 2)])
}

/// The others wait for a node.
fn expect_ready(seen: &Seen, count: usize) -> Result<(), String> {
    let pods = seen.all("Pod");
    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
    same("Ready pods", &ready, &count)
}

fn updates_with_six_places(
    purpose: &str,
    place: &str,
    workload: fn(&str, &str) -> Value,
) -> Course {
    // The nodes outlive the namespace: pods of a node that is gone are removed a minute later.
    let _nodes = Nodes::reserved(&site::shared().control_plane, place, 6);
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
    Course::of(history.moments(), WATCHED)
}

/// The update of the set has ended.
pub fn has_ended(seen: &Seen, set: &str) -> Result<(), String> {
    let progress = &seen.one("PodCliqueSet", set)?["status"]["updateProgress"];
    let end = &progress["updateEndedAt"];
    same("whether it ended", &end.is_string(), &true)
}

#[test]
fn an_update_with_six_places_for_eight_pods_ends_and_never_has_fewer_than_five() {
    let course = updates_with_six_places("no-room", "example.com/update-place", eight_pods);
    assert!(course.fewest >= 5, "{} pods were up", course.fewest);
}

#[test]
fn an_update_with_six_places_for_eight_group_replicas_ends_and_never_has_fewer_than_five() {
    let place = "example.com/update-group-place";
    let course = updates_with_six_places("no-room-of-group", place, eight_group_replicas);
    let fewest = course.fewest_units;
    assert!(fewest >= 5, "{fewest} group replicas were up");
}
