//! The operator is away while the garbage collector removes the owner references and its own
//! finalizer. The operator then finds a terminating owner with only the operator's finalizer, as in
//! any other deletion.

use serde_json::{Value, json};

use super::{is_owned, runs, service, uids, wait_for_the_garbage_collector};
use crate::harness::lane::Lane;
use crate::harness::{Namespace, Seen, same};

const KEPT: [&str; 5] = [
    "Pod",
    "PodClique",
    "PodGang",
    "PodCliqueScalingGroup",
    "Service",
];

#[test]
fn orphans_of_the_meantime_live_and_are_adopted() {
    let lane = Lane::start("orphaned-away");
    let ns = lane.namespace();
    ns.apply(&service());
    ns.until("it runs", runs);
    wait_for_the_garbage_collector(&ns);
    let pods = ns.until("it runs", |seen| {
        runs(seen)?;
        Ok(uids(seen, &["Pod"]))
    });

    // The set recreates these two by itself.
    for (kind, orphaned) in [("PodClique", "x-0-a"), ("PodCliqueScalingGroup", "x-0-g")] {
        let old = orphan(&ns, kind, orphaned);
        ns.operator.start_again().unwrap();
        ns.until(
            "another has taken over, and all pods are the same",
            |seen| {
                let now = &seen.one(kind, orphaned)?["metadata"]["uid"];
                same("is the old one", &(*now == old), &false)?;
                runs(seen)?;
                is_owned(seen, "PodClique", "x-0-g-0-b", "PodCliqueScalingGroup")?;
                same(
                    "owners",
                    &owners_of_pods(seen, "x-0-a"),
                    &owner(seen, "x-0-a")?,
                )?;
                same("pods", &uids(seen, &["Pod"]), &pods)
            },
        );
    }

    let before = ns.until("it runs", |seen| {
        runs(seen)?;
        Ok(uids(seen, &KEPT))
    });
    orphan(&ns, "PodCliqueSet", "x");
    ns.operator.start_again().unwrap();
    ns.until("only the set is gone", |seen| {
        seen.expect_names("PodCliqueSet", &[])?;
        same("uids", &uids(seen, &KEPT), &before)
    });
    ns.apply(&service());
    ns.until("the set is another, all else is the same", |seen| {
        runs(seen)?;
        is_owned(seen, "PodCliqueScalingGroup", "x-0-g", "PodCliqueSet")?;
        is_owned(seen, "PodClique", "x-0-a", "PodCliqueSet")?;
        is_owned(seen, "Service", "x-0", "PodCliqueSet")?;
        is_owned(seen, "PodGang", "x-0", "PodCliqueSet")?;
        same("uids", &uids(seen, &KEPT), &before)
    });
    lane.expect_alive();
}

/// Kills the operator, orphans the objects that the object controls, and waits until only the
/// operator's finalizer is left. Returns the object's uid.
fn orphan(ns: &Namespace<'_>, kind: &str, object: &str) -> Value {
    ns.operator.kill();
    let what = format!("{}/{object}", kind.to_lowercase());
    ns.kubectl(&["delete", &what, "--cascade=orphan", "--wait=false"]);
    ns.until("the garbage collector is done", |seen| {
        let meta = &seen.one(kind, object)?["metadata"];
        let ours = format!("grove.io/{}.grove.io", kind.to_lowercase());
        same("finalizers", &meta["finalizers"], &json!([ours]))?;
        Ok(meta["uid"].clone())
    })
}

/// Uids of the controllers of a PodClique's pods, each once.
fn owners_of_pods(seen: &Seen, podclique: &str) -> Vec<Value> {
    let pods = seen.pods(podclique).into_iter();
    let owners = pods.filter_map(|pod| pod["metadata"]["ownerReferences"].as_array());
    let mut uids: Vec<_> = owners.flatten().map(|o| o["uid"].clone()).collect();
    uids.dedup();
    uids
}

fn owner(seen: &Seen, podclique: &str) -> Result<Vec<Value>, String> {
    let podclique = seen.one("PodClique", podclique)?;
    Ok(vec![podclique["metadata"]["uid"].clone()])
}
