//! PodCliques and pods that are deleted by hand while the job runs.

use serde_json::json;

use super::{await_events, ends, is, job, pair, pods, pods_of, succeed, witness};
use crate::harness::manifest::clique;
use crate::harness::{Namespace, same};
use crate::termination::{runs, started, uids};

#[test]
fn finished_work_is_not_repeated_though_it_is_deleted() {
    let ns = Namespace::new("job-kept");
    let two = job("two", 1, &[clique("a", 1), clique("b", 1)], &[]);
    started(&ns, &[(two, 1), (pair("one", 1), 1)]);
    succeed(&ns, &["two-0-a"]);
    let first = pods_of(&ns, &["one-0-a"])[..1].to_vec();
    super::exit(&ns, &first, 0, "");
    ns.until("both are known to be done", |seen| {
        let done = json!({"replicaAttempts": [{"succeeded": ["two-0-a"]}]});
        is(seen, "two", &done)?;
        let status = &seen.one("PodClique", "one-0-a")?["status"];
        same("completed", &status["completedIndices"], &json!("0"))
    });
    ns.kubectl(&["delete", "pclq", "two-0-a"]);
    ns.kubectl(&["delete", "pod", &first[0]]);
    witness(&ns, "witness");
    let seen = ns.look().unwrap();
    assert_eq!(
        uids(&seen, "two-0-a").len(),
        0,
        "the PodClique is not recreated"
    );
    assert_eq!(pods(&seen, "one").len(), 1, "the slot is not filled");
    for set in ["one", "two"] {
        is(&seen, set, &json!({"phase": "Running", "restartCount": 0})).unwrap();
    }
    succeed(&ns, &["two-0-b"]);
    let last: Vec<_> = pods(&seen, "one").into_iter().map(|(pod, _)| pod).collect();
    super::exit(&ns, &last, 0, "");
    ends(&ns, "two", "Succeeded", 0);
    ends(&ns, "one", "Succeeded", 0);
}

#[test]
fn a_podclique_that_is_deleted_before_it_is_done_costs_a_restart() {
    let ns = Namespace::new("job-robbed");
    let two = job("two", 1, &[clique("a", 1), clique("b", 1)], &[]);
    started(&ns, &[(two, 1)]);
    let before = ns.look().unwrap();
    ns.kubectl(&["delete", "pclq", "two-0-a", "--wait=false"]);
    ns.until("all of it is new", |seen| {
        is(seen, "two", &json!({"restartCount": 1}))?;
        runs(seen, "two", 1)?;
        let (old, new) = (uids(&before, "two-"), uids(seen, "two-"));
        let kept = new.iter().filter(|(name, uid)| old[*name] == **uid);
        same("kept", &(kept.count(), new.len()), &(0, 2))
    });
    let events = await_events(&ns, "two", "ReplicaRestarting", 1);
    assert!(events[0].contains("it was deleted before its work was done"));
    succeed(&ns, &["two-0-a", "two-0-b"]);
    ends(&ns, "two", "Succeeded", 1);
}
