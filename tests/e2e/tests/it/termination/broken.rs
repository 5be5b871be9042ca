//! What is terminated.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Uids, attempts, attempts_of, breach, break_pod, close, pair, runs, service, started,
    terminating, uids, unready,
};
use crate::harness::manifest::{clique, group};
use crate::harness::seen::{is_ready, name};
use crate::harness::{Namespace, Seen, same};

#[test]
fn a_standalone_clique_takes_its_whole_replica_down_and_no_other() {
    let ns = Namespace::new("gt-standalone");
    let mut x = service("x", "3s", 1);
    x["spec"]["replicas"] = 2.into();
    started(&ns, &[(x, 2)]);
    let (old, other) = (ns.look().map(|s| uids(&s, "x-0-")).unwrap(), others(&ns));
    ns.kubectl(&["scale", "pclq/x-0-a", "--replicas=3"]);
    ns.until("one more", |seen| runs(seen, "x", 2));
    break_pod(&ns, "x-0-a", 0);
    break_pod(&ns, "x-0-a", 1);
    ns.until("replica 0 is new, with its live count", |seen| {
        runs(seen, "x", 2)?;
        is_new(seen, "x-0-", &old)?;
        same("pods", &seen.pods("x-0-a").len(), &3)?;
        let set = seen.one("PodCliqueSet", "x")?;
        same("attempts", &attempts(set), &vec![(0, 1)])?;
        same("liveReplicas", &set["status"]["liveReplicas"], &Value::Null)
    });
    assert_eq!(others(&ns), other, "replica 1 was not touched");
    let said = ns.events("x", "GangTerminated");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("replica 0 was terminated: PodClique x-0-a: 1 of 2 required pods"));
    assert!(said[0].ends_with("terminationDelay 3s"), "{said:?}");
    assert!(!ns.events("x", "GangTerminationScheduled").is_empty());
    assert_eq!(
        ns.events("x", "PodCliqueSetReplicaDeleteSuccessful").len(),
        1
    );
    let metrics = ns.operator.get("/metrics").unwrap().1;
    let counted =
        r#"grove_replica_teardowns_total{level="PodCliqueSet",reason="MinAvailableBreached"}"#;
    assert!(metrics.contains(counted), "{metrics}");
}

/// Uids of all that belongs to replica 1.
fn others(ns: &Namespace<'_>) -> BTreeSet<String> {
    let seen = ns.look().unwrap();
    let is_of_1 =
        |o: &&Value| o["metadata"]["labels"]["grove.io/podcliqueset-replica-index"] == "1";
    let of_1 = seen.0.iter().filter(is_of_1);
    of_1.map(|o| o["metadata"]["uid"].to_string()).collect()
}

/// The PodCliques are the same by name, and none is the same object.
fn is_new(seen: &Seen, prefix: &str, old: &Uids) -> Result<(), String> {
    let now = uids(seen, prefix);
    same("PodCliques", &keys(&now), &keys(old))?;
    let kept: Vec<_> = now.iter().filter(|(k, uid)| old[*k] == **uid).collect();
    same("old PodCliques", &kept, &vec![])
}

fn keys(uids: &Uids) -> Vec<&String> {
    uids.keys().collect()
}

#[test]
fn a_group_replica_is_recycled_alone_while_the_group_is_healthy() {
    let ns = Namespace::new("gt-recycle");
    started(&ns, &[(service("x", "3s", 1), 1)]);
    let old = ns.look().map(|seen| uids(&seen, "x-0-")).unwrap();
    break_pod(&ns, "x-0-g-1-b", 0);
    ns.until("the seed's commands tell the breach", |_| {
        let said = ns.kubectl(&["get", "pclq", "-o", SEED_COMMAND]);
        let line = said.lines().find(|l| l.starts_with("x-0-g-1-b: "));
        let line = line.ok_or_else(|| said.clone())?;
        line.contains(r#""status":"True""#)
            .then_some(())
            .ok_or_else(|| said.clone())
    });
    ns.until("that group replica is new, and nothing else", |seen| {
        runs(seen, "x", 1)?;
        let now = uids(seen, "x-0-");
        let new: Vec<_> = now.iter().filter(|(k, uid)| old[*k] != **uid).collect();
        same(
            "new",
            &new.iter().map(|(k, _)| k.as_str()).collect(),
            &vec!["x-0-g-1-b"],
        )?;
        let group = seen.one("PodCliqueScalingGroup", "x-0-g")?;
        same("attempts", &attempts(group), &vec![(1, 1)])?;
        let healthy = "False/SufficientAvailablePodCliqueScalingGroupReplicas";
        same("breach", &breach(group), &healthy.to_owned())?;
        same(
            "of the set",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![],
        )
    });
    let said = ns.events("x", "GangTerminated");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("group replica 1 of x-0-g was terminated: PodClique x-0-g-1-b"));
    let deleted = ns.events("x", "PodCliqueScalingGroupReplicaDeleteSuccessful");
    assert_eq!(deleted.len(), 1);
    let groups = ns.kubectl(&["get", "pcsg", "-o", SEED_COMMAND]);
    assert!(groups.contains("x-0-g: {"), "{groups}");
}

