//! Legal but unwise settings: one case for each rule, and similar settings that are fine.

use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, Edit, FRONTEND, GROUP, at, edited};

use super::{lint, said};

pub(super) fn remarks(rule: &str, edits: &[Edit<'_>]) -> Vec<String> {
    let report = lint(&edited(edits).to_string());
    assert_eq!(report.errors(), 0, "{:?}", report.findings);
    let lines = said(&report, &[rule]);
    let words = lines
        .iter()
        .map(|line| line.splitn(3, ':').nth(2).unwrap().trim().to_owned());
    words.collect()
}

/// The paths of the warnings of a rule.
fn paths(rule: &str, edits: &[Edit<'_>]) -> Vec<String> {
    let lines = remarks(rule, edits);
    lines
        .iter()
        .map(|line| line.split(':').next().unwrap().to_owned())
        .collect()
}

const MAIN: &str = "spec/podSpec/containers/0";

fn resources(resources: Value) -> (String, Value) {
    (at(FRONTEND, &format!("{MAIN}/resources")), resources)
}

#[rstest]
#[case::none(json!({}), 3)]
#[case::requests(json!({"requests": {"cpu": "1"}}), 2)]
#[case::limits(json!({"limits": {"cpu": "1"}}), 2)]
#[case::empty(json!({"requests": {}}), 3)]
#[case::claims(json!({"claims": [{"name": "gpu"}]}), 2)]
fn a_container_without_requests(#[case] of: Value, #[case] expected: usize) {
    let (at, of) = resources(of);
    assert_eq!(remarks("no-requests", &[(&at, of)]).len(), expected);
}

#[test]
fn a_pod_may_ask_as_a_whole() {
    let whole = at(FRONTEND, "spec/podSpec/resources");
    let edits = [(whole.as_str(), json!({"requests": {"cpu": "1"}}))];
    assert_eq!(remarks("no-requests", &edits).len(), 2);
    assert_eq!(
        remarks("no-requests", &[])[0],
        "spec.template.cliques[0].spec.podSpec.containers[0].resources.requests: container main \
         requests no resources; set requests such as {cpu: \"1\", memory: 2Gi}"
    );
}

fn autoscaled(config: Value) -> [(String, Value); 1] {
    [(at(FRONTEND, "spec/autoScalingConfig"), config)]
}

fn group_scaled(config: Value) -> [(String, Value); 1] {
    [(at(GROUP, "scaleConfig"), config)]
}

fn edits(edits: &[(String, Value)]) -> Vec<Edit<'_>> {
    edits
        .iter()
        .map(|(at, value)| (at.as_str(), value.clone()))
        .collect()
}

#[rstest]
#[case::all_needed(json!({"maxReplicas": 5}), None, &["spec.template.cliques[0].spec.minAvailable"])]
#[case::one_needed(json!({"maxReplicas": 5}), Some(1), &[])]
fn an_autoscaler_that_cannot_scale_in(
    #[case] config: Value,
    #[case] minimum: Option<i32>,
    #[case] expected: &[&str],
) {
    let mut all = autoscaled(config).to_vec();
    all.extend(minimum.map(|m| (at(FRONTEND, "spec/minAvailable"), json!(m))));
    assert_eq!(paths("autoscaler-cannot-scale-in", &edits(&all)), expected);
}

#[test]
fn a_group_that_cannot_scale_in() {
    let mut all = group_scaled(json!({"maxReplicas": 5})).to_vec();
    assert_eq!(paths("autoscaler-cannot-scale-in", &edits(&all)), [""; 0]);
    all.push((at(GROUP, "minAvailable"), json!(2)));
    let found = remarks("autoscaler-cannot-scale-in", &edits(&all));
    assert_eq!(
        found,
        [
            "spec.template.podCliqueScalingGroups[0].minAvailable: 2: is all of replicas, so the \
          autoscaler never goes below 2; write minAvailable: 1 and scaleConfig.minReplicas: 1 (now 2), or the \
          smallest counts that work"
        ]
    );
}

/// The error about it is enough.
#[test]
fn a_minimum_above_replicas_is_not_all_of_them() {
    let mut all = group_scaled(json!({"maxReplicas": 5})).to_vec();
    all.push((at(GROUP, "minAvailable"), json!(4)));
    let report = lint(&edited(&edits(&all)).to_string());
    let told = said(&report, &["autoscaler-cannot-scale-in", "refused"]);
    let at = "spec.template.podCliqueScalingGroups[0].minAvailable: 4: must not be greater than";
    assert!(told.iter().any(|line| line.contains(at)), "{told:?}");
    let is_of_scaling = |line: &String| line.contains("all of replicas");
    assert!(!told.iter().any(is_of_scaling), "{told:?}");
}

#[rstest]
#[case::room(json!({"maxReplicas": 3}), &[])]
#[case::none_by_default(json!({"maxReplicas": 2}), &["spec.template.cliques[0].spec.autoScalingConfig.maxReplicas"])]
#[case::none(json!({"minReplicas": 3, "maxReplicas": 3}), &["spec.template.cliques[0].spec.autoScalingConfig.maxReplicas"])]
fn an_autoscaler_of_one_size(#[case] config: Value, #[case] expected: &[&str]) {
    assert_eq!(
        paths("autoscaler-of-one-size", &edits(&autoscaled(config))),
        expected
    );
}

fn utilization(resource: &str) -> Value {
    json!({"maxReplicas": 5, "metrics": [{
        "type": "Resource",
        "resource": {"name": resource, "target": {"type": "Utilization", "averageUtilization": 70}}
    }]})
}

fn queue(target: &Value) -> Value {
    json!({"maxReplicas": 5, "metrics": [{
        "type": "External", "external": {"metric": {"name": "queue"}, "target": target}
    }]})
}

const METRICS: &str = "spec.template.cliques[0].spec.autoScalingConfig.metrics";

#[rstest]
#[case::of_the_cpu_by_default(json!({"maxReplicas": 5}), json!({}), &[METRICS])]
#[case::of_the_cpu(utilization("cpu"), json!({"requests": {"memory": "1Gi"}}), &[METRICS])]
#[case::of_the_memory(utilization("memory"), json!({"requests": {"memory": "1Gi"}}), &[])]
#[case::that_has_a_limit(utilization("cpu"), json!({"limits": {"cpu": "1"}}), &[])]
#[case::of_something_else(queue(&json!({"type": "AverageValue", "averageValue": "3"})), json!({}), &[])]
fn an_autoscaler_by_a_resource_without_requests(
    #[case] config: Value,
    #[case] of: Value,
    #[case] expected: &[&str],
) {
    let all = [autoscaled(config).to_vec(), vec![resources(of)]].concat();
    assert_eq!(paths("autoscaler-without-request", &edits(&all)), expected);
}

const OF_GROUP: &str = "spec.template.podCliqueScalingGroups[0].scaleConfig.metrics";

#[rstest]
#[case::the_default(json!({"maxReplicas": 5}), Some(""))]
#[case::of_resources(utilization("cpu"), Some("[0]"))]
#[case::a_value(queue(&json!({"type": "Value", "value": "3"})), Some("[0]"))]
#[case::an_average(queue(&json!({"type": "AverageValue", "averageValue": "3"})), None)]
fn a_metric_that_is_counted_by_pods(#[case] config: Value, #[case] expected: Option<&str>) {
    let expected: Vec<_> = expected
        .iter()
        .map(|index| format!("{OF_GROUP}{index}"))
        .collect();
    assert_eq!(
        paths("group-metric-by-pods", &edits(&group_scaled(config))),
        expected
    );
}

#[rstest]
#[case::the_default(
    json!({"maxReplicas": 5}),
    ": the default metric, CPU utilization, is counted by pods, and a group replica has 4 pods; use type External or Object with an averageValue"
)]
#[case::of_resources(
    utilization("cpu"),
    "[0]: this metric is counted by pods, and a group replica has 4 pods; use type External or Object with an averageValue"
)]
fn a_metric_that_is_counted_by_pods_is_named(#[case] config: Value, #[case] words: &str) {
    let found = remarks("group-metric-by-pods", &edits(&group_scaled(config)));
    assert_eq!(found, [format!("{OF_GROUP}{words}")]);
}

