//! The revisions that are kept: those in use, and a few to go back to.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, condition, same};
use crate::updates::{has_ended, pods_of, probe};

/// Two replicas, of which the first keeps its templates: each has two pods, and two group replicas of
/// one pod.
fn workload(version: &str) -> Value {
    let mut cliques = [clique("web", 2), clique("work", 1)];
    for clique in &mut cliques {
        clique["annotations"] = json!({"example.com/version": version});
        probe(clique);
    }
    let mut pcs = set("svc", &cliques, &[group("grp", "work", 2, 1)]);
    pcs["spec"]["replicas"] = json!(2);
    pcs["spec"]["updateStrategy"] = json!({"partition": 1});
    pcs
}

/// All pods are Ready: those of replica 1 have this version, the others version 1.
fn runs(seen: &Seen, version: &str, pods: usize) -> Result<(), String> {
    seen.expect_ready_pods(pods)?;
    for pod in seen.all("Pod") {
        let meta = &pod["metadata"];
        let is_second = meta["labels"]["grove.io/podcliqueset-replica-index"] == "1";
        let wanted = if is_second { version } else { "1" };
        let is = &meta["annotations"]["example.com/version"];
        same("version", is, &wanted.into())?;
    }
    Ok(())
}

fn update(seen: &Seen) -> Result<String, String> {
    Ok(condition(
        seen.one("PodCliqueSet", "svc")?,
        "UpdateInProgress",
    ))
}

/// The number of each revision, and the replicas on it.
fn history(ns: &Namespace<'_>) -> Vec<(i64, String)> {
    let history: Value =
        serde_json::from_str(&ns.grove(&["history", "svc", "-o", "json"])).unwrap();
    let rows = history["revisions"].as_array().unwrap().iter();
    rows.map(|row| {
        let replicas = row["replicas"].as_str().unwrap().to_owned();
        (row["revision"].as_i64().unwrap(), replicas)
    })
    .collect()
}

/// Waits until these revisions are left: an update deletes those that it needs no more at its end.
fn expect_history(ns: &Namespace<'_>, expected: &[(i64, &str)]) {
    let expected: Vec<(i64, String)> = expected
        .iter()
        .map(|(revision, replicas)| (*revision, (*replicas).to_owned()))
        .collect();
    ns.until("these revisions are left", |_| {
        same("history", &history(ns), &expected)
    });
    let objects = ns.kubectl(&["get", "controllerrevisions", "--output=name"]);
    assert_eq!(objects.lines().count(), expected.len(), "{objects}");
}

/// Five edits leave the newest revision, three to go back to, and the one that replica 0 is on. A
/// change back to that keeps counts, and every pod that has it already.
#[test]
fn the_revisions_in_use_and_a_few_others_are_kept_and_undo_keeps_counts() {
    let ns = Namespace::new("revisions-kept");
    ns.apply(&workload("1"));
    ns.until("version 1 runs", |seen| {
        runs(seen, "1", 8)?;
        same("update", &update(seen)?, &"False/NoActiveUpdate".to_owned())
    });
    for version in ["2", "3", "4", "5", "6"] {
        ns.apply(&workload(version));
        ns.until("replica 1 has it, and the update rests", |seen| {
            runs(seen, version, 8)?;
            same("update", &update(seen)?, &"False/Partitioned".to_owned())
        });
    }
    expect_history(&ns, &[(6, "1"), (5, ""), (4, ""), (3, ""), (1, "0")]);

    for part in ["pclq/svc-0-web", "pcsg/svc-0-grp"] {
        ns.kubectl(&["scale", part, "--replicas=3"]);
    }
    let old = ns.until("what was added is on version 1, too", |seen| {
        runs(seen, "6", 10)?;
        Ok(pods_of(seen, "1"))
    });
    let undone = ns.grove_words(&["undo", "svc", "--to", "1"]);
    assert!(
        undone.contains("back to the templates of revision 1"),
        "{undone}"
    );
    ns.until("all are on version 1, at their sizes", |seen| {
        runs(seen, "1", 10)?;
        for (kind, part) in [
            ("PodClique", "svc-0-web"),
            ("PodCliqueScalingGroup", "svc-0-grp"),
        ] {
            let replicas = &seen.one(kind, part)?["spec"]["replicas"];
            same(part, replicas, &json!(3))?;
        }
        has_ended(seen, "svc")?;
        same("update", &update(seen)?, &"False/NoActiveUpdate".to_owned())
    });
    let now = pods_of(&ns.look().unwrap(), "1");
    let restarted: BTreeSet<_> = old.difference(&now).collect();
    assert_eq!(restarted, BTreeSet::new(), "pods that had version 1");
    // The same templates, with the largest number.
    expect_history(&ns, &[(7, "0-1"), (6, ""), (5, ""), (4, "")]);
}
