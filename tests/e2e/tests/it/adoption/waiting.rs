//! A base gang that is not ready, in the state that the Go operator left.

use localcluster::MANUAL_STATUS_LABEL;
use serde_json::{Value, json};

use super::adopted::{expect_gangs, uids};
use super::left::Left;
use super::running::{gang, pods};
use super::{statuses, stopped};
use crate::harness::seen::{gates, name};
use crate::harness::{Seen, condition, same};

const LEADER: &str = "llm-0-model-0-leader";

/// The Go operator lists the pods of a scaled gang at once, and keeps their gates closed until the
/// base gang has nodes.
#[test]
fn a_scaled_gang_continues_to_wait_for_its_base_gang() {
    let lane = stopped("adopt-waiting");
    let ns = lane.namespace();
    let left = Left::new(&ns, 2, leaders_get_ready_by_hand);
    let mut base = vec![left.router()];
    base.extend(left.group_replica(0));
    gang(&left, "llm-0", &base);
    let [leader, worker] = left.group_replica(1);
    let held = [&leader, &worker].map(|part| (part, pods(&left, part, true)));
    left.gang("llm-0-model-0", &held);

    lane.operator.start_again().unwrap();
    let first = ns.until("all is adopted, and the scaled gang waits", |seen| {
        let parts = ["llm-0-model-1-leader", "llm-0-model-1-worker"];
        for pod in parts.iter().flat_map(|part| seen.pods(part)) {
            let hash = pod["metadata"]["labels"]["grove.io/pod-template-hash"].as_str();
            let is_adopted = hash.is_some_and(|hash| hash.starts_with("r1"));
            same("adopted", &is_adopted, &true)?;
            same("gates", &gates(pod).len(), &1)?;
        }
        for part in parts {
            let status = &seen.one("PodClique", part)?["status"];
            let gated = &status["scheduleGatedReplicas"];
            same("gated", gated, &seen.pods(part).len().into())?;
            let is = condition(seen.one("PodClique", part)?, "MinAvailableBreached");
            same("breach", &is.as_str(), &"False/NeverAvailable")?;
        }
        expect_gangs_opened(seen, "llm-0")?;
        Ok(name(seen.pods("llm-0-model-0-leader")[0]).to_owned())
    });
    ns.set_pod_ready(&first);
    let second = ns.until("the base gang is ready, the scaled one starts", |seen| {
        let pods = seen.pods("llm-0-model-1-leader");
        same("gates", &gates(pods[0]).len(), &0)?;
        Ok(name(pods[0]).to_owned())
    });
    ns.set_pod_ready(&second);
    ns.until("all runs", |seen| {
        seen.expect_ready_pods(8)?;
        expect_gangs(seen, &["llm-0", "llm-0-model-0"])
    });
}

/// Waits only for the gang of this name.
fn expect_gangs_opened(seen: &Seen, name: &str) -> Result<(), String> {
    let is_open = |gang: &&Value| {
        gang["metadata"]["annotations"]["grove.io/gates-released-by-list"] == "true"
    };
    let open = seen.all("PodGang").into_iter().filter(is_open);
    let open: Vec<_> = open.map(crate::harness::seen::name).collect();
    same("open gangs", &open, &vec![name])
}

/// The Go operator calls a start a breach. Although it began months before the delay, it ends
/// nothing here; a breach of this operator counts from its own begin.
#[test]
fn a_breach_of_the_go_operator_terminates_nothing() {
    let lane = stopped("adopt-breach");
    let ns = lane.namespace();
    let left = Left::new(&ns, 1, leaders_get_ready_by_hand);
    let mut base = vec![left.router()];
    base.extend(left.group_replica(0));
    gang(&left, "llm-0", &base);
    let breach = |reason| json!({"conditions": [statuses::condition("MinAvailableBreached", "True", reason)]});
    let group_reason = "InsufficientAvailablePodCliqueScalingGroupReplicas";
    left.report(
        "PodCliqueScalingGroup",
        "llm-0-model",
        &breach(group_reason),
    );
    let clique_reason = "ScheduledReplicasBelowMinAvailable";
    left.report("PodClique", LEADER, &breach(clique_reason));
    let before = uids(&ns.look().unwrap());

    lane.operator.start_again().unwrap();
    let leader = ns.until("the breach is computed again", |seen| {
        expect_breach(seen, "False/NeverAvailable")?;
        let group = seen.one("PodCliqueScalingGroup", "llm-0-model")?;
        let found = condition(group, "MinAvailableBreached");
        same("group", &found.starts_with("False/"), &true)?;
        Ok(name(seen.pods(LEADER)[0]).to_owned())
    });
    ns.set_pod_ready(&leader);
    ns.until("it is available", |seen| {
        expect_breach(seen, "False/SufficientReadyPods")
    });
    ns.break_pods(LEADER);
    ns.until("it is breached from now on", |seen| {
        expect_breach(seen, "True/InsufficientReadyPods")?;
        let events = ns.events("llm", "GangTerminationScheduled");
        same("announced", &events.is_empty(), &false)?;
        let set = &seen.one("PodCliqueSet", "llm")?["status"];
        same("attempts", &set["replicaAttempts"], &json!(null))?;
        same("all is as it was", &uids(seen), &before)
    });
}

fn expect_breach(seen: &Seen, should: &str) -> Result<(), String> {
    let found = condition(seen.one("PodClique", LEADER)?, "MinAvailableBreached");
    same("breach", &found.as_str(), &should)
}

fn leaders_get_ready_by_hand(set: &mut Value) {
    set["spec"]["template"]["cliques"][1]["labels"][MANUAL_STATUS_LABEL] = json!("true");
}
