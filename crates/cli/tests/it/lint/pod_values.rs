//! Values of pod templates that the API server refuses in pods, or that never work: a table for each
//! rule, with similar values that are fine.

use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{FRONTEND, at, edited};

use super::{lint, said};

const POD: &str = "spec.template.cliques[0].spec.podSpec";

/// The findings of a rule about the frontend's pod template with another value in one place.
fn found(rule: &str, field: &str, value: &Value) -> String {
    let place = at(FRONTEND, &format!("spec/podSpec/{field}"));
    let object = edited(&[(&place, value.clone())]);
    let lines = said(&lint(&object.to_string()), &[rule]);
    let words = lines
        .iter()
        .map(|line| line.splitn(3, ':').nth(2).unwrap().trim());
    let short: Vec<_> = words.map(|words| words.replace(POD, "POD")).collect();
    short.join("\n")
}

const MAIN: &str = "containers/0";

#[rstest]
#[case::pull(format!("{MAIN}/imagePullPolicy"), json!("Allways"), "POD.containers[0].imagePullPolicy: \"Allways\": is not a value of this field; did you mean Always?")]
#[case::message(format!("{MAIN}/terminationMessagePolicy"), json!("fallback"), "POD.containers[0].terminationMessagePolicy: \"fallback\": is not a value of this field; use one of File, FallbackToLogsOnError")]
#[case::dns("dnsPolicy".to_owned(), json!("clusterFirst"), "POD.dnsPolicy: \"clusterFirst\": is not a value of this field; did you mean ClusterFirst?")]
#[case::init("initContainers".to_owned(), json!([{"name": "i", "image": "a:1", "restartPolicy": "always"}]), "POD.initContainers[0].restartPolicy: \"always\": is not a value of this field; did you mean Always?")]
#[case::seccomp("securityContext".to_owned(), json!({"seccompProfile": {"type": "runtimeDefault"}}), "POD.securityContext.seccompProfile.type: \"runtimeDefault\": is not a value of this field; did you mean RuntimeDefault?")]
#[case::host_path("volumes".to_owned(), json!([{"name": "v", "hostPath": {"path": "/a", "type": "directory"}}]), "POD.volumes[0].hostPath.type: \"directory\": is not a value of this field; did you mean Directory?")]
#[case::operator("tolerations".to_owned(), json!([{"key": "a", "operator": "Exist"}]), "POD.tolerations[0].operator: \"Exist\": is not a value of this field; did you mean Exists?")]
#[case::effect("tolerations".to_owned(), json!([{"key": "a", "operator": "Exists", "effect": "Noschedule"}]), "POD.tolerations[0].effect: \"Noschedule\": is not a value of this field; did you mean NoSchedule?")]
#[case::affinity("affinity".to_owned(), required("in", &json!(["a"])), "POD.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: \"in\": is not a value of this field; did you mean In?")]
#[case::fine(format!("{MAIN}/imagePullPolicy"), json!("IfNotPresent"), "")]
#[case::the_default("volumes".to_owned(), json!([{"name": "v", "hostPath": {"path": "/a", "type": ""}}]), "")]
fn an_unknown_word(#[case] field: String, #[case] value: Value, #[case] expected: &str) {
    assert_eq!(found("unknown-word", &field, &value), expected);
}

#[rstest]
#[case::a_value(json!({"key": "a", "operator": "Exists", "value": "true"}), "POD.tolerations[0].value: \"true\": must not be set with operator Exists; remove it, or use operator Equal")]
#[case::no_key(json!({"value": "true"}), "POD.tolerations[0].operator: a toleration without a key needs operator Exists; set a key, or operator: Exists to tolerate every taint")]
#[case::all(json!({"operator": "Exists"}), "")]
#[case::equal(json!({"key": "a", "value": "true"}), "")]
fn a_toleration(#[case] toleration: Value, #[case] expected: &str) {
    let said = found("invalid-toleration", "tolerations", &json!([toleration]));
    assert_eq!(said, expected);
}

/// A node affinity with one requirement.
fn required(operator: &str, values: &Value) -> Value {
    json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "gpu", "operator": operator, "values": values}]}
    ]}}})
}

#[rstest]
#[case::none("In", json!([]), "operator In needs at least one value; list the values")]
#[case::some("Exists", json!(["a"]), "operator Exists has no values; remove them, or use In or NotIn")]
#[case::two("Gt", json!(["1", "2"]), "operator Gt needs exactly one value; write one number, in quotes")]
#[case::fine("NotIn", json!(["a", "b"]), "")]
#[case::exists("DoesNotExist", json!([]), "")]
fn an_affinity(#[case] operator: &str, #[case] values: Value, #[case] expected: &str) {
    let said = found("invalid-affinity", "affinity", &required(operator, &values));
    let place = "POD.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution\
                 .nodeSelectorTerms[0].matchExpressions[0].values: ";
    assert_eq!(said.strip_prefix(place).unwrap_or(&said), expected);
}

