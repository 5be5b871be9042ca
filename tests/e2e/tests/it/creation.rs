//! From one manifest to running pods.

use serde_json::{Value, json};

use crate::harness::seen::{index, listed, name};
use crate::harness::{Namespace, Seen, condition, same, subset};

const EXAMPLE: &str = "examples/disaggregated.yaml";

const CLIQUES: [(&str, u32, u32); 7] = [
    ("disaggregated-0-frontend", 2, 1),
    ("disaggregated-0-workers-0-decode", 2, 2),
    ("disaggregated-0-workers-0-prefill", 1, 1),
    ("disaggregated-0-workers-1-decode", 2, 2),
    ("disaggregated-0-workers-1-prefill", 1, 1),
    ("disaggregated-0-workers-2-decode", 2, 2),
    ("disaggregated-0-workers-2-prefill", 1, 1),
];

#[test]
fn the_example_creates_everything_it_needs_and_nothing_else() {
    let ns = Namespace::new("example-objects");
    ns.apply_file(EXAMPLE);
    ns.until("all objects", |seen| {
        seen.expect_names("PodCliqueSet", &["disaggregated"])?;
        seen.expect_names("PodCliqueScalingGroup", &["disaggregated-0-workers"])?;
        seen.expect_names("PodClique", &CLIQUES.map(|(name, ..)| name))?;
        let gangs = ["disaggregated-0", "disaggregated-0-workers-0"];
        seen.expect_names("PodGang", &gangs)?;
        seen.expect_names("Service", &["disaggregated-0"])?;
        for power in ["ServiceAccount", "Role", "RoleBinding"] {
            seen.expect_names(power, &[])?;
        }
        CLIQUES.iter().try_for_each(|(name, pods, _)| {
            let indices: Vec<u32> = seen.pods(name).into_iter().map(index).collect();
            same(name, &indices, &(0..*pods).collect())
        })?;
        seen.expect_ready_pods(11)
    });
}

#[test]
fn the_example_becomes_available_and_says_so_at_every_level() {
    let ns = Namespace::new("example-status");
    ns.apply_file(EXAMPLE);
    ns.until("everything is available", |seen| {
        CLIQUES
            .iter()
            .try_for_each(|clique| podclique_is_available(seen, *clique))?;
        group_is_available(seen.one("PodCliqueScalingGroup", "disaggregated-0-workers")?)?;
        set_is_available(seen.one("PodCliqueSet", "disaggregated")?)
    });
}

fn podclique_is_available(seen: &Seen, (name, pods, min): (&str, u32, u32)) -> Result<(), String> {
    let podclique = seen.one("PodClique", name)?;
    let status = json!({
        "observedGeneration": podclique["metadata"]["generation"],
        "replicas": pods,
        "readyReplicas": pods,
        "updatedReplicas": pods,
        "scheduledReplicas": pods,
        "scheduleGatedReplicas": 0,
        "wasAvailable": true,
        "currentPodTemplateHash": podclique["metadata"]["labels"]["grove.io/pod-template-hash"],
    });
    subset(name, &podclique["status"], &status)?;
    same(name, &podclique["status"]["lastErrors"], &Value::Null)?;
    same(name, &podclique["spec"]["minAvailable"], &json!(min))?;
    expect(podclique, "Ready", "True/AllReady")?;
    expect(
        podclique,
        "PodCliqueScheduled",
        "True/SufficientScheduledPods",
    )?;
    expect(
        podclique,
        "MinAvailableBreached",
        "False/SufficientReadyPods",
    )
}

fn group_is_available(group: &Value) -> Result<(), String> {
    let selector = "app.kubernetes.io/managed-by=grove-operator,\
                    app.kubernetes.io/part-of=disaggregated,\
                    grove.io/podcliquescalinggroup=disaggregated-0-workers";
    let status = json!({
        "observedGeneration": group["metadata"]["generation"],
        "replicas": 3,
        "scheduledReplicas": 3,
        "availableReplicas": 3,
        "updatedReplicas": 3,
        "selector": selector,
    });
    subset("PodCliqueScalingGroup", &group["status"], &status)?;
    let reason = "False/SufficientAvailablePodCliqueScalingGroupReplicas";
    expect(group, "MinAvailableBreached", reason)?;
    expect(group, "Ready", "True/AllReady")
}

fn set_is_available(set: &Value) -> Result<(), String> {
    let selector = "app.kubernetes.io/managed-by=grove-operator,\
                    app.kubernetes.io/part-of=disaggregated";
    let status = json!({
        "observedGeneration": set["metadata"]["generation"],
        "phase": "Running",
        "replicas": 1,
        "availableReplicas": 1,
        "updatedReplicas": 1,
        "hpaPodSelector": selector,
    });
    subset("PodCliqueSet", &set["status"], &status)?;
    same("lastErrors", &set["status"]["lastErrors"], &Value::Null)?;
    let conditions = set["status"]["conditions"].as_array();
    same("conditions", &conditions.map(Vec::len), &Some(3))?;
    expect(
        set,
        "TopologyLevelsUnavailable",
        "False/AllClusterTopologyLevelsAvailable",
    )?;
    expect(set, "UpdateInProgress", "False/NoActiveUpdate")?;
    expect(set, "Ready", "True/AllReady")
}

#[test]
fn the_base_gang_holds_the_guaranteed_parts_and_the_scaled_gang_the_rest() {
    let ns = Namespace::new("example-gangs");
    ns.apply_file(EXAMPLE);
    ns.until("both gangs run", |seen| {
        let cliques = [
            "disaggregated-0-frontend",
            "disaggregated-0-workers-0-prefill",
            "disaggregated-0-workers-0-decode",
            "disaggregated-0-workers-1-prefill",
            "disaggregated-0-workers-1-decode",
        ];
        gang_runs(seen, "disaggregated-0", &cliques)?;
        let cliques = [
            "disaggregated-0-workers-2-prefill",
            "disaggregated-0-workers-2-decode",
        ];
        gang_runs(seen, "disaggregated-0-workers-0", &cliques)
    });
}

/// The gang lists all pods of these PodCliques by index, and all its conditions are good.
fn gang_runs(seen: &Seen, gang: &str, cliques: &[&str]) -> Result<(), String> {
    let gang = seen.one("PodGang", gang)?;
    let pods = |clique: &'_ str| seen.pods(clique).into_iter().map(name).collect();
    let should: Vec<(&str, Vec<&str>)> = cliques.iter().map(|c| (*c, pods(c))).collect();
    same(name(gang), &listed(gang), &should)?;
    for group in gang["spec"]["podgroups"].as_array().unwrap() {
        let clique = seen.one("PodClique", group["name"].as_str().unwrap())?;
        same(
            "minReplicas",
            &group["minReplicas"],
            &clique["spec"]["minAvailable"],
        )?;
    }
    let status = json!({"phase": "Running", "schedulingPhase": "Scheduled"});
    subset(name(gang), &gang["status"], &status)?;
    expect(gang, "Initialized", "True/PodGangPodsCreated")?;
    expect(gang, "Scheduled", "True/GuaranteedPodsBound")?;
    expect(gang, "Ready", "True/GuaranteedPodsReady")?;
    expect(gang, "Unhealthy", "False/NoPodFailed")?;
    expect(gang, "DisruptionTarget", "False/NoPodDisrupted")
}

fn expect(object: &Value, type_: &str, should: &str) -> Result<(), String> {
    let what = format!("{} {type_}", name(object));
    same(&what, &condition(object, type_), &should.to_owned())
}