/// Seed 000, "Check `MinAvailableBreached` Conditions".
const SEED_COMMAND: &str = r#"jsonpath={range .items[*]}{.metadata.name}: {.status.conditions[?(@.type=="MinAvailableBreached")]}{"\n"}{end}"#;

#[test]
fn a_broken_group_takes_the_whole_replica_down() {
    let ns = Namespace::new("gt-group");
    started(&ns, &[(service("x", "4s", 2), 1)]);
    let old = ns.look().map(|seen| uids(&seen, "x-0-")).unwrap();
    break_pod(&ns, "x-0-g-0-b", 0);
    ns.until("the group says so, and so does kubectl", |seen| {
        let broken = "True/InsufficientAvailablePodCliqueScalingGroupReplicas";
        let group = seen.one("PodCliqueScalingGroup", "x-0-g")?;
        same("breach", &breach(group), &broken.to_owned())?;
        let table = ns.kubectl(&["get", "pclq,pcsg", "-o", "wide"]);
        let row = |object: &str| {
            table
                .lines()
                .find(|l| l.contains(object))
                .map(str::to_owned)
        };
        for object in [
            "podclique.grove.io/x-0-g-0-b",
            "scalinggroup.grove.io/x-0-g ",
        ] {
            let shown = row(object).ok_or_else(|| table.clone())?;
            same(object, &shown.contains("True"), &true)?;
        }
        Ok(())
    });
    ns.until("all of the replica is new", |seen| {
        runs(seen, "x", 1)?;
        is_new(seen, "x-0-", &old)?;
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )?;
        let group = seen.one("PodCliqueScalingGroup", "x-0-g")?;
        same("of the group", &attempts(group), &vec![])?;
        same("observed", &group["status"]["observedAttempt"], &json!(1))
    });
    let said = ns.events("x", "GangTerminated");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("PodCliqueScalingGroup x-0-g: 1 of 2 required group replicas"));
}

#[test]
fn a_group_that_is_recycling_one_replica_delegates_when_the_other_breaks() {
    let ns = Namespace::new("gt-delegate");
    started(&ns, &[(service("x", "2s", 1), 1)]);
    close(&ns);
    break_pod(&ns, "x-0-g-0-b", 0);
    ns.until(
        "one is being recycled, for which there is no room",
        |seen| {
            let group = seen.one("PodCliqueScalingGroup", "x-0-g")?;
            same("attempts", &attempts(group), &vec![(0, 1)])?;
            same("pods", &seen.pods("x-0-g-0-b").len(), &0)
        },
    );
    break_pod(&ns, "x-0-g-1-b", 0);
    ns.until("the whole replica is torn down", |seen| {
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )
    });
    ns.kubectl(&["delete", "quota", "closed"]);
    ns.until("it runs again", |seen| {
        runs(seen, "x", 1)?;
        seen.expect_ready_pods(4)?;
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )
    });
}

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
    let mut x = pair("x", "7s");
    x["spec"]["replicas"] = 2.into();
    started(&ns, &[(x, 2), (pair("witness", "2s"), 1)]);
    break_pod(&ns, "x-0-a", 0);
    break_pod(&ns, "witness-0-a", 0);
    ns.until("two seconds later", |seen| {
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
        assert!(fenced.duration_since(*since).as_secs() >= 7, "{fences:?}");
    }
    assert!(times[0].1 < times[1].1, "{fences:?}");
}

