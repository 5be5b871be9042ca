//! Delays: of a group, of each replica, changed and removed.

use serde_json::{Value, json};

use super::{attempts, attempts_of, breach, break_pod, pair, runs, service, started, uids};
use crate::harness::{Namespace, same};

#[test]
fn a_groups_own_delay_may_be_shorter_or_longer() {
    let ns = Namespace::new("gt-override");
    let with = |name: &str, of_set: &str, of_group: &str, minimum| {
        let mut pcs = service(name, of_set, minimum);
        pcs["spec"]["template"]["podCliqueScalingGroups"][0]["terminationDelay"] = json!(of_group);
        (pcs, 1)
    };
    started(
        &ns,
        &[
            with("short", "1h", "2s", 1),
            with("shared", "1h", "2s", 2),
            with("long", "1s", "1h", 1),
            with("kept", "1s", "1h", 2),
        ],
    );
    let before = ns.look().unwrap();
    for set in ["short", "shared", "long", "kept"] {
        break_pod(&ns, &format!("{set}-0-g-0-b"), 0);
    }
    ns.until("the shorter ones are over", |seen| {
        let of_group = attempts_of(seen, "PodCliqueScalingGroup", "short-0-g")?;
        same("short", &of_group, &vec![(0, 1)])?;
        same(
            "shared",
            &attempts_of(seen, "PodCliqueSet", "shared")?,
            &vec![(0, 1)],
        )?;
        runs(seen, "short", 1)?;
        runs(seen, "shared", 1)?;
        for set in ["long", "kept"] {
            same(set, &attempts_of(seen, "PodCliqueSet", set)?, &vec![])?;
            let prefix = format!("{set}-0-");
            same(set, &uids(seen, &prefix), &uids(&before, &prefix))?;
        }
        Ok(())
    });
}

#[test]
fn each_replica_has_its_own_time_and_is_never_early() {
    let ns = Namespace::new("gt-times");
    let mut x = pair("x", "12s");
    x["spec"]["replicas"] = 2.into();
    started(&ns, &[(x, 2), (pair("witness", "5s"), 1)]);
    break_pod(&ns, "x-0-a", 0);
    break_pod(&ns, "witness-0-a", 0);
    ns.until("five seconds later", |seen| {
        same(
            "witness",
            &attempts_of(seen, "PodCliqueSet", "witness")?,
            &vec![(0, 1)],
        )
    });
    break_pod(&ns, "x-1-a", 1);
    let fences = ns.until("both are terminated", |seen| {
        let set = seen.one("PodCliqueSet", "x")?;
        same("attempts", &attempts(set), &vec![(0, 1), (1, 1)])?;
        runs(seen, "x", 2)?;
        Ok(set["status"]["replicaAttempts"].as_array().unwrap().clone())
    });
    let times: Vec<_> = fences.iter().map(fence_times).collect();
    for (since, fenced) in &times {
        assert!(fenced.duration_since(*since).as_secs() >= 12, "{fences:?}");
    }
    assert!(times[0].1 < times[1].1, "{fences:?}");
}

/// The begin of the breach, and the time of the fence.
pub fn fence_times(fence: &Value) -> (jiff::Timestamp, jiff::Timestamp) {
    let message = fence["message"].as_str().unwrap();
    // The words of a scheduler may precede it.
    let (_, since) = message.rsplit_once("since ").unwrap();
    let since = since.split(',').next().unwrap();
    (
        since.parse().unwrap(),
        fence["time"].as_str().unwrap().parse().unwrap(),
    )
}

#[test]
fn a_shortened_delay_counts_at_once_and_a_removed_one_not_at_all() {
    let ns = Namespace::new("gt-changed");
    started(
        &ns,
        &[(pair("short", "1h"), 1), (pair("removed", "40s"), 1)],
    );
    for set in ["short-0-a", "removed-0-a"] {
        break_pod(&ns, set, 1);
    }
    ns.until("both are breached", |seen| {
        for podclique in ["short-0-a", "removed-0-a"] {
            let is = breach(seen.one("PodClique", podclique)?);
            same(podclique, &is, &"True/InsufficientReadyPods".to_owned())?;
        }
        Ok(())
    });
    let remove = r#"--patch=[{"op": "remove", "path": "/spec/template/terminationDelay"}]"#;
    ns.kubectl(&["patch", "pcs", "removed", "--type=json", remove]);
    let shorten = r#"--patch={"spec": {"template": {"terminationDelay": "50s"}}}"#;
    ns.kubectl(&["patch", "pcs", "short", "--type=merge", shorten]);
    ns.until("only that which has a delay is terminated", |seen| {
        same(
            "short",
            &attempts_of(seen, "PodCliqueSet", "short")?,
            &vec![(0, 1)],
        )?;
        runs(seen, "short", 1)?;
        same(
            "removed",
            &attempts_of(seen, "PodCliqueSet", "removed")?,
            &vec![],
        )
    });
}
