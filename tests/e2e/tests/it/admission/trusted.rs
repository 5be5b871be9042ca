//! The rights of the operator's account, even with its token, in the configurations of its
//! webhooks: it may set the trusted CA, and nothing else.

use serde_json::{Value, json};

use crate::harness::control_plane::{ControlPlane, fed};
use crate::harness::installation::SYSTEM;
use crate::harness::{site, wait};

const CONFIGURATION: &str = "validatingwebhookconfiguration/podcliqueset-validating-webhook";
const BUNDLE: &str = "nothing of a webhook but clientConfig.caBundle";
const META: &str = "nothing of a configuration of webhooks but caBundle";

/// The API server's refusal of the operator's account, without effect; empty if the request is
/// allowed.
fn try_as_operator(control_plane: &ControlPlane, args: &[&str], manifest: &Value) -> String {
    let operator = format!("--as=system:serviceaccount:{SYSTEM}:grove-operator");
    let all = [args, &["--dry-run=server", &operator]].concat();
    let output = fed(&mut control_plane.tool("kubectl", all), manifest);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), error.is_empty(), "{error}");
    error
}

fn patch_as_operator(control_plane: &ControlPlane, what: &str, changes: &Value) -> String {
    let changes = format!("--patch={changes}");
    let patch = ["patch", what, "--type=json", &changes];
    try_as_operator(control_plane, &patch, &Value::Null)
}

fn is_refused(control_plane: &ControlPlane, what: &str, changes: &Value, words: &str) {
    let answer = patch_as_operator(control_plane, what, changes);
    let policy = "ValidatingAdmissionPolicy 'grove-operator-webhooks'";
    let is_refused = answer.contains(policy) && answer.contains(words);
    assert!(
        is_refused,
        "{what} {changes}: {words:?} is not in: {answer}"
    );
}

/// The policy applies a moment after it was installed.
fn wait_for_policy(control_plane: &ControlPlane) {
    let label = json!([{"op": "add", "path": "/metadata/labels/a", "value": "b"}]);
    let refused = wait::until(|| {
        let answer = patch_as_operator(control_plane, CONFIGURATION, &label);
        answer.contains(META).then_some(()).ok_or(answer)
    });
    refused.unwrap();
}

fn trusting(control_plane: &ControlPlane) -> Value {
    let path = "--output=jsonpath={.webhooks[0].clientConfig.caBundle}";
    let bundle = control_plane.kubectl(["get", CONFIGURATION, path]);
    json!({"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": bundle})
}

#[test]
fn the_operator_changes_nothing_of_its_webhooks_but_whom_api_servers_trust() {
    let site = site::guarded();
    let control_plane = &site.control_plane;
    wait_for_policy(control_plane);
    let trusted = trusting(control_plane);
    let other = json!({"op": "add", "path": "/webhooks/1/clientConfig/caBundle", "value": "YQ=="});
    for bundle in [
        json!([trusted]),
        json!([{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]),
        json!([trusted, other]),
    ] {
        assert_eq!(patch_as_operator(control_plane, CONFIGURATION, &bundle), "");
    }

    let url =
        json!({"op": "add", "path": "/webhooks/0/clientConfig/url", "value": "https://x.example"});
    let everything = json!(["*/*"]);
    let replace = |field: &str, value: Value| {
        let path = format!("/webhooks/0/{field}");
        json!([{"op": "replace", "path": path, "value": value}])
    };
    for changes in [
        json!([url]),
        json!([trusted, url]),
        replace("rules/0/resources", everything),
        replace("rules", json!([])),
        replace("failurePolicy", json!("Ignore")),
        replace("timeoutSeconds", json!(30)),
        replace("name", json!("other.grove.io")),
        replace("matchConditions", json!([])),
        replace("namespaceSelector", json!({"matchLabels": {"a": "b"}})),
        json!([{"op": "add", "path": "/webhooks/0/objectSelector/matchLabels", "value": {"a": "b"}}]),
        json!([{"op": "remove", "path": "/webhooks/0"}]),
        json!([{"op": "remove", "path": "/webhooks"}]),
        json!([{"op": "move", "from": "/webhooks/0", "path": "/webhooks/1"}]),
    ] {
        is_refused(control_plane, CONFIGURATION, &changes, BUNDLE);
    }
    let mutating = "mutatingwebhookconfiguration/podcliqueset-defaulting-webhook";
    let again = replace("reinvocationPolicy", json!("IfNeeded"));
    is_refused(control_plane, mutating, &again, BUNDLE);

    let owner = json!([{"apiVersion": "v1", "kind": "Node", "name": "x", "uid": "1"}]);
    for (field, value) in [
        (
            "annotations",
            json!({"cert-manager.io/inject-ca-from": "a/b"}),
        ),
        ("labels", json!({})),
        ("finalizers", json!(["example.com/kept"])),
        ("ownerReferences", owner),
    ] {
        let path = format!("/metadata/{field}");
        let changes = json!([{"op": "add", "path": path, "value": value}]);
        is_refused(control_plane, CONFIGURATION, &changes, META);
    }
}

/// Even if a user gives its account more rights.
#[test]
fn the_operator_neither_creates_nor_deletes_webhooks() {
    let site = site::guarded();
    let control_plane = &site.control_plane;
    wait_for_policy(control_plane);
    let made = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "made"},
        "webhooks": [],
    });
    let mighty = "--as-group=system:masters";
    for args in [
        &["create", "-f", "-", mighty][..],
        &["delete", CONFIGURATION, mighty],
    ] {
        let answer = try_as_operator(control_plane, args, &made);
        assert!(answer.contains("neither makes nor deletes"), "{answer}");
    }
}

#[test]
fn its_expressions_are_well_typed() {
    let site = site::guarded();
    let control_plane = &site.control_plane;
    let path = "--output=jsonpath={.status}";
    let checked = [
        "get",
        "validatingadmissionpolicy/grove-operator-webhooks",
        path,
    ];
    let status = wait::until(|| {
        let status = control_plane.kubectl(checked);
        let is_checked = status.contains("typeChecking");
        is_checked.then_some(status.clone()).ok_or(status)
    });
    let status = status.unwrap();
    assert!(!status.contains("expressionWarnings"), "{status}");
}
