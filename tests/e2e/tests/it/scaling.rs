//! Scaling at the three levels, as `kubectl scale` does it.

use std::collections::BTreeSet;

use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::index;
use crate::harness::{Namespace, Seen, same};

#[test]
fn each_replica_of_a_set_has_its_own_service_gangs_and_pods() {
    let ns = Namespace::new("replicas");
    let mut pcs = set(
        "svc",
        &[clique("router", 1), clique("worker", 2)],
        &[group("workers", "worker", 2, 1)],
    );
    pcs["spec"]["replicas"] = 2.into();
    ns.apply(&pcs);
    ns.until("two replicas run", |seen| replicas_run(seen, 2));
    let kept = ns.look().map(|seen| of_replica_0(&seen)).unwrap();

    ns.kubectl(&["scale", "pcs", "svc", "--replicas=1"]);
    ns.until("one replica is left", |seen| replicas_run(seen, 1));
    ns.kubectl(&["scale", "pcs", "svc", "--replicas=2"]);
    ns.until("two replicas run again", |seen| {
        replicas_run(seen, 2)?;
        same("what replica 0 consists of", &of_replica_0(seen), &kept)
    });
}

fn replicas_run(seen: &Seen, count: usize) -> Result<(), String> {
    seen.expect_names("Service", &["svc-0", "svc-1"][..count])?;
    seen.expect_names(
        "PodCliqueScalingGroup",
        &["svc-0-workers", "svc-1-workers"][..count],
    )?;
    let gangs = ["svc-0", "svc-0-workers-0", "svc-1", "svc-1-workers-0"];
    seen.expect_names("PodGang", &gangs[..2 * count])?;
    let cliques = [
        "svc-0-router",
        "svc-0-workers-0-worker",
        "svc-0-workers-1-worker",
        "svc-1-router",
        "svc-1-workers-0-worker",
        "svc-1-workers-1-worker",
    ];
    seen.expect_names("PodClique", &cliques[..3 * count])?;
    seen.expect_ready_pods(5 * count)?;
    let status = &seen.one("PodCliqueSet", "svc")?["status"];
    same("replicas", &status["replicas"], &count.into())?;
    same(
        "availableReplicas",
        &status["availableReplicas"],
        &count.into(),
    )?;
    same("updatedReplicas", &status["updatedReplicas"], &count.into())
}

fn of_replica_0(seen: &Seen) -> BTreeSet<String> {
    let is_of_0 = |o: &&serde_json::Value| {
        o["metadata"]["labels"]["grove.io/podcliqueset-replica-index"] == "0"
    };
    let of_0 = seen.everything().into_iter().filter(is_of_0);
    of_0.map(|o| o["metadata"]["uid"].to_string()).collect()
}

#[test]
fn a_scaled_group_gains_and_loses_its_highest_replicas() {
    let ns = Namespace::new("scale-group");
    ns.apply(&set(
        "svc",
        &[clique("worker", 2)],
        &[group("workers", "worker", 2, 1)],
    ));
    let runs = |seen: &Seen, replicas: usize| {
        let cliques = [
            "svc-0-workers-0-worker",
            "svc-0-workers-1-worker",
            "svc-0-workers-2-worker",
            "svc-0-workers-3-worker",
        ];
        seen.expect_names("PodClique", &cliques[..replicas])?;
        let gangs = [
            "svc-0",
            "svc-0-workers-0",
            "svc-0-workers-1",
            "svc-0-workers-2",
        ];
        seen.expect_names("PodGang", &gangs[..replicas])?;
        seen.expect_ready_pods(2 * replicas)?;
        let status = &seen.one("PodCliqueScalingGroup", "svc-0-workers")?["status"];
        same("replicas", &status["replicas"], &replicas.into())?;
        same(
            "availableReplicas",
            &status["availableReplicas"],
            &replicas.into(),
        )
    };
    ns.until("as the template says", |seen| runs(seen, 2));
    for replicas in [4, 1, 2] {
        ns.kubectl(&[
            "scale",
            "pcsg",
            "svc-0-workers",
            &format!("--replicas={replicas}"),
        ]);
        ns.until("as it was scaled", |seen| runs(seen, replicas));
    }
}

#[test]
fn a_scaled_clique_gains_and_loses_its_highest_indices() {
    let ns = Namespace::new("scale-clique");
    let mut worker = clique("worker", 3);
    worker["spec"]["minAvailable"] = 1.into();
    ns.apply(&set("svc", &[worker], &[]));
    let runs = |seen: &Seen, replicas: u32| {
        let indices: Vec<_> = seen.pods("svc-0-worker").into_iter().map(index).collect();
        same("indices", &indices, &(0..replicas).collect())?;
        seen.expect_ready_pods(indices.len())?;
        let status = &seen.one("PodClique", "svc-0-worker")?["status"];
        same("readyReplicas", &status["readyReplicas"], &replicas.into())?;
        let listed = &seen.one("PodGang", "svc-0")?["spec"]["podgroups"][0]["podReferences"];
        same(
            "pods in the gang",
            &listed.as_array().map(Vec::len),
            &Some(indices.len()),
        )
    };
    ns.until("as the template says", |seen| runs(seen, 3));
    for replicas in [5, 1, 3] {
        ns.kubectl(&[
            "scale",
            "pclq",
            "svc-0-worker",
            &format!("--replicas={replicas}"),
        ]);
        ns.until("as it was scaled", |seen| runs(seen, replicas));
    }
}

#[test]
fn a_template_is_followed_by_parts_that_were_not_scaled() {
    let ns = Namespace::new("template");
    let apply = |a: u32, groups: u32| {
        let cliques = [clique("a", a), clique("b", 1), clique("c", a)];
        let mut pcs = set("svc", &cliques, &[group("bs", "b", groups, 1)]);
        // If unset, it would change together with the replicas.
        for i in [0, 2] {
            pcs["spec"]["template"]["cliques"][i]["spec"]["minAvailable"] = 1.into();
        }
        ns.apply(&pcs);
    };
    let expect = |what: &str, a: usize, bs: usize, c: usize| {
        ns.until(what, |seen| {
            let pods = |podclique| seen.pods(podclique).len();
            let group = seen.one("PodCliqueScalingGroup", "svc-0-bs")?;
            same("a", &pods("svc-0-a"), &a)?;
            same("bs", &group["spec"]["replicas"], &bs.into())?;
            same("c", &pods("svc-0-c"), &c)?;
            seen.expect_ready_pods(a + bs + c)
        });
    };
    apply(2, 1);
    expect("as the template says", 2, 1, 2);
    ns.kubectl(&["scale", "pclq", "svc-0-a", "--replicas=4"]);
    expect("one is scaled", 4, 1, 2);
    apply(3, 2);
    expect("the others follow the template", 4, 2, 3);
}
