//! KAI Scheduler.

use serde_json::{Value, json};

use super::{
    UNSUPPORTED, expect_gates, expect_unsupported, install_late, pod_group, started, workload,
};
use crate::harness::control_plane::{ControlPlane, fed};
use crate::harness::seen::{gates, name};
use crate::harness::{Namespace, Seen, condition, same, site, subset, wait};

const SCHEDULER: &str = "kai-scheduler";
const DEFINITION: &str = "tests/it/manifests/kai-podgroups.yaml";
const QUEUES: &str = "tests/it/manifests/kai-queues.yaml";
const KIND: &str = "podgroups.scheduling.run.ai";

/// The leaves of the gang's PodGroup, with their pods.
fn expect_leaves(ns: &Namespace<'_>, gang: &str, leaves: &[(&str, u32)]) -> Result<(), String> {
    let group = pod_group(ns, KIND, gang)?;
    let leaf = |(name, pods): &(&str, u32)| json!({"name": name, "minMember": pods});
    let expected: Vec<Value> = leaves.iter().map(leaf).collect();
    same(gang, &group["spec"]["subGroups"], &expected.into())
}

fn expect_marks(ns: &Namespace<'_>, seen: &Seen) -> Result<(), String> {
    let group = pod_group(ns, KIND, "svc-0")?;
    for podclique in ["svc-0-router", "svc-0-grp-0-worker"] {
        for pod in seen.pods(podclique) {
            let marks = json!({
                "annotations": {
                    "kai.scheduler/skip-podgrouper": "true",
                    "pod-group-name": group["metadata"]["name"],
                },
                "labels": {"kai.scheduler/subgroup-name": podclique},
            });
            subset(podclique, &pod["metadata"], &marks)?;
        }
    }
    Ok(())
}

fn uid(ns: &Namespace<'_>) -> Value {
    pod_group(ns, KIND, "svc-0").unwrap()["metadata"]["uid"].clone()
}

const ROUTER: &str = "svc-0-router";
const WORKER: &str = "svc-0-grp-0-worker";

#[test]
fn it_receives_each_gang_as_soon_as_possible_and_in_place() {
    let control_plane = site::private();
    let operator = started(&control_plane, SCHEDULER);
    let ns = Namespace::on(&control_plane, &operator, "kai");
    let mut set = workload(SCHEDULER);
    set["metadata"]["labels"] = json!({"kai.scheduler/queue": "research"});
    ns.apply(&set);
    install_late(&control_plane, &ns, DEFINITION, "");
    ns.until("the PodGroup is there", |seen| {
        expect_leaves(&ns, "svc-0", &[(ROUTER, 2), (WORKER, 3)])?;
        expect_marks(&ns, seen)
    });
    let spec = json!({"queue": "research", "stalenessGracePeriod": "-1s"});
    subset(
        "spec",
        &pod_group(&ns, KIND, "svc-0").unwrap()["spec"],
        &spec,
    )
    .unwrap();
    let before = uid(&ns);

    ns.kubectl(&["scale", "pclq/svc-0-router", "--replicas=1"]);
    ns.until("the PodGroup follows", |_| {
        expect_leaves(&ns, "svc-0", &[(ROUTER, 1), (WORKER, 3)])
    });
    ns.kubectl(&["scale", "pcsg/svc-0-grp", "--replicas=0"]);
    ns.until("a clique at zero is out of it", |_| {
        expect_leaves(&ns, "svc-0", &[(ROUTER, 1)])
    });
    ns.kubectl(&["scale", "pcsg/svc-0-grp", "--replicas=1"]);
    ns.kubectl(&["scale", "pclq/svc-0-router", "--replicas=2"]);
    ns.until("the scaled up clique is back", |seen| {
        expect_leaves(&ns, "svc-0", &[(ROUTER, 2), (WORKER, 3)])?;
        expect_gates(seen, false)
    });
    assert_eq!(uid(&ns), before, "it was changed in place");
    wait_for_queue(&control_plane, &ns);
    ns.delete();
    control_plane.kubectl(["delete", "-f", QUEUES]);
    control_plane.kubectl(["delete", "-f", DEFINITION]);
}

/// No pod starts before the set's queue exists.
fn wait_for_queue(control_plane: &ControlPlane, ns: &Namespace<'_>) {
    control_plane.kubectl(["apply", "-f", QUEUES]);
    ns.within(2 * wait::DEADLINE, "the queue is missing", |seen| {
        expect_unsupported(seen, "PodCliqueSet", "True/QueueNotFound")?;
        expect_unsupported(seen, "PodGang", "True/QueueNotFound")
    });
    let lost = name(ns.look().unwrap().pods(ROUTER)[0]).to_owned();
    ns.kubectl(&["delete", "pod", &lost]);
    let mut late = workload(SCHEDULER);
    late["metadata"] = json!({"name": "late", "labels": {"kai.scheduler/queue": "research"}});
    ns.apply(&late);
    ns.until("the next set waits, the running one continues", |seen| {
        let gang = condition(seen.one("PodGang", "late-0")?, UNSUPPORTED);
        same("late-0", &gang.as_str(), &"True/QueueNotFound")?;
        expect_gated(seen, "late-0-router", &[true, true])?;
        same("replaced", &seen.names("Pod").contains(&*lost), &false)?;
        expect_gated(seen, ROUTER, &[false, false])
    });
    let queue = json!({
        "apiVersion": "scheduling.run.ai/v2",
        "kind": "Queue",
        "metadata": {"name": "research"},
    });
    let mut create = control_plane.tool("kubectl", ["create", "-f", "-"]);
    let created = fed(&mut create, &queue);
    assert!(created.status.success(), "{created:?}");
    ns.until("it continues", |seen| {
        expect_unsupported(seen, "PodCliqueSet", "")?;
        expect_unsupported(seen, "PodGang", "")?;
        expect_gated(seen, "late-0-router", &[false, false])
    });
}

fn expect_gated(seen: &Seen, podclique: &str, expected: &[bool]) -> Result<(), String> {
    let pods = seen.pods(podclique).into_iter();
    let are_gated: Vec<bool> = pods.map(|pod| !gates(pod).is_empty()).collect();
    same(podclique, &&*are_gated, &expected)
}
