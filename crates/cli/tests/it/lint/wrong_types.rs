//! Values of the wrong type: they hide no other error, and none follows from them.

use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, Edit, FRONTEND, GROUP, WORKER, at, edited};

use super::lint;

const POD: &str = "spec.template.cliques[0].spec.podSpec";
const MAIN: &str = "spec/podSpec/containers/0";
/// An error of another clique.
const OF_WORKER: &str = "spec.template.cliques[2].spec.minAvailable: 9: must not be greater than \
                         replicas (3); lower minAvailable or raise replicas";

/// The errors of a file, without their places.
fn errors(object: &Value) -> Vec<String> {
    let report = lint(&object.to_string());
    let errors = report.findings.iter().map(|finding| &finding.remark);
    let errors = errors.filter(|remark| remark.severity == cli::lint::Severity::Error);
    let mut lines: Vec<_> = errors
        .map(|remark| remark.to_string().replace(POD, "POD"))
        .collect();
    lines.sort();
    lines
}

/// The errors of a good set with this value, whose workers have an error, too.
fn with(place: &str, value: Value) -> Vec<String> {
    let workers = at(WORKER, "spec/minAvailable");
    let edits: [Edit<'_>; 2] = [(place, value), (&workers, json!(9))];
    errors(&edited(&edits))
}

#[rstest]
#[case::a_number("args", json!(["--port", 8000]), "args[1]: 8000: must be a string; put it in quotes")]
#[case::a_switch("args", json!([true]), "args[0]: true: must be a string; put it in quotes")]
#[case::nothing("args", json!([null]), "args[0]: null: must be a string; fill it in, or remove it")]
#[case::a_text("args", json!("--port 8000"), "args: \"--port 8000\": must be a list; write it as a list")]
#[case::a_command("command", json!(["sleep", 3600]), "command[1]: 3600: must be a string; put it in quotes")]
#[case::a_variable("env", json!(["A=b"]), "env[0]: \"A=b\": must be an object with fields; correct it")]
#[case::a_port("ports", json!([8000]), "ports[0]: 8000: must be an object with fields; correct it")]
#[case::a_mount("volumeMounts", json!(["shm:/dev/shm"]), "volumeMounts[0]: \"shm:/dev/shm\": must be an object with fields; correct it")]
#[case::a_capability("securityContext", json!({"capabilities": {"add": [1]}}), "securityContext.capabilities.add[0]: 1: must be a string; put it in quotes")]
fn of_a_container(#[case] field: &str, #[case] value: Value, #[case] expected: &str) {
    let found = with(&at(FRONTEND, &format!("{MAIN}/{field}")), value);
    let expected = format!("POD.containers[0].{expected}");
    assert_eq!(found, [expected.as_str(), OF_WORKER]);
}

#[rstest]
#[case::a_secret("imagePullSecrets", json!(["regcred"]), "imagePullSecrets[0]: \"regcred\": must be an object with fields; correct it")]
#[case::a_volume("volumes", json!(["shm"]), "volumes[0]: \"shm\": must be an object with fields; correct it")]
#[case::volumes_by_name("volumes", json!({"shm": {"emptyDir": {}}}), "volumes: an object of 1 fields: must be a list; put `- ` before its first field")]
#[case::a_toleration("tolerations", json!(["x"]), "tolerations[0]: \"x\": must be an object with fields; correct it")]
#[case::a_label("affinity", json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
    "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": [1]}]}]
}}}), "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values[0]: 1: must be a string; put it in quotes")]
fn of_a_pod(#[case] field: &str, #[case] value: Value, #[case] expected: &str) {
    let found = with(&at(FRONTEND, &format!("spec/podSpec/{field}")), value);
    assert_eq!(found, [format!("POD.{expected}").as_str(), OF_WORKER]);
}