#[test]
fn groups_of_one_pod_and_cliques_may_go_by_pods() {
    let mut all = group_scaled(json!({"maxReplicas": 5})).to_vec();
    all.push((at(GROUP, "cliqueNames"), json!(["leader"])));
    assert_eq!(paths("group-metric-by-pods", &edits(&all)), [""; 0]);
    let all = autoscaled(json!({"maxReplicas": 5}));
    assert_eq!(paths("group-metric-by-pods", &edits(&all)), [""; 0]);
}

/// `serve`, `prefill` and `worker` have 18 characters of 45.
#[rstest]
#[case::six_left(26, None)]
#[case::five_left(27, Some(5))]
#[case::none_left(32, Some(0))]
fn names_near_the_limit(#[case] length: usize, #[case] left: Option<usize>) {
    let name = "s".repeat(length);
    let found = remarks("name-near-limit", &[("/metadata/name", json!(name))]);
    let expected = left.map(|left| {
        format!(
            "spec.template.cliques[1].name: \"leader\": the names of set, group and clique have {} \
             of 45 characters, {left} are left; shorten one of them",
            45 - left
        )
    });
    assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
}

#[rstest]
#[case("llm", false)]
#[case("llm:latest", false)]
#[case("registry.example.com:5000/team/llm", false)]
#[case("registry.example.com:5000/team/llm:2", true)]
#[case("llm:2.1-latest", true)]
#[case("llm@sha256:0123", true)]
fn an_image_without_a_version(#[case] image: &str, #[case] is_fixed: bool) {
    let main = at(FRONTEND, &format!("{MAIN}/image"));
    let init = at(FRONTEND, "spec/podSpec/initContainers");
    let all = [
        (main.as_str(), json!(image)),
        (&init, json!([{"name": "a", "image": image}])),
    ];
    let expected: &[&str] = if is_fixed {
        &[]
    } else {
        &[
            "spec.template.cliques[0].spec.podSpec.containers[0].image",
            "spec.template.cliques[0].spec.podSpec.initContainers[0].image",
        ]
    };
    let mut found = paths("image-without-version", &all);
    found.sort();
    assert_eq!(found, expected);
}