#[rstest]
#[case::key(json!({"gpu type": "a"}), "POD.nodeSelector[gpu type]: \"a\": a label's key has letters, digits, '-', '_' and '.', first and last a letter or digit, at most 63 characters, and before it perhaps a domain and '/'; choose a label that `kubectl get nodes --show-labels` shows")]
#[case::value(json!({"gpu": "H100 80GB"}), "POD.nodeSelector[gpu]: \"H100 80GB\": a label's value has letters, digits, '-', '_' and '.', first and last a letter or digit, at most 63 characters; choose a label that `kubectl get nodes --show-labels` shows")]
#[case::fine(json!({"example.com/gpu": "H100-80GB", "empty": ""}), "")]
fn a_node_selector(#[case] selector: Value, #[case] expected: &str) {
    let said = found("invalid-node-selector", "nodeSelector", &selector);
    assert_eq!(said, expected);
}

#[rstest]
#[case::decimal(json!({"configMap": {"name": "c", "defaultMode": 777}}), "POD.volumes[0].configMap.defaultMode: 777: is 01411 in octal, and must not be above 0777; write 0777, or 511 in JSON")]
#[case::of_an_item(json!({"secret": {"secretName": "s", "items": [{"key": "k", "path": "p", "mode": 644}]}}), "POD.volumes[0].secret.items[0].mode: 644: is 01204 in octal, and must not be above 0777; write 0644, or 420 in JSON")]
#[case::sticky(json!({"configMap": {"name": "c", "defaultMode": 0o1000}}), "POD.volumes[0].configMap.defaultMode: 512: is 01000 in octal, and must not be above 0777; use a mode such as 0644")]
#[case::negative(json!({"projected": {"sources": [], "defaultMode": -1}}), "POD.volumes[0].projected.defaultMode: -1: must not be negative; use a mode such as 0644")]
#[case::fine(json!({"configMap": {"name": "c", "defaultMode": 511}}), "")]
fn a_mode(#[case] volume: Value, #[case] expected: &str) {
    let mut volume = volume;
    volume["name"] = json!("v");
    assert_eq!(found("invalid-mode", "volumes", &json!([volume])), expected);
}

#[rstest]
#[case::no_path(json!({"mountPath": ""}), "POD.containers[0].volumeMounts[0].mountPath: \"\": must not be empty; set it, such as /data")]
#[case::said_already(json!({}), "")]
#[case::absolute(json!({"mountPath": "/a", "subPath": "/x"}), "POD.containers[0].volumeMounts[0].subPath: \"/x\": must be a path within the volume; write x")]
#[case::above(json!({"mountPath": "/a", "subPath": "x/../../y"}), "POD.containers[0].volumeMounts[0].subPath: \"x/../../y\": must be a path within the volume; write it without ..")]
#[case::fine(json!({"mountPath": "/a", "subPath": "x/..y"}), "")]
fn a_mount(#[case] mount: Value, #[case] expected: &str) {
    let mut mount = mount;
    mount["name"] = json!("v");
    let said = found(
        "invalid-mount",
        &format!("{MAIN}/volumeMounts"),
        &json!([mount]),
    );
    assert_eq!(said, expected);
}

#[rstest]
#[case::two(json!({"name": "v", "emptyDir": {}, "hostPath": {"path": "/a"}}), "POD.volumes[0]: has 2 sources: emptyDir, hostPath; keep one of them")]
#[case::one(json!({"name": "v", "emptyDir": {}}), "")]
#[case::the_default(json!({"name": "v"}), "")]
fn a_volume(#[case] volume: Value, #[case] expected: &str) {
    let said = found("two-volume-sources", "volumes", &json!([volume]));
    assert_eq!(said, expected);
}

#[rstest]
#[case::space(" x:1", "must not have spaces; remove them")]
#[case::capitals(
    "ghcr.io/Team/App:V1",
    "must not have capitals in its repository; write team/app"
)]
#[case::without_a_registry("App:1", "must not have capitals in its repository; write app")]
#[case::of_the_registry("Registry:5000/app:1", "")]
#[case::of_the_tag("localhost/app:V1", "")]
#[case::a_digest("team/app@sha256:ABC", "")]
fn an_image(#[case] image: &str, #[case] expected: &str) {
    let said = found("invalid-image", &format!("{MAIN}/image"), &json!(image));
    let place = format!("POD.containers[0].image: {image:?}: ");
    assert_eq!(said.strip_prefix(&place).unwrap_or(&said), expected);
}

