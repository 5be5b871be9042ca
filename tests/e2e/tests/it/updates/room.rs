//! Pods that have no room neither hold an update up nor use its budget up.

use serde_json::{Value, json};

use super::probe;
use crate::harness::history::History;
use crate::harness::history::course::{Course, Watched};
use crate::harness::manifest::{clique, set};
use crate::harness::seen::is_ready;
use crate::harness::{Namespace, Seen, same, site};
use crate::schedulers::kubernetes::nodes::Nodes;

const WATCHED: Watched = Watched {
    clique: "web",
    group: "none",
    pods_of_unit: 1,
    old: "1",
};

const PLACE: &str = "example.com/update-place";

/// Eight pods are wanted and two are required; there are nodes for six.
fn workload(version: &str) -> Value {
    let mut web = clique("web", 8);
    web["spec"]["minAvailable"] = 2.into();
    web["annotations"] = json!({"example.com/version": version});
    probe(&mut web);
    let container = &mut web["spec"]["podSpec"]["containers"][0];
    container["resources"] = json!({"limits": {PLACE: "8"}});
    set("svc", &[web], &[])
}

/// The others wait for a node.
fn expect_ready(seen: &Seen, count: usize) -> Result<(), String> {
    let pods = seen.all("Pod");
    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
    same("Ready pods", &ready, &count)
}

#[test]
fn an_update_with_six_places_for_eight_pods_ends_and_never_has_fewer_than_five() {
    let ns = Namespace::new("no-room");
    let _nodes = Nodes::new(&site::shared().control_plane, PLACE, 6);
    ns.apply(&workload("1"));
    ns.until("six run", |seen| expect_ready(seen, 6));
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    ns.apply(&workload("2"));
    ns.until("six of version 2 run, and the update has ended", |seen| {
        let pods = seen.all("Pod");
        let new = pods
            .iter()
            .filter(|p| p["metadata"]["annotations"]["example.com/version"] == "2");
        same("pods of version 2", &new.count(), &8)?;
        expect_ready(seen, 6)?;
        let status = &seen.one("PodCliqueSet", "svc")?["status"];
        let end = &status["updateProgress"]["updateEndedAt"];
        same("whether it ended", &end.is_string(), &true)
    });
    history.catch_up(&ns);
    let course = Course::of(history.moments(), WATCHED);
    assert!(course.fewest >= 5, "{} pods were up", course.fewest);
}