#[rstest]
#[case::limit(json!({"limits": {"nvidia.com/gpu": "1"}}), None, 1)]
#[case::slice(json!({"limits": {"nvidia.com/mig-1g.5gb": "1"}}), None, 1)]
#[case::no_gpu(json!({"limits": {"cpu": "1"}}), None, 0)]
#[case::with_a_probe(json!({"limits": {"nvidia.com/gpu": "1"}}), Some("readinessProbe"), 0)]
#[case::with_another_probe(json!({"limits": {"nvidia.com/gpu": "1"}}), Some("livenessProbe"), 1)]
fn gpus_without_a_readiness_probe(
    #[case] of: Value,
    #[case] probe: Option<&str>,
    #[case] expected: usize,
) {
    let mut all = vec![resources(of)];
    all.extend(probe.map(|p| {
        (
            at(FRONTEND, &format!("{MAIN}/{p}")),
            json!({"exec": {"command": ["a"]}}),
        )
    }));
    assert_eq!(
        paths("gpu-without-readiness-probe", &edits(&all)).len(),
        expected
    );
    all.push(("/spec/workloadType".into(), json!("Training")));
    assert_eq!(paths("gpu-without-readiness-probe", &edits(&all)), [""; 0]);
}

#[test]
fn variables_that_the_operator_sets() {
    let env = json!([{"name": "GROVE_PCS_NAME", "value": "a"}, {"name": "GROVE_PCSG_NAME", "value": "b"}]);
    let all = [
        (&*at(FRONTEND, "spec/podSpec/hostname"), json!("a")),
        (&*at(FRONTEND, "spec/podSpec/subdomain"), json!("b")),
        (&*at(FRONTEND, &format!("{MAIN}/env")), env.clone()),
        (&*at(CLIQUES, &format!("1/{MAIN}/env")), env),
    ];
    let expected = [
        "spec.template.cliques[0].spec.podSpec.hostname",
        "spec.template.cliques[0].spec.podSpec.subdomain",
        "spec.template.cliques[0].spec.podSpec.containers[0].env[0].name",
        "spec.template.cliques[1].spec.podSpec.containers[0].env[0].name",
        "spec.template.cliques[1].spec.podSpec.containers[0].env[1].name",
    ];
    let mut found = paths("replaced-by-operator", &all);
    found.sort();
    let mut expected = expected.map(String::from);
    expected.sort();
    assert_eq!(found, expected);
}

