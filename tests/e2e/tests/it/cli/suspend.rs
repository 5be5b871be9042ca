//! `suspend` and `resume`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::history::{History, Release};
use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, condition, same};
use crate::suspend::{expect_resumed, expect_suspended};

const PODS: usize = 5;

/// The pods of the base gang.
const BASE: [&str; 3] = [
    "svc-0-front#0",
    "svc-0-workers-0-worker#0",
    "svc-0-workers-0-worker#1",
];

/// The pods of the gang that follows it.
const SCALED: [&str; 2] = ["svc-0-workers-1-worker#0", "svc-0-workers-1-worker#1"];

fn service() -> Value {
    let cliques = [clique("front", 1), clique("worker", 2)];
    set("svc", &cliques, &[group("workers", "worker", 2, 1)])
}

/// No pod loses its gate before all of its gang exist, and none of the second gang before the base
/// gang is Ready.
fn expect_whole(release: &Release) {
    let has_all = |slots: &BTreeSet<String>, gang: &[&str]| gang.iter().all(|s| slots.contains(*s));
    let is_whole = if BASE.contains(&release.slot.as_str()) {
        has_all(&release.there, &BASE)
    } else {
        has_all(&release.there, &SCALED) && has_all(&release.ready, &BASE)
    };
    assert!(is_whole, "{release:#?}");
}

#[test]
fn the_pods_of_a_suspended_set_go_and_come_back_as_gangs() {
    let ns = Namespace::new("cli-suspend");
    ns.apply(&service());
    ns.until("it runs", |seen| seen.expect_ready_pods(PODS));

    let said = ns.grove_words(&["suspend", "pcs/svc"]);
    assert!(said.contains("`kubectl grove resume svc`"), "{said}");
    ns.until("no pod is left", |seen| expect_suspended(seen, "svc"));
    let tree = ns.grove(&["tree", "svc"]);
    assert!(tree.contains("Suspended"), "{tree}");
    let said = ns.grove_words(&["suspend", "svc"]);
    assert!(said.contains("spec.suspend is true already"), "{said}");

    let mut history = History::of(&ns);
    let said = ns.grove_words(&["resume", "pcs/svc"]);
    assert!(said.contains("each as a whole"), "{said}");
    ns.until("all of it runs again", |seen| {
        expect_resumed(seen, "svc", PODS)
    });
    history.catch_up(&ns);
    let released = history.releases();
    assert_eq!(released.len(), PODS, "{released:#?}");
    released.iter().for_each(expect_whole);
}

#[test]
fn a_dry_run_of_a_suspension_changes_nothing() {
    let ns = Namespace::new("cli-suspend-dry");
    ns.apply(&set("svc", &[clique("web", 1)], &[]));
    let generation = || {
        ns.kubectl(&[
            "get",
            "pcs",
            "svc",
            "--output=jsonpath={.metadata.generation}",
        ])
    };
    ns.until("it runs", |seen| {
        let found = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
        same("Ready", &found.as_str(), &"True/AllReady")
    });
    let before = generation();
    let said = ns.grove_words(&["suspend", "svc", "--dry-run"]);
    assert!(said.contains("nothing was changed"), "{said}");
    assert_eq!(generation(), before);
}
