//! What is added to a replica that waits for its turn, and what a termination creates there again, has
//! the templates of before.

use serde_json::{Value, json};

use super::{expect_first_turn, ready_versions, unplaceable};
use crate::harness::{Namespace, Seen, same};
use crate::termination::attempts_of;
use crate::updates::{runs, workload};

/// Its replicas are terminated a few seconds after the loss of what they require. That is no change of
/// a template.
fn terminating(mut manifest: Value) -> Value {
    manifest["spec"]["template"]["terminationDelay"] = json!("3s");
    manifest
}

/// These PodCliques run on version 1.
fn expect_old(seen: &Seen, podcliques: &[(&str, usize)]) -> Result<(), String> {
    for (podclique, pods) in podcliques {
        let (_, versions) = ready_versions(seen, podclique, *pods)?;
        same(podclique, &versions, &"\"1\"".to_owned())?;
    }
    Ok(())
}

/// All of replica 2, after one pod and one group replica were added.
const SCALED: [(&str, usize); 7] = [
    ("svc-2-web", 5),
    ("svc-2-grp-0-lead", 1),
    ("svc-2-grp-0-work", 2),
    ("svc-2-grp-1-lead", 1),
    ("svc-2-grp-1-work", 2),
    ("svc-2-grp-2-lead", 1),
    ("svc-2-grp-2-work", 2),
];

#[test]
fn a_replica_that_waits_for_its_turn_grows_and_is_terminated_on_its_own_templates() {
    let ns = Namespace::new("revisions-elsewhere");
    ns.apply(&terminating(workload("1")));
    ns.until("version 1 runs", |seen| runs(seen, "1", 3));
    ns.apply(&terminating(unplaceable()));
    ns.until("replica 0 has the turn", expect_first_turn);

    ns.kubectl(&["scale", "pclq/svc-2-web", "--replicas=5"]);
    ns.kubectl(&["scale", "pcsg/svc-2-grp", "--replicas=3"]);
    let before = ns.until("what was added runs on version 1", |seen| {
        expect_old(seen, &SCALED)?;
        Ok(ready_versions(seen, "svc-2-web", 5)?.0)
    });

    ns.break_pods("svc-2-web");
    ns.until("replica 2 is terminated, and back on version 1", |seen| {
        let attempts = attempts_of(seen, "PodCliqueSet", "svc")?;
        same("attempts", &attempts, &vec![(2, 1)])?;
        let (uid, _) = ready_versions(seen, "svc-2-web", 5)?;
        same("whether it is another one", &(uid != before), &true)?;
        expect_old(seen, &SCALED)?;
        expect_first_turn(seen)
    });
}
