//! A new template and a new count in one edit (docs/semantics.md §14.2).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use super::probe;
use super::room::has_ended;
use crate::harness::history::{History, version, watch};
use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, same};

/// Two replicas, each with a clique of that many pods, and as many group replicas of one pod.
fn workload(count: u32, version: &str) -> Value {
    let mut cliques = [clique("web", count), clique("work", 1)];
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        probe(clique);
    }
    cliques[0]["spec"]["minAvailable"] = 1.into();
    let mut workload = set("svc", &cliques, &[group("grp", "work", count, 1)]);
    workload["spec"]["replicas"] = 2.into();
    workload
}

/// When replica 1 got the turn, in the states of the set up to the end of the update.
fn read_second_turn(events: &Receiver<Value>) -> u64 {
    /// An event of the update comes within this time.
    const LIMIT: Duration = Duration::from_mins(3);
    let mut begun = None;
    loop {
        let event = events.recv_timeout(LIMIT).unwrap();
        let progress = &event["object"]["status"]["updateProgress"];
        if progress["currentlyUpdating"][0]["replicaIndex"] == 1 {
            begun = begun.or(Some(version(&event["object"])));
        }
        if progress["updateEndedAt"].is_string() {
            return begun.unwrap();
        }
    }
}

/// In the replica in turn all added pods and group replicas have the new template. The other one gets
/// its own at once, with the templates that it has, and not only in its turn.
#[test]
fn pods_added_in_the_turn_have_the_new_template() {
    let ns = Namespace::new("count-and-template");
    ns.apply(&workload(2, "1"));
    ns.until("version 1 runs", |seen| seen.expect_ready_pods(8));
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    let before: BTreeSet<String> = uids(&history);
    let sets = ("grove.io", "v1alpha1", "PodCliqueSet");
    let (events, _runtime) = watch::begin_of(&ns, sets);
    ns.apply(&workload(4, "2"));
    ns.until("version 2 runs", |seen| {
        seen.expect_ready_pods(16)?;
        let pods = seen.all("Pod");
        let new = pods
            .iter()
            .filter(|p| p["metadata"]["annotations"]["example.com/version"] == "2");
        same("pods of version 2", &new.count(), &16)?;
        has_ended(seen, "svc")
    });
    history.catch_up(&ns);
    // The first state of each: that is its creation.
    let mut made: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for moment in history.moments() {
        if moment.version == "1" && !before.contains(&moment.uid) {
            let pod = (moment.podclique.as_str(), moment.uid.as_str());
            made.entry(pod).or_insert(moment.at);
        }
    }
    let of: Vec<&str> = made.keys().map(|(podclique, _)| *podclique).collect();
    let expected = [
        "svc-1-grp-2-work",
        "svc-1-grp-3-work",
        "svc-1-web",
        "svc-1-web",
    ];
    assert_eq!(of, expected, "{made:?}");
    let turn = read_second_turn(&events);
    assert!(made.values().all(|at| *at < turn), "{made:?} {turn}");
}

fn uids(history: &History) -> BTreeSet<String> {
    let moments = history.moments().iter();
    moments.map(|m| m.uid.clone()).collect()
}
