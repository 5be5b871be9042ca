//! An engine of which there is one never goes away: its successor starts first.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use super::probe;
use super::room::has_ended;
use crate::cli::plan::plan_live;
use crate::harness::history::History;
use crate::harness::history::course::{Course, Watched};
use crate::harness::history::watch;
use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, same, site};
use crate::schedulers::kubernetes::nodes::{Nodes, tolerate};

/// Surge without room is given up after a minute.
const LIMIT: Duration = Duration::from_mins(3);

const WATCHED: Watched = Watched {
    clique: "none",
    group: "eng",
    pods_of_unit: 2,
    old: "1",
};

/// An engine of two pods, each of which fills a node for this resource.
fn engine(version: &str, place: &str, rolling: &Value) -> Value {
    let cliques = ["lead", "work"].map(|name| {
        let mut clique = clique(name, 1);
        clique["annotations"] = json!({"example.com/version": version});
        probe(&mut clique);
        tolerate(&mut clique, place);
        let container = &mut clique["spec"]["podSpec"]["containers"][0];
        container["resources"] = json!({"limits": {place: "8"}});
        clique
    });
    let mut engine = group("eng", "lead", 1, 1);
    engine["cliqueNames"] = json!(["lead", "work"]);
    engine["rollingUpdate"] = rolling.clone();
    set("svc", &cliques, &[engine])
}

/// Two pods of this version are Ready, and there are no others; the group counts one replica.
fn runs(seen: &Seen, version: &str) -> Result<(), String> {
    seen.expect_ready_pods(2)?;
    let pods = seen.all("Pod");
    let new = pods
        .iter()
        .filter(|p| p["metadata"]["annotations"]["example.com/version"] == version);
    same("pods of the version", &new.count(), &2)?;
    let indexes: Vec<&Value> = pods
        .iter()
        .map(|p| &p["metadata"]["labels"]["grove.io/podcliquescalinggroup-replica-index"])
        .collect();
    same("group replicas", &indexes, &vec![&json!("0"); 2])?;
    let status = &seen.one("PodCliqueScalingGroup", "svc-0-eng")?["status"];
    let counts = ["replicas", "availableReplicas", "surgeReplicas"].map(|count| &status[count]);
    same("counts", &counts, &[&json!(1), &json!(1), &Value::Null])
}

/// Updates the engine, after the plan has said whether its surge fits; returns its course and why it
/// went on without surge.
fn update(purpose: &str, place: &str, nodes: usize) -> (Course, String) {
    // The nodes outlive the namespace: pods of a node that is gone are removed a minute later.
    let _nodes = Nodes::reserved(&site::shared().control_plane, place, nodes);
    let ns = Namespace::new(purpose);
    let rolling = json!({"maxSurge": 1});
    ns.apply(&engine("1", place, &rolling));
    ns.until("the engine runs", |seen| runs(seen, "1"));
    let groups = ("grove.io", "v1alpha1", "PodCliqueScalingGroup");
    let (events, _runtime) = watch::begin_of(&ns, groups);
    let (plan, _) = plan_live(&ns, &engine("2", place, &rolling));
    let surge = &plan["surge"][0];
    assert_eq!(surge["needs"][place], "16", "{surge}");
    assert_eq!(surge["fits"], nodes >= 4, "{surge}");
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    ns.apply(&engine("2", place, &rolling));
    ns.within(
        LIMIT,
        "the engine runs with version 2, and the update has ended",
        |seen| {
            let status = &seen.one("PodCliqueScalingGroup", "svc-0-eng")?["status"];
            assert_eq!(status["replicas"], 1, "surge is counted");
            runs(seen, "2")?;
            has_ended(seen, "svc")
        },
    );
    history.catch_up(&ns);
    (Course::of(history.moments(), WATCHED), read_reason(&events))
}

/// Why the group went on without surge, by its states up to the end of the update: it says so only
/// for some seconds, which a look now and then may miss.
fn read_reason(events: &Receiver<Value>) -> String {
    let mut reason = String::new();
    loop {
        let event = events.recv_timeout(LIMIT).unwrap();
        let progress = &event["object"]["status"]["updateProgress"];
        if let Some(said) = progress["withoutSurge"].as_str() {
            said.clone_into(&mut reason);
        }
        if progress["updateEndedAt"].is_string() {
            return reason;
        }
    }
}

#[test]
fn an_engine_with_room_for_its_successor_is_always_up() {
    let (course, reason) = update("surge", "example.com/surge-place", 4);
    assert!(course.fewest_units >= 1, "no engine was up");
    assert_eq!(reason, "");
}

#[test]
fn an_engine_without_room_for_its_successor_is_updated_without_surge_and_says_so() {
    let (course, reason) = update("surge-no-room", "example.com/no-surge-place", 2);
    assert_eq!(course.going.len(), 2);
    assert!(reason.contains("has no node: 0/"), "{reason}");
}
