//! A new template and a new count in one edit (docs/semantics.md §14.2).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::probe;
use super::room::has_ended;
use crate::harness::history::History;
use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, same};

/// Two replicas of one clique.
fn workload(replicas: u32, version: &str) -> Value {
    let mut web = clique("web", replicas);
    web["spec"]["minAvailable"] = 1.into();
    web["annotations"] = json!({"example.com/version": version});
    probe(&mut web);
    let mut workload = set("svc", &[web], &[]);
    workload["spec"]["replicas"] = 2.into();
    workload
}

/// In the replica in turn all added pods have the new template. The other one gets its pods at
/// once, with the template that it has.
#[test]
fn pods_added_in_the_turn_have_the_new_template() {
    let ns = Namespace::new("count-and-template");
    ns.apply(&workload(2, "1"));
    ns.until("version 1 runs", |seen| seen.expect_ready_pods(4));
    let mut history = History::of(&ns);
    history.catch_up(&ns);
    let before: BTreeSet<String> = uids(&history);
    ns.apply(&workload(4, "2"));
    ns.until("version 2 runs", |seen| {
        seen.expect_ready_pods(8)?;
        let pods = seen.all("Pod");
        let new = pods
            .iter()
            .filter(|p| p["metadata"]["annotations"]["example.com/version"] == "2");
        same("pods of version 2", &new.count(), &8)?;
        has_ended(seen, "svc")
    });
    history.catch_up(&ns);
    let moments = history.moments().iter();
    let made: BTreeSet<(&str, &str)> = moments
        .filter(|m| m.version == "1" && !before.contains(&m.uid))
        .map(|m| (m.podclique.as_str(), m.uid.as_str()))
        .collect();
    let of = |podclique: &str| made.iter().filter(|(of, _)| *of == podclique).count();
    assert_eq!(of("svc-0-web"), 0, "{made:?}");
    assert!(of("svc-1-web") <= 2, "{made:?}");
}

fn uids(history: &History) -> BTreeSet<String> {
    let moments = history.moments().iter();
    moments.map(|m| m.uid.clone()).collect()
}
