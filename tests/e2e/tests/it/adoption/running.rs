//! The set with all its pods running, in the state that the Go operator left.

use serde_json::Value;

use super::left::Left;
use super::statuses;
use crate::harness::Namespace;
use crate::harness::seen::name;

/// The set with three replicas of its group, the first of them in the base gang.
pub fn running<'a>(ns: &'a Namespace<'a>) -> Left<'a> {
    let left = Left::new(ns, 3, |_| {});
    fill(&left);
    left
}

/// A leader and two workers of each replica.
const PODS_OF_GROUP: usize = 9;

/// PodCliques, gangs, pods and statuses of the set with three replicas of its group.
pub fn fill(left: &Left<'_>) {
    let router = left.router();
    let mut base = vec![router.clone()];
    base.extend(left.group_replica(0));
    gang(left, "llm-0", &base);
    for j in [1, 2] {
        gang(
            left,
            &format!("llm-0-model-{}", j - 1),
            &left.group_replica(j),
        );
    }
    left.report(
        "PodCliqueScalingGroup",
        "llm-0-model",
        &statuses::group("llm", "llm-0-model", 3),
    );
    left.report("PodCliqueSet", "llm", &statuses::set("llm", 1));
    let routers = router["spec"]["replicas"].as_u64().unwrap();
    let all = PODS_OF_GROUP + usize::try_from(routers).unwrap();
    left.ns
        .until("KWOK runs the pods", |seen| seen.expect_ready_pods(all));
}

/// A gang with all its pods.
pub fn gang(left: &Left<'_>, called: &str, parts: &[Value]) {
    let parts: Vec<_> = parts
        .iter()
        .map(|part| (part, pods(left, part, false)))
        .collect();
    left.gang(called, &parts);
    for (part, _) in parts {
        left.report("PodClique", name(part), &statuses::podclique(part));
    }
}

/// All pods of a PodClique.
pub fn pods(left: &Left<'_>, podclique: &Value, are_gated: bool) -> Vec<String> {
    let replicas = podclique["spec"]["replicas"].as_u64().unwrap();
    let indices: Vec<u32> = (0..u32::try_from(replicas).unwrap()).collect();
    left.pods(podclique, &indices, are_gated)
}
