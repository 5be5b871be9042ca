//! Restarts of replicas, and their budget.

use serde_json::json;

use super::{await_events, ends, exit, fail, is, job, pair, pods, pods_of, succeed};
use crate::harness::manifest::{clique, group, held_clique};
use crate::harness::{Namespace, condition, same};
use crate::termination::{runs, started};

#[test]
fn a_failed_replica_is_restarted_as_a_whole_and_may_still_succeed() {
    let ns = Namespace::new("job-restart");
    let cliques = [clique("a", 2), clique("b", 1)];
    let x = job("x", 2, &cliques, &[group("g", "b", 2, 1)]);
    started(&ns, &[(x, 1)]);
    let before = ns.look().unwrap();
    let started_at = &before.one("PodCliqueSet", "x").unwrap()["status"]["startTime"];
    assert!(started_at.is_string(), "startTime is {started_at}");
    succeed(&ns, &["x-0-a", "x-0-g-0-b"]);
    let failed = fail(&ns, "x-0-g-1-b", 0);
    ns.until("all of it is new", |seen| {
        is(
            seen,
            "x",
            &json!({"restartCount": 1, "startTime": started_at}),
        )?;
        runs(seen, "x", 1)?;
        seen.expect_ready_pods(4)?;
        let (old, new) = (pods(&before, "x"), pods(seen, "x"));
        same("kept", &new.iter().any(|pod| old.contains(pod)), &false)
    });
    succeed(&ns, &["x-0-a", "x-0-g-0-b", "x-0-g-1-b"]);
    ends(&ns, "x", "Succeeded", 1);
    let events = await_events(&ns, "x", "ReplicaRestarting", 1);
    assert!(
        events[0].starts_with("replica 0, restart 1 of 2: PodClique x-0-g-1-b"),
        "{events:?}"
    );
    let seen = ns.look().unwrap();
    is(&seen, "x", &json!({"lastFailures": [{"pod": failed}]})).unwrap();
    let metrics = ns.operator.get("/metrics").unwrap().1;
    // Metrics may count its namespace together with others.
    let is_counted = |line: &str| {
        line.starts_with(r#"grove_replica_terminations_total{level="PodCliqueSet","#)
            && line.contains(r#"reason="PodCliqueFailed""#)
            && !line.ends_with(" 0")
    };
    assert!(metrics.lines().any(is_counted), "{metrics}");
    tells_the_restart(&ns, &failed);
}

/// The failed pod with its last message, the restart once, and the end.
fn tells_the_restart(ns: &Namespace<'_>, failed: &str) {
    ns.until("its condition says that it is done", |seen| {
        let found = condition(seen.one("PodCliqueSet", "x")?, "Ready");
        same("Ready", &found, &"True/WorkloadSucceeded".to_owned())
    });
    let text = ns.grove_words(&["timeline", "x"]);
    let restarted = "restarted replica 0: attempt 1 began: restart 1 of 2: PodClique x-0-g-1-b";
    let told = [
        format!(" failed pod/{failed}: Error, exit code 1"),
        "its last words: NCCL timeout".to_owned(),
        restarted.to_owned(),
        " done podcliqueset/x: the job is done".to_owned(),
    ];
    let missing: Vec<_> = told
        .iter()
        .filter(|words| !text.contains(&**words))
        .collect();
    assert!(missing.is_empty(), "no {missing:?} in: {text}");
    assert_eq!(text.matches(" restarted ").count(), 1, "{text}");
    let tree = ns.grove(&["tree", "x"]);
    assert!(tree.contains("WorkloadSucceeded"), "{tree}");
    assert_eq!(tree.matches("Completed").count(), 4, "{tree}");
}

#[test]
fn failures_before_readiness_or_after_partial_success_count() {
    let ns = Namespace::new("job-early");
    ns.apply(&job("early", 1, &[held_clique("a", 1)], &[]));
    started(&ns, &[(pair("partly", 1), 1)]);
    let old = pods_of(&ns, &["partly-0-a"]);
    exit(&ns, &old[..1], 0, "");
    ns.until("one is done", |seen| {
        let status = &seen.one("PodClique", "partly-0-a")?["status"];
        same("completed", &status["completedIndices"], &json!("0"))
    });
    exit(&ns, &old[1..], 1, "lost its peer");
    let first = fail(&ns, "early-0-a", 0);
    ns.until("both are restarted", |seen| {
        is(seen, "early", &json!({"restartCount": 1}))?;
        is(seen, "partly", &json!({"restartCount": 1}))?;
        runs(seen, "partly", 1)?;
        let pods = seen.names("Pod");
        let left = old
            .iter()
            .chain([&first])
            .filter(|p| pods.contains(p.as_str()));
        same("old pods", &left.count(), &0)
    });
    succeed(&ns, &["early-0-a", "partly-0-a"]);
    ends(&ns, "early", "Succeeded", 1);
    ends(&ns, "partly", "Succeeded", 1);
}

#[test]
fn one_replica_succeeds_while_the_other_is_restarted() {
    let ns = Namespace::new("job-replicas");
    let mut x = pair("x", 1);
    x["spec"]["replicas"] = json!(2);
    started(&ns, &[(x, 2)]);
    let before = ns.look().unwrap();
    succeed(&ns, &["x-0-a"]);
    fail(&ns, "x-1-a", 0);
    ns.until("only one is restarted", |seen| {
        is(seen, "x", &json!({"restartCount": 1, "phase": "Running"}))?;
        runs(seen, "x", 2)?;
        let new: Vec<_> = pods(seen, "x");
        let kept = pods(&before, "x").into_iter().filter(|p| new.contains(p));
        let kept: Vec<_> = kept.map(|(pod, _)| pod).collect();
        let succeeded = kept.iter().all(|pod| pod.starts_with("x-0-a-"));
        same("kept", &(kept.len(), succeeded), &(2, true))
    });
    succeed(&ns, &["x-1-a"]);
    ends(&ns, "x", "Succeeded", 1);
}

#[test]
fn replicas_that_fail_at_once_share_the_budget() {
    let ns = Namespace::new("job-budget");
    let two = |name: &str, restarts: u32| {
        let mut job = pair(name, restarts);
        job["spec"]["replicas"] = json!(2);
        (job, 2)
    };
    started(&ns, &[two("enough", 2), two("short", 1)]);
    for set in ["enough", "short"] {
        let pods = [0, 1].map(|i| super::pod(&ns, &format!("{set}-{i}-a"), i));
        exit(&ns, &pods, 1, "NCCL timeout");
    }
    ns.until("each replica of one was restarted", |seen| {
        is(seen, "enough", &json!({"restartCount": 2}))?;
        runs(seen, "enough", 2)
    });
    await_events(&ns, "enough", "ReplicaRestarting", 2);
    let used = ns.until("the other failed", |seen| {
        is(seen, "short", &json!({"phase": "Failed"}))?;
        let used = &seen.one("PodCliqueSet", "short")?["status"]["restartCount"];
        Ok(used.as_u64().unwrap())
    });
    // The operator may have seen one failure before the other.
    assert!(used <= 1, "{used} of 1 restarts");
    await_events(&ns, "short", "MaxRestartsExceeded", 1);
    await_events(
        &ns,
        "short",
        "ReplicaRestarting",
        usize::try_from(used).unwrap(),
    );
}
