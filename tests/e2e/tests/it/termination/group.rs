//! Scaling groups: termination of one group replica alone, or of the whole replica.

use serde_json::json;

use super::{
    attempts, attempts_of, breach, break_pod, close, is_new, runs, service, started, uids,
};
use crate::harness::{Namespace, same};

#[test]
fn a_group_replica_is_recycled_alone_while_the_group_is_healthy() {
    let ns = Namespace::new("gt-recycle");
    started(&ns, &[(service("x", "30s", 1), 1)]);
    let old = ns.look().map(|seen| uids(&seen, "x-0-")).unwrap();
    break_pod(&ns, "x-0-g-1-b", 0);
    ns.until("the seed's commands tell the breach", |_| {
        let output = ns.kubectl(&["get", "pclq", "-o", SEED_COMMAND]);
        let line = output.lines().find(|l| l.starts_with("x-0-g-1-b: "));
        let line = line.ok_or_else(|| output.clone())?;
        line.contains(r#""status":"True""#)
            .then_some(())
            .ok_or_else(|| output.clone())
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
    let events = ns.events("x", "GangTerminated");
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0].starts_with("group replica 1 of x-0-g was terminated: PodClique x-0-g-1-b"));
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
    started(&ns, &[(service("x", "30s", 2), 1)]);
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
    let events = ns.events("x", "GangTerminated");
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0].contains("PodCliqueScalingGroup x-0-g: 1 of 2 required group replicas"));
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
    ns.until("the whole replica is terminated", |seen| {
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
