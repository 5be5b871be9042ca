//! Counts set through `/scale` stay through all changes of the set.

use serde_json::{Value, json};

use crate::harness::lane::Lane;
use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, Seen, same};

/// A clique and a group with autoscalers, with this many replicas in the template.
fn service(replicas: u32, role: &str) -> Value {
    let mut a = clique("a", replicas);
    a["spec"]["roleName"] = json!(role);
    a["spec"]["minAvailable"] = json!(2);
    a["spec"]["autoScalingConfig"] = json!({"minReplicas": 2, "maxReplicas": 6});
    let mut pcs = set("x", &[a, clique("b", 1)], &[group("g", "b", replicas, 1)]);
    let template = &mut pcs["spec"]["template"];
    template["terminationDelay"] = json!("2s");
    template["podCliqueScalingGroups"][0]["scaleConfig"] =
        json!({"minReplicas": 1, "maxReplicas": 6});
    pcs
}

/// That many pods and group replicas, available, after that many terminations.
fn runs(seen: &Seen, a: u32, g: u32, attempt: u32) -> Result<(), String> {
    let clique = seen.one("PodClique", "x-0-a")?;
    let group = seen.one("PodCliqueScalingGroup", "x-0-g")?;
    same("a", &clique["spec"]["replicas"], &a.into())?;
    same("g", &group["spec"]["replicas"], &g.into())?;
    same("ready", &clique["status"]["readyReplicas"], &a.into())?;
    same("available", &clique["status"]["wasAvailable"], &json!(true))?;
    same("groups", &group["status"]["availableReplicas"], &g.into())?;
    let stored = &clique["metadata"]["annotations"]["grove.io/attempt"];
    same("attempt", stored, &json!(attempt.to_string()))?;
    seen.expect_ready_pods(usize::try_from(a + g).unwrap())
}

fn follows(seen: &Seen, template: &str) -> Result<(), String> {
    for (kind, name) in [("PodClique", "x-0-a"), ("PodCliqueScalingGroup", "x-0-g")] {
        let annotations = &seen.one(kind, name)?["metadata"]["annotations"];
        let stamp = &annotations["grove.io/template-replicas"];
        same(name, stamp, &json!(template))?;
    }
    Ok(())
}

fn pods(ns: &Namespace<'_>) -> Vec<Value> {
    let seen = ns.look().unwrap();
    let pods = seen.all("Pod").into_iter();
    pods.map(|pod| pod["metadata"]["uid"].clone()).collect()
}

#[test]
fn a_count_outlives_a_template_a_restart_and_a_termination() {
    let lane = Lane::start("autoscaled");
    let ns = lane.namespace();
    ns.apply(&service(2, "old"));
    ns.until("as the template says", |seen| runs(seen, 2, 2, 0));
    ns.kubectl(&["scale", "pclq/x-0-a", "--replicas=4"]);
    ns.kubectl(&["scale", "pcsg/x-0-g", "--replicas=3"]);
    ns.until("as it was scaled", |seen| runs(seen, 4, 3, 0));
    let before = pods(&ns);

    ns.apply(&service(5, "new"));
    ns.until("the template is known, the counts stay", |seen| {
        follows(seen, "5")?;
        let role = &seen.one("PodClique", "x-0-a")?["spec"]["roleName"];
        same("role", role, &json!("new"))?;
        runs(seen, 4, 3, 0)
    });
    assert_eq!(pods(&ns), before);

    lane.operator.kill();
    ns.apply(&service(3, "newest"));
    lane.operator.start_again().unwrap();
    lane.operator.wait_until_ready().unwrap();
    ns.until("so do they after a restart", |seen| {
        follows(seen, "3")?;
        runs(seen, 4, 3, 0)
    });
    assert_eq!(pods(&ns), before);

    ns.break_pods("x-0-a");
    ns.until("the replica was terminated and runs again", |seen| {
        runs(seen, 4, 3, 1)
    });

    let mut unscaled = service(3, "newest");
    let clique = &mut unscaled["spec"]["template"]["cliques"][0]["spec"];
    clique.as_object_mut().unwrap().remove("autoScalingConfig");
    ns.apply(&unscaled);
    ns.until("the clique has no autoscaler, and its count", |seen| {
        seen.expect_names("HorizontalPodAutoscaler", &["x-0-g"])?;
        runs(seen, 4, 3, 1)
    });
}