/// On other workloads it is a variable like any other.
#[test]
fn variables_that_the_operator_sets_in_jobs() {
    let env = json!([{"name": "GROVE_ATTEMPT", "value": "1"}]);
    let path = at(FRONTEND, &format!("{MAIN}/env"));
    let edit = [(&*path, env)];
    let found = "spec.template.cliques[0].spec.podSpec.containers[0].env[0].name";
    assert_eq!(job("replaced-by-operator", &edit), [found]);
    assert_eq!(paths("replaced-by-operator", &edit), [""; 0]);
}

const JOB: Edit<'_> = ("/spec/workloadType", Value::Null);

/// A job with other values in some places.
fn job(rule: &str, more: &[Edit<'_>]) -> Vec<String> {
    let all = [&[(JOB.0, json!("Training"))], more].concat();
    paths(rule, &all)
}

const DELAY: &str = "/spec/template/terminationDelay";
const LIMITS: &str = "/spec/trainingSpec";
const POLICY: &str = "spec.template.cliques[0].spec.podSpec.restartPolicy";

#[test]
fn jobs_without_restarts() {
    let at = ["spec.trainingSpec.maxRestarts"];
    assert_eq!(job("no-restarts", &[]), at);
    assert_eq!(
        job("no-restarts", &[(LIMITS, json!({"maxRestarts": 0}))]),
        at
    );
    assert_eq!(
        job("no-restarts", &[(LIMITS, json!({"maxRestarts": 1}))]),
        [""; 0]
    );
    assert_eq!(paths("no-restarts", &[]), [""; 0]);
}

#[test]
fn jobs_that_restart_in_place() {
    let policy = at(FRONTEND, "spec/podSpec/restartPolicy");
    let on_failure = (policy.as_str(), json!("OnFailure"));
    let (delay, end) = ("on-failure-without-delay", "on-failure-without-max-runtime");
    assert_eq!(job(delay, std::slice::from_ref(&on_failure)), [POLICY]);
    assert_eq!(
        job(delay, &[on_failure.clone(), (DELAY, json!("0s"))]),
        [POLICY]
    );
    assert_eq!(
        job(delay, &[on_failure.clone(), (DELAY, json!("5m"))]),
        [""; 0]
    );
    assert_eq!(job(delay, &[]), [""; 0]);
    assert_eq!(job(end, std::slice::from_ref(&on_failure)), [POLICY]);
    assert_eq!(
        job(
            end,
            &[on_failure.clone(), (LIMITS, json!({"maxRuntime": "1h"}))]
        ),
        [""; 0]
    );
    assert_eq!(job(end, &[]), [""; 0]);
    assert_eq!(paths(delay, &[on_failure]), [""; 0]);
}

#[test]
fn jobs_whose_readiness_counts() {
    let rule = "readiness-probe-without-delay";
    let probe = at(FRONTEND, &format!("{MAIN}/readinessProbe"));
    let probe = (probe.as_str(), json!({"exec": {"command": ["a"]}}));
    let policy = at(FRONTEND, "spec/podSpec/restartPolicy");
    let at = ["spec.template.cliques[0].spec.podSpec.containers[0].readinessProbe"];
    assert_eq!(job(rule, std::slice::from_ref(&probe)), at);
    assert_eq!(job(rule, &[probe.clone(), (DELAY, json!("5m"))]), [""; 0]);
    assert_eq!(
        job(rule, &[probe.clone(), (&policy, json!("OnFailure"))]),
        [""; 0]
    );
    assert_eq!(job(rule, &[]), [""; 0]);
    assert_eq!(paths(rule, &[probe]), [""; 0]);
}

#[test]
fn keys_that_are_written_twice() {
    let text = edited(&[]).to_string().replacen(
        "\"roleName\":\"frontend\"",
        "\"roleName\":\"a\",\n\"roleName\":\"frontend\"",
        1,
    );
    let report = lint(&text);
    assert_eq!(
        said(&report, &["repeated-key"]),
        [
            "2:12: spec.template.cliques[0].spec.roleName: is in line 1, too, and this one \
          counts; remove one of the two"
        ]
    );
}