/// Since when it was breached, and when the fence was raised.
fn fence_times(fence: &Value) -> (jiff::Timestamp, jiff::Timestamp) {
    let message = fence["message"].as_str().unwrap();
    let since = message.split("since ").nth(1).unwrap();
    let since = since.split(',').next().unwrap();
    (
        since.parse().unwrap(),
        fence["time"].as_str().unwrap().parse().unwrap(),
    )
}

#[test]
fn without_room_for_the_replacement_it_is_torn_down_once() {
    let ns = Namespace::new("gt-no-room");
    started(&ns, &[(pair("x", "1s"), 1), (pair("witness", "6s"), 1)]);
    close(&ns);
    break_pod(&ns, "x-0-a", 0);
    ns.until("it is torn down", |seen| {
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )?;
        same("pods", &seen.pods("x-0-a").len(), &0)
    });
    break_pod(&ns, "witness-0-a", 0);
    ns.until("much later it is still the first time", |seen| {
        same(
            "witness",
            &attempts_of(seen, "PodCliqueSet", "witness")?,
            &vec![(0, 1)],
        )?;
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )
    });
    assert_eq!(ns.events("x", "GangTerminated").len(), 1);
    ns.kubectl(&["delete", "quota", "closed"]);
    ns.until("both run again", |seen| {
        runs(seen, "x", 1)?;
        runs(seen, "witness", 1)?;
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(0, 1)],
        )
    });
}

#[test]
fn a_shortened_delay_counts_at_once_and_a_removed_one_not_at_all() {
    let ns = Namespace::new("gt-changed");
    started(
        &ns,
        &[(pair("short", "1h"), 1), (pair("removed", "15s"), 1)],
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
    let shorten = r#"--patch={"spec": {"template": {"terminationDelay": "20s"}}}"#;
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

#[test]
fn forty_gangs_at_once_all_come_back_with_all_their_pods() {
    const GANGS: usize = 40;
    let ns = Namespace::new("gt-forty");
    let mut x = terminating(
        "x",
        "3s",
        &[clique("a", 2), clique("b", 1)],
        &[group("g", "b", 1, 1)],
    );
    x["spec"]["replicas"] = GANGS.into();
    started(&ns, &[(x, GANGS)]);
    let seen = ns.look().unwrap();
    let old = uids(&seen, "x-");
    let broken = (0..GANGS).map(|i| format!("x-{i}-a"));
    let pods: Vec<_> = broken
        .map(|podclique| name(seen.pods(&podclique)[1]).to_owned())
        .collect();
    let patch = format!("--patch={}", unready());
    let mut args = vec!["patch", "pods", "--subresource=status", &patch];
    args.extend(pods.iter().map(String::as_str));
    ns.kubectl(&args);
    ns.until("all are back", |seen| {
        let set = seen.one("PodCliqueSet", "x")?;
        let once: Vec<_> = (0..).take(GANGS).map(|i| (i, 1)).collect();
        same("attempts", &attempts(set), &once)?;
        is_new(seen, "x-", &old)?;
        runs(seen, "x", GANGS)?;
        same(
            "ready",
            &seen.all("Pod").iter().filter(|p| is_ready(p)).count(),
            &(3 * GANGS),
        )
    });
    assert_eq!(ns.events("x", "GangTerminated").len(), GANGS);
}

#[test]
fn a_replica_that_was_torn_down_can_be_given_up_and_wanted_again_at_once() {
    let ns = Namespace::new("gt-again");
    let mut x = service("x", "2s", 1);
    x["spec"]["replicas"] = 2.into();
    started(&ns, &[(x, 2)]);
    ns.break_pods("x-1-a");
    ns.until("it is torn down and runs again", |seen| {
        same(
            "attempts",
            &attempts_of(seen, "PodCliqueSet", "x")?,
            &vec![(1, 1)],
        )?;
        runs(seen, "x", 2)
    });
    ns.kubectl(&["scale", "pcs/x", "--replicas=1"]);
    ns.kubectl(&["scale", "pcs/x", "--replicas=2"]);
    ns.until("it runs in the attempt that it was in", |seen| {
        runs(seen, "x", 2)?;
        seen.expect_ready_pods(8)?;
        let set = attempts_of(seen, "PodCliqueSet", "x")?;
        same("attempts", &set, &vec![(1, 1)])?;
        let labels = &seen.one("PodClique", "x-1-a")?["metadata"]["labels"];
        same("label", &labels["grove.io/attempt"], &json!("1"))
    });
}
