//! lint's findings on types, limits and keys, compared with an API server without the webhook, which
//! decodes strictly as for kubectl.

use serde_json::{Value, json};
use testkit::good_set::{CLIQUES, FRONTEND, GROUP, at, edited};

use super::told;
use crate::harness::Namespace;
use crate::harness::client::send;
use crate::harness::plugin::offline_fed;

/// A name, a place, the value for it, and whether the API server accepts it.
type Case = (&'static str, String, Value, bool);

fn refused(name: &'static str, at: impl Into<String>, value: Value) -> Case {
    (name, at.into(), value, false)
}

fn accepted(name: &'static str, at: impl Into<String>, value: Value) -> Case {
    (name, at.into(), value, true)
}

fn of_main(field: &str) -> String {
    at(FRONTEND, &format!("spec/podSpec/containers/0/{field}"))
}

const CONSTRAINT: &str = "/spec/template/topologyConstraint";

fn cases() -> Vec<Case> {
    [of_types(), of_keys_and_constraints(), that_are_accepted()].concat()
}

fn of_types() -> Vec<Case> {
    let replicas = at(FRONTEND, "spec/replicas");
    vec![
        refused("a text for a number", &*replicas, json!("2")),
        refused("a fraction", &*replicas, json!(1.5)),
        refused("too much", &*replicas, json!(10_001)),
        refused(
            "more than 32 bits",
            at(FRONTEND, "spec/podSpec/priority"),
            json!(3_000_000_000_i64),
        ),
        refused("a number for a text", of_main("image"), json!(1)),
        refused(
            "a switch for a text",
            of_main("env"),
            json!([{"name": "A", "value": true}]),
        ),
        refused(
            "a container twice",
            at(FRONTEND, "spec/podSpec/containers/-"),
            json!({"name": "main"}),
        ),
        refused(
            "a port twice",
            of_main("ports"),
            json!([{"containerPort": 1}, {"containerPort": 1, "protocol": "TCP"}]),
        ),
        refused(
            "no quantity",
            of_main("resources"),
            json!({"limits": {"cpu": "1 core"}}),
        ),
        refused(
            "an unknown word",
            "/spec/template/cliqueStartupType",
            json!("InOrder"),
        ),
        refused("a list for an object", at(CLIQUES, "0/spec"), json!([])),
        refused("an unknown field", "/spec/replica", json!(2)),
    ]
}

fn of_keys_and_constraints() -> Vec<Case> {
    vec![
        refused("no name", of_main("name"), Value::Null),
        refused(
            "a key of the operator",
            at(FRONTEND, "labels"),
            json!({"grove.io/x": "1"}),
        ),
        refused(
            "an annotation of the operator",
            at(GROUP, "annotations"),
            json!({"grove.io/x": "1"}),
        ),
        refused(
            "a constraint of nothing",
            CONSTRAINT,
            json!({"topologyName": "t"}),
        ),
        refused(
            "a pack of nothing",
            CONSTRAINT,
            json!({"topologyName": "t", "pack": {}}),
        ),
        refused(
            "an old constraint",
            CONSTRAINT,
            json!({"topologyName": "t", "packDomain": "rack"}),
        ),
        refused(
            "a level that is no name",
            CONSTRAINT,
            json!({"topologyName": "t", "pack": {"required": "Rack!"}}),
        ),
    ]
}

fn that_are_accepted() -> Vec<Case> {
    let replicas = at(FRONTEND, "spec/replicas");
    vec![
        accepted("the good one", at(FRONTEND, "labels"), json!({"a": "b"})),
        accepted(
            "a label that is null",
            at(FRONTEND, "labels"),
            json!({"a": null}),
        ),
        accepted("a field that is null", &*replicas, Value::Null),
        accepted("an object that is null", CONSTRAINT, Value::Null),
        accepted("a status", "/status", json!({"replicas": "x"})),
        accepted("a whole number with a point", &*replicas, json!(2.0)),
        accepted(
            "a quantity that is a number",
            of_main("resources"),
            json!({"limits": {"cpu": 1}}),
        ),
        accepted(
            "ports of two protocols",
            of_main("ports"),
            json!([{"containerPort": 1}, {"containerPort": 1, "protocol": "UDP"}]),
        ),
        accepted(
            "a known annotation",
            at(GROUP, "annotations"),
            json!({"grove.io/topology-name": "t"}),
        ),
        accepted(
            "a constraint",
            CONSTRAINT,
            json!({"topologyName": "t", "pack": {"required": "rack"}}),
        ),
    ]
}

#[test]
fn lint_judges_definitions_as_the_api_server_does() {
    let ns = Namespace::new("cli-definition");
    let path = format!(
        "/apis/grove.io/v1alpha1/namespaces/{}/podcliquesets?dryRun=All&fieldValidation=Strict",
        ns.name
    );
    let mut wrong = Vec::new();
    for (name, at, value, is_accepted) in cases() {
        let object = edited(&[(&at, value)]);
        let answer = send(&ns.control_plane.kubeconfig, "POST", &path, &object);
        let (text, error, code) = told(&offline_fed(&["lint", "-"], &object));
        let verdicts = (answer.status < 300, code == 0);
        if verdicts != (is_accepted, is_accepted) {
            wrong.push(format!("{name}: {answer:?}\n{text}{error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
