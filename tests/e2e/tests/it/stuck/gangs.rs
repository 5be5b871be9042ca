//! Gangs that wait for other gangs.

use crate::harness::manifest::{clique, group, held_clique, set};
use crate::harness::{Namespace, condition, same};

use super::{says, table};

#[test]
fn a_base_gang_that_is_not_ready() {
    let ns = Namespace::new("stuck-base");
    let cliques = [held_clique("router", 2), clique("worker", 1)];
    ns.apply(&set("svc", &cliques, &[group("workers", "worker", 2, 1)]));
    ns.until(
        "the scaled gang names its base, the set what the base lacks",
        |seen| {
            let scaled = seen.one("PodClique", "svc-0-workers-1-worker")?;
            let expected = "False/BaseGangNotReady".to_owned();
            same("scaled", &condition(scaled, "Ready"), &expected)?;
            says(scaled, "gang svc-0-workers-0 ", "base gang svc-0 is ready")?;
            let group = seen.one("PodCliqueScalingGroup", "svc-0-workers")?;
            let expected = "True/MinimumReady".to_owned();
            same("group", &condition(group, "Ready"), &expected)?;
            says(
                group,
                "group replica 1: clique worker ",
                "base gang svc-0 is ready",
            )?;
            let expected = "False/PodsStarting".to_owned();
            for (kind, name) in [("PodGang", "svc-0"), ("PodCliqueSet", "svc")] {
                let object = seen.one(kind, name)?;
                same(kind, &condition(object, "Ready"), &expected)?;
                says(object, "router 0/2 pods ready", " starts")?;
            }
            Ok(())
        },
    );
    let table = table(&ns);
    let shows = |name: &str, state: &str| {
        let mut lines = table.lines();
        let row = lines.find(|l| {
            l.split_whitespace()
                .next()
                .is_some_and(|n| n.ends_with(name))
        });
        row.is_some_and(|row| row.contains(state))
    };
    for (name, state) in [
        ("/svc", "PodsStarting"),
        ("/svc-0-router", "PodsStarting"),
        ("/svc-0-workers", "MinimumReady"),
        ("/svc-0-workers-1-worker", "BaseGangNotReady"),
        ("svc-0", "PodsStarting"),
    ] {
        assert!(shows(name, state), "{name}: no {state} in\n{table}");
    }
    for pod in ns.look().unwrap().pods("svc-0-router") {
        ns.set_pod_ready(pod["metadata"]["name"].as_str().unwrap());
    }
    ns.until("all of it runs", |seen| {
        let all = [
            ("PodCliqueSet", "svc", "AllReady"),
            ("PodCliqueScalingGroup", "svc-0-workers", "AllReady"),
            ("PodClique", "svc-0-workers-1-worker", "AllReady"),
            ("PodGang", "svc-0-workers-0", "GuaranteedPodsReady"),
        ];
        for (kind, name, reason) in all {
            let object = seen.one(kind, name)?;
            let expected = format!("True/{reason}");
            same(kind, &condition(object, "Ready"), &expected)?;
        }
        Ok(())
    });
}
