//! Counts and autoscalers of objects of the Go operator.

use serde_json::{Value, json};

use super::{adopt, patch, stopped};
use crate::harness::seen::name;
use crate::harness::{Seen, same, subset};

const KIND: &str = "HorizontalPodAutoscaler";

/// That many pods of the router and replicas of the group, whose template has 5.
fn are_kept(seen: &Seen, router: u32, group: u32) -> Result<(), String> {
    for (kind, called, count) in [
        ("PodClique", "llm-0-router", router),
        ("PodCliqueScalingGroup", "llm-0-model", group),
    ] {
        let found = seen.one(kind, called)?;
        let stamp = &found["metadata"]["annotations"]["grove.io/template-replicas"];
        same(called, stamp, &json!("5"))?;
        same(called, &found["spec"]["replicas"], &count.into())?;
    }
    seen.expect_ready_pods(usize::try_from(router + 3 * group).unwrap())
}

fn attempt(seen: &Seen) -> Value {
    let set = seen.one("PodCliqueSet", "llm");
    set.map_or(Value::Null, |set| {
        set["status"]["replicaAttempts"][0]["attempt"].clone()
    })
}

#[test]
fn a_count_outlives_an_update_a_restart_and_a_termination_and_its_autoscaler_goes_if_removed() {
    let lane = stopped("adopt-counts");
    let ns = lane.namespace();
    adopt(&lane, &ns);
    let autoscaler = json!({
        "minReplicas": 1,
        "maxReplicas": 5,
        "scaleTargetRef": {"kind": "PodCliqueScalingGroup", "name": "llm-0-model"},
    });
    ns.until("its autoscaler is as the Go operator made it", |seen| {
        subset(KIND, &seen.one(KIND, "llm-0-model")?["spec"], &autoscaler)
    });
    ns.kubectl(&["scale", "pcsg/llm-0-model", "--replicas=2"]);
    ns.kubectl(&["scale", "pclq/llm-0-router", "--replicas=3"]);
    ns.until("it is scaled", |seen| seen.expect_ready_pods(9));

    let group = "/spec/template/podCliqueScalingGroups/0";
    patch(
        &ns,
        &json!([
            {"op": "replace", "path": "/spec/template/cliques/0/spec/replicas", "value": 5},
            {"op": "replace", "path": format!("{group}/replicas"), "value": 5},
            {"op": "replace", "path": "/spec/template/terminationDelay", "value": "2s"},
            {"op": "replace", "path": format!("{group}/scaleConfig/maxReplicas"), "value": 6},
            {"op": "add", "path": "/spec/template/cliques/0/annotations/example.com~1version",
                "value": "2"},
            {"op": "add", "path": "/spec/template/cliques/0/spec/podSpec/containers/0/readinessProbe",
                "value": {"exec": {"command": ["true"]}}},
        ]),
    );
    lane.operator.kill();
    lane.operator.start_again().unwrap();
    ns.until("the template is there, the counts stay", |seen| {
        let highest = &seen.one(KIND, "llm-0-model")?["spec"]["maxReplicas"];
        same("maxReplicas", highest, &json!(6))?;
        for pod in seen.pods("llm-0-router") {
            let version = &pod["metadata"]["annotations"]["example.com/version"];
            same(name(pod), version, &json!("2"))?;
        }
        // Gang termination is suspended until the turn has ended.
        let progress = &seen.one("PodCliqueSet", "llm")?["status"]["updateProgress"];
        same("ended", &progress["updateEndedAt"].is_string(), &true)?;
        are_kept(seen, 3, 2)
    });

    ns.break_pods("llm-0-router");
    ns.until("it was terminated and runs again", |seen| {
        same("attempt", &attempt(seen), &json!(1))?;
        are_kept(seen, 3, 2)
    });

    patch(
        &ns,
        &json!([{"op": "remove", "path": format!("{group}/scaleConfig")}]),
    );
    ns.until("there is no autoscaler, and the counts stay", |seen| {
        seen.expect_names(KIND, &[])?;
        are_kept(seen, 3, 2)
    });
    let gangs = ns.look().unwrap();
    let gangs: Vec<_> = gangs.all("PodGang").into_iter().map(name).collect();
    assert_eq!(gangs, ["llm-0", "llm-0-model-0"]);
}
