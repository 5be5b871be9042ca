//! Cases without a termination.

use serde_json::{Value, json};

use super::{Uids, attempts_of, breach, break_pod, pair, runs, started, terminating, uids};
use crate::harness::manifest::{clique, group, held_clique, set};
use crate::harness::{Namespace, Seen, same};

#[test]
fn nothing_is_terminated_without_a_delay_or_before_it() {
    let ns = Namespace::new("gt-nothing");
    ns.apply(&terminating("never", "5s", &[held_clique("a", 1)], &[]));
    let mut below = clique("a", 3);
    below["spec"]["minAvailable"] = 2.into();
    let sets = [
        (set("unset", &[clique("a", 2)], &[]), 1),
        (terminating("below", "1s", &[below], &[]), 1),
        (pair("back", "60s"), 1),
        (pair("witness", "65s"), 1),
    ];
    started(&ns, &sets);
    let before = ns.look().map(|seen| uids(&seen, "")).unwrap();
    let back = break_pod(&ns, "back-0-a", 1);
    for podclique in ["unset-0-a", "witness-0-a"] {
        break_pod(&ns, podclique, 1);
    }
    ns.kubectl(&["scale", "pclq/below-0-a", "--replicas=1"]);
    let broken = "True/InsufficientReadyPods".to_owned();
    ns.until("it is breached", |seen| {
        same("back", &breach(seen.one("PodClique", "back-0-a")?), &broken)
    });
    ns.set_pod_ready(&back);

    ns.until("only the witness is terminated", |seen| {
        runs(seen, "witness", 1)?;
        let attempts = |set: &str| attempts_of(seen, "PodCliqueSet", set);
        same("witness", &attempts("witness")?, &vec![(0, 1)])?;
        for set in ["unset", "never", "below", "back"] {
            same(set, &attempts(set)?, &vec![])?;
        }
        kept(seen, &before)
    });
    for set in ["unset", "never", "below"] {
        assert_eq!(
            ns.events(set, "GangTerminationScheduled"),
            Vec::<String>::new()
        );
    }
}

/// The PodCliques are the same objects, and each reports why it is not terminated.
fn kept(seen: &Seen, before: &Uids) -> Result<(), String> {
    for (podclique, should) in [
        ("unset-0-a", "True/InsufficientReadyPods"),
        ("never-0-a", "False/NeverAvailable"),
        ("below-0-a", "False/SufficientReadyPods"),
        ("back-0-a", "False/SufficientReadyPods"),
    ] {
        same(
            podclique,
            &uids(seen, podclique)[podclique],
            &before[podclique],
        )?;
        same(
            podclique,
            &breach(seen.one("PodClique", podclique)?).as_str(),
            &should,
        )?;
    }
    Ok(())
}

fn of_group(delay: &str) -> Value {
    let mut pcs = set("x", &[clique("a", 1)], &[group("g", "a", 1, 1)]);
    pcs["spec"]["template"]["podCliqueScalingGroups"][0]["terminationDelay"] = json!(delay);
    pcs
}

fn both(of_set: &str, delay: &str) -> Value {
    let mut pcs = of_group(delay);
    pcs["spec"]["template"]["terminationDelay"] = json!(of_set);
    pcs
}

fn job(manifest: Value) -> Value {
    let mut pcs = manifest;
    pcs["spec"]["workloadType"] = json!("Training");
    pcs
}

/// Invalid delays, with path and remedy.
fn refused() -> [(Value, &'static str, &'static str); 10] {
    [
        (
            pair("x", "0s"),
            "spec.template.terminationDelay",
            "omit terminationDelay to disable",
        ),
        (
            pair("x", "-5s"),
            "spec.template.terminationDelay",
            "omit terminationDelay to disable",
        ),
        (
            pair("x", "soon"),
            "spec.template.terminationDelay",
            "30s, 4h or 1h30m",
        ),
        (
            of_group("5s"),
            "spec",
            "needs terminationDelay of the template",
        ),
        (
            pair("x", "900ms"),
            "spec.template.terminationDelay",
            "must be at least 1s: omit terminationDelay to disable",
        ),
        (
            job(pair("x", "900ms")),
            "spec.template.terminationDelay",
            "must be 0s or at least 1s",
        ),
        (
            both("5s", "0s"),
            "spec.template.podCliqueScalingGroups",
            "must be at least 1s: omit it to use that of the template",
        ),
        (
            both("5s", "900ms"),
            "spec.template.podCliqueScalingGroups",
            "must be at least 1s",
        ),
        (
            job(both("5s", "900ms")),
            "spec.template.podCliqueScalingGroups",
            "must be 0s or at least 1s",
        ),
        (
            both("5s", "soon"),
            "podCliqueScalingGroups[0].terminationDelay",
            "",
        ),
    ]
}

#[test]
fn delays_that_make_no_sense_are_refused_with_path_and_remedy() {
    let ns = Namespace::new("gt-refused");
    for (manifest, path, remedy) in refused() {
        let output = ns.feed(&["apply", "-f", "-"], &manifest);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{manifest} was accepted");
        assert!(stderr.contains(path) && stderr.contains(remedy), "{stderr}");
    }
    // Every failure in this group of a job counts at once; other cliques may recover
    // (docs/semantics.md §5.4).
    ns.apply(&job(both("5s", "0s")));
}