#[rstest]
#[case::a_request(format!("{MAIN}/resources"), json!({"requests": {"cpu": "-1"}}), "POD.containers[0].resources.requests[cpu]: \"-1\"")]
#[case::a_limit(format!("{MAIN}/resources"), json!({"limits": {"memory": "-1Gi"}}), "POD.containers[0].resources.limits[memory]: \"-1Gi\"")]
#[case::of_the_pod("resources".to_owned(), json!({"requests": {"cpu": "-500m"}}), "POD.resources.requests[cpu]: \"-500m\"")]
#[case::a_size("volumes".to_owned(), json!([{"name": "v", "emptyDir": {"sizeLimit": "-1Gi"}}]), "POD.volumes[0].emptyDir.sizeLimit: \"-1Gi\"")]
#[case::zero(format!("{MAIN}/resources"), json!({"requests": {"cpu": "0"}}), "")]
fn a_negative_quantity(#[case] field: String, #[case] value: Value, #[case] place: &str) {
    let said = found("negative-quantity", &field, &value);
    let problem = ": must not be negative; write it without the minus sign, or remove it";
    assert_eq!(said.strip_suffix(problem).unwrap_or(&said), place);
}

#[rstest]
#[case::of_another(
    "example.com/wait",
    "POD.schedulingGates[0].name: \"example.com/wait\": the operator does not remove this gate, and pods wait for it; remove it, unless another controller removes it from the pods"
)]
#[case::the_operators("grove.io/podgang-pending-creation", "")]
fn a_scheduling_gate(#[case] name: &str, #[case] expected: &str) {
    let gates = json!([{"name": name}]);
    let said = found("foreign-scheduling-gate", "schedulingGates", &gates);
    assert_eq!(said, expected);
}

#[rstest]
#[case::capitals(
    "Default_Scheduler",
    "POD.schedulerName: \"Default_Scheduler\": a scheduler has a name of lower-case letters, digits, hyphens and dots; did you mean default-scheduler?"
)]
#[case::fine("kai-scheduler", "")]
#[case::a_domain("scheduler.example.com", "")]
fn a_scheduler(#[case] name: &str, #[case] expected: &str) {
    let said = found("invalid-scheduler-name", "schedulerName", &json!(name));
    assert_eq!(said, expected);
}

#[rstest]
#[case::deadline("activeDeadlineSeconds".to_owned(), json!(0), "POD.activeDeadlineSeconds: 0: must be at least 1; raise it, or remove it")]
#[case::account("serviceAccountName".to_owned(), json!("My Account"), "POD.serviceAccountName: \"My Account\": a ServiceAccount has a name of lower-case letters, digits, hyphens and dots; choose one that `kubectl get serviceaccounts` shows")]
#[case::terms("affinity".to_owned(), json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}), "POD.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: []: needs a term; add one, or remove the affinity")]
#[case::medium("volumes".to_owned(), json!([{"name": "shm", "emptyDir": {"medium": "memory"}}]), "POD.volumes[0].emptyDir.medium: \"memory\": is no medium; use Memory, or remove it")]
#[case::hook(format!("{MAIN}/lifecycle"), json!({"preStop": {}}), "POD.containers[0].lifecycle.preStop: {}: needs exactly one action; set one of exec, httpGet, sleep, tcpSocket, or remove the hook")]
#[case::source(format!("{MAIN}/envFrom"), json!([{"configMapRef": {"name": "a"}}, {}]), "POD.containers[0].envFrom[1]: {}: needs exactly one source; set either configMapRef or secretRef, or remove it")]
#[case::user(format!("{MAIN}/securityContext"), json!({"runAsUser": -1}), "POD.containers[0].securityContext.runAsUser: -1: must not be negative; set the number of a user, such as 1000")]
#[case::privileged(format!("{MAIN}/securityContext"), json!({"privileged": true, "allowPrivilegeEscalation": false}), "POD.containers[0].securityContext.allowPrivilegeEscalation: false: a privileged container cannot be without it; remove one of the two")]
#[case::fine("activeDeadlineSeconds".to_owned(), json!(1), "")]
#[case::a_good_account("serviceAccountName".to_owned(), json!("team.serving"), "")]
#[case::memory("volumes".to_owned(), json!([{"name": "shm", "emptyDir": {"medium": "Memory"}}]), "")]
#[case::huge_pages("volumes".to_owned(), json!([{"name": "h", "emptyDir": {"medium": "HugePages-2Mi"}}]), "")]
#[case::a_good_hook(format!("{MAIN}/lifecycle"), json!({"preStop": {"sleep": {"seconds": 5}}}), "")]
#[case::only_privileged(format!("{MAIN}/securityContext"), json!({"privileged": true, "runAsUser": 0}), "")]
fn a_single_value(#[case] field: String, #[case] value: Value, #[case] expected: &str) {
    assert_eq!(found("invalid-pod-value", &field, &value), expected);
}
