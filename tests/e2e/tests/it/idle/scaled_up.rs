//! A part that is scaled up from 0 and cannot start holds back nothing that was up before.

use serde_json::json;

use super::{expect_base, expect_idle};
use crate::harness::manifest::{clique, group, set};
use crate::harness::seen::{gates, name};
use crate::harness::{Namespace, condition, same};

/// A frontend of one pod, a cache at 0 replicas that may start at once, and workers at 0 replicas
/// that are refused: their account does not exist.
fn service() -> serde_json::Value {
    let mut worker = clique("worker", 1);
    worker["spec"]["podSpec"]["serviceAccountName"] = json!("robot");
    let cliques = [clique("front", 1), clique("cache", 0), worker];
    set("svc", &cliques, &[group("workers", "worker", 0, 1)])
}

#[test]
fn the_only_pod_of_a_frontend_is_replaced_while_scaled_up_parts_wait() {
    let ns = Namespace::new("idle-waits");
    ns.apply(&service());
    let front = ns.until("the frontend runs", |seen| {
        seen.expect_ready_pods(1)?;
        expect_idle(seen, "PodCliqueScalingGroup", "svc-0-workers")?;
        Ok(name(seen.pods("svc-0-front")[0]).to_owned())
    });
    ns.kubectl(&["scale", "pcsg/svc-0-workers", "--replicas=1"]);
    ns.kubectl(&["scale", "pclq/svc-0-cache", "--replicas=1"]);
    ns.until("the scaled up parts wait for all their pods", |seen| {
        let worker = seen.one("PodClique", "svc-0-workers-0-worker")?;
        let ready = condition(worker, "Ready");
        same("worker", &ready.as_str(), &"False/ServiceAccountMissing")?;
        let cache = seen.pods("svc-0-cache");
        same("pods", &cache.len(), &1)?;
        same("gates", &gates(cache[0]).len(), &1)?;
        let ready = condition(seen.one("PodClique", "svc-0-cache")?, "Ready");
        same("cache", &ready.as_str(), &"False/GangIncomplete")?;
        expect_base(seen, &[("svc-0-front", 1)])
    });
    ns.kubectl(&["delete", "pod", &front]);
    ns.until("the frontend runs again", |seen| {
        let pods = seen.pods("svc-0-front");
        same("pods", &pods.len(), &1)?;
        same("another", &(name(pods[0]) != front), &true)?;
        same("Ready", &crate::harness::seen::is_ready(pods[0]), &true)?;
        expect_base(seen, &[("svc-0-front", 1)])
    });
    ns.kubectl(&["create", "serviceaccount", "robot"]);
    ns.until("the scaled up parts run", |seen| {
        seen.expect_ready_pods(3)?;
        let scaled_up = [("svc-0-cache", 1), ("svc-0-workers-0-worker", 1)];
        expect_base(seen, &[&[("svc-0-front", 1)], &scaled_up[..]].concat())
    });
    ns.kubectl(&["delete", "serviceaccount", "robot"]);
}

/// A member of a group, scaled by hand.
#[test]
fn a_member_of_a_group_is_scaled_to_zero_alone() {
    let ns = Namespace::new("member-idle");
    let workers = json!({
        "name": "workers", "cliqueNames": ["leader", "worker"], "replicas": 2, "minAvailable": 1,
    });
    ns.apply(&set(
        "svc",
        &[clique("leader", 1), clique("worker", 1)],
        &[workers],
    ));
    let runs = |seen: &crate::harness::Seen| {
        seen.expect_ready_pods(4)?;
        expect_base(
            seen,
            &[("svc-0-workers-0-leader", 1), ("svc-0-workers-0-worker", 1)],
        )
    };
    ns.until("it runs", runs);
    ns.kubectl(&["scale", "pclq/svc-0-workers-0-worker", "--replicas=0"]);
    ns.until("it is out of the gang", |seen| {
        seen.expect_ready_pods(3)?;
        expect_base(seen, &[("svc-0-workers-0-leader", 1)])?;
        expect_idle(seen, "PodClique", "svc-0-workers-0-worker")?;
        let group = &seen.one("PodCliqueScalingGroup", "svc-0-workers")?["status"];
        for count in ["replicas", "availableReplicas", "updatedReplicas"] {
            same(count, &group[count], &json!(2))?;
        }
        Ok(())
    });
    ns.kubectl(&["scale", "pclq/svc-0-workers-0-worker", "--replicas=1"]);
    ns.until("it is back", runs);
}