#[rstest]
#[case::names_as_a_text(at(GROUP, "cliqueNames"), json!("leader"), "spec.template.podCliqueScalingGroups[0].cliqueNames: \"leader\": must be a list; write it as a list")]
#[case::a_metric(at(GROUP, "scaleConfig"), json!({"maxReplicas": 3, "metrics": ["cpu"]}), "spec.template.podCliqueScalingGroups[0].scaleConfig.metrics[0]: \"cpu\": must be an object with fields; correct it")]
#[case::a_clique(at(CLIQUES, "-"), json!("extra"), "spec.template.cliques[3]: \"extra\": must be an object with fields; correct it")]
fn of_the_set(#[case] place: String, #[case] value: Value, #[case] expected: &str) {
    assert_eq!(with(&place, value), [OF_WORKER, expected]);
}

/// The other error of such a value is the only one, and its remedy leaves none.
#[rstest]
#[case::a_member(at(GROUP, "cliqueNames"), json!(["leader", 1]), "spec.template.podCliqueScalingGroups[0].cliqueNames[1]: 1: there is no such clique; ")]
#[case::a_delay("/spec/template/terminationDelay".to_owned(), json!(600), "spec.template.terminationDelay: 600: is not a duration; write it with a unit, such as 600s")]
#[case::no_delay("/spec/template/terminationDelay".to_owned(), json!(0), "spec.template.terminationDelay: 0: must be at least 1s, ")]
#[case::a_deadline(at(FRONTEND, "rollingUpdate"), json!({"progressDeadline": 600}), "spec.template.cliques[0].rollingUpdate.progressDeadline: 600: is not a duration; write it with a unit, such as 600s")]
#[case::below_zero(at(FRONTEND, "spec/replicas"), json!("-1"), "spec.template.cliques[0].spec.replicas: \"-1\": must not be ")]
#[case::a_gpu(at(FRONTEND, "spec/podSpec/containers/0/resources"), json!({"limits": {"nvidia.com/gpu": 0.5}}), "POD.containers[0].resources.limits[nvidia.com/gpu]: 0.5: must be a whole number; round it")]
#[case::less_than_nothing(at(FRONTEND, "spec/podSpec/containers/0/resources"), json!({"requests": {"cpu": -0.5}}), "POD.containers[0].resources.requests[cpu]: -0.5: must not be negative; ")]
#[case::half_a_core(at(FRONTEND, "spec/podSpec/containers/0/resources"), json!({"requests": {"cpu": 0.5}}), "POD.containers[0].resources.requests[cpu]: 0.5: must be a whole number or a string; put it in quotes")]
fn of_a_value_with_another_error(
    #[case] place: String,
    #[case] value: Value,
    #[case] expected: &str,
) {
    let found = with(&place, value);
    let path = expected.split(": ").next().unwrap();
    let there: Vec<_> = found.iter().filter(|line| line.starts_with(path)).collect();
    assert_eq!(there.len(), 1, "{found:?}");
    assert!(there[0].starts_with(expected), "{found:?}");
    assert!(found.iter().any(|line| line == OF_WORKER), "{found:?}");
}

/// Without an explicit start order nothing else is wrong with it.
#[test]
fn of_a_dependency() {
    let found = with(&at(FRONTEND, "spec/startsAfter"), json!([1]));
    let expected =
        "spec.template.cliques[0].spec.startsAfter[0]: 1: must be a string; put it in quotes";
    assert_eq!(found, [expected, OF_WORKER]);
}

/// The group finds its cliques by their names.
#[test]
fn cliques_by_their_names_are_the_only_error() {
    let edits = [(CLIQUES, json!({"leader": {"spec": {}}, "worker": 1}))];
    assert_eq!(
        errors(&edited(&edits)),
        [
            "spec.template.cliques: an object of 2 fields: must be a list; put `- ` before its first field"
        ]
    );
}

/// Fields that are missing hide nothing either.
#[test]
fn a_clique_without_a_spec_hides_nothing_else() {
    let found = with(FRONTEND, json!({"name": "frontend"}));
    assert_eq!(
        found,
        [
            "spec.template.cliques[0].spec: not set: is required; set it",
            OF_WORKER
        ]
    );
}
