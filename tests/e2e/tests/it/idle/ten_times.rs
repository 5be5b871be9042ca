//! Workers are scaled to 0 and up again repeatedly, while other things change.

use std::collections::BTreeSet;

use serde_json::json;

use super::{expect_available, expect_base, expect_idle};
use crate::harness::history::{History, Release};
use crate::harness::manifest::{clique, set};
use crate::harness::{Namespace, Seen};

const ROUNDS: u32 = 10;
const GROUP: &str = "pcsg/svc-0-workers";
const FRONT: &str = "svc-0-front";

/// A frontend, and workers: two replicas start together, and a third one follows them.
pub fn service() -> serde_json::Value {
    let workers = json!({
        "name": "workers",
        "cliqueNames": ["leader", "worker"],
        "replicas": 3,
        "minAvailable": 2,
    });
    let mut front = clique("front", 2);
    front["spec"]["minAvailable"] = json!(1);
    let mut pcs = set(
        "svc",
        &[front, clique("leader", 1), clique("worker", 2)],
        &[workers],
    );
    pcs["spec"]["template"]["terminationDelay"] = json!("1s");
    pcs
}

/// The slots of these replicas of the group.
fn workers(replicas: &[u32]) -> BTreeSet<String> {
    let slots = replicas.iter().flat_map(|j| {
        let own = [("leader", 0), ("worker", 0), ("worker", 1)];
        own.map(|(clique, k)| format!("svc-0-workers-{j}-{clique}#{k}"))
    });
    slots.collect()
}

pub fn runs(seen: &Seen) -> Result<(), String> {
    let base = [
        (FRONT, 2),
        ("svc-0-workers-0-leader", 1),
        ("svc-0-workers-0-worker", 2),
        ("svc-0-workers-1-leader", 1),
        ("svc-0-workers-1-worker", 2),
    ];
    expect_base(seen, &base)?;
    let ready = |part: &str| {
        let pods = seen.pods(part).into_iter();
        pods.filter(|pod| crate::harness::seen::is_ready(pod))
            .count()
    };
    for (part, pods) in base.into_iter().chain([("svc-0-workers-2-worker", 2)]) {
        crate::harness::same(part, &ready(part), &pods)?;
    }
    expect_available(seen, "True/AllReady")
}

fn are_idle(seen: &Seen) -> Result<(), String> {
    expect_base(seen, &[(FRONT, 2)])?;
    let gangs = seen.names("PodGang").into_iter();
    let own: Vec<_> = gangs.filter(|name| name.starts_with("svc-")).collect();
    crate::harness::same("gangs", &own, &vec!["svc-0"])?;
    expect_idle(seen, "PodCliqueScalingGroup", "svc-0-workers")?;
    expect_available(seen, "True/AllReady")
}

/// No worker loses its gate before all that are scaled up with it exist, and no worker beyond the
/// minimum before the required ones are Ready.
fn expect_whole(release: &Release) {
    let base = workers(&[0, 1]);
    if base.contains(&release.slot) {
        assert!(release.there.is_superset(&base), "{release:#?}");
    } else if release.slot.starts_with("svc-0-workers-") {
        assert!(release.ready.is_superset(&base), "{release:#?}");
    }
}

#[test]
fn every_wake_starts_whole_and_the_frontend_keeps_its_pods() {
    let ns = Namespace::new("ten-times");
    ns.apply(&service());
    ns.until("it runs", runs);
    scale_again_and_again(&ns);
}

/// Scales the workers of the running set to 0 and back.
pub fn scale_again_and_again(ns: &Namespace<'_>) {
    // Another clique that is scaled all the time.
    let mut noise = clique("noise", 10);
    noise["spec"]["minAvailable"] = json!(1);
    ns.apply(&set("other", &[noise], &[]));
    ns.until("its PodClique can be scaled", |seen| {
        seen.one("PodClique", "other-0-noise").map(drop)
    });
    let mut history = History::of(ns);
    history.catch_up(ns);
    for round in 0..ROUNDS {
        ns.kubectl(&["scale", GROUP, "--replicas=0"]);
        let noise = if round % 2 == 0 { 40 } else { 10 };
        ns.kubectl(&[
            "scale",
            "pclq/other-0-noise",
            &format!("--replicas={noise}"),
        ]);
        // Every third time it is scaled up before it has reached 0.
        if round % 3 < 2 {
            ns.until("the workers are scaled to zero", are_idle);
        }
        ns.kubectl(&["scale", GROUP, "--replicas=3"]);
        ns.until("the workers run", runs);
    }
    history.catch_up(ns);
    let of_front = |slots: BTreeSet<&str>| slots.into_iter().any(|s| s.starts_with(FRONT));
    assert!(!of_front(history.slots_deleted()));
    let released = history
        .releases()
        .iter()
        .filter(|r| r.slot.starts_with("svc-"));
    let released: Vec<&Release> = released.collect();
    assert!(released.len() >= 9 * 7, "only {} releases", released.len());
    released.into_iter().for_each(expect_whole);
}
