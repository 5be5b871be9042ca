//! A control plane whose API server calls the webhook before it stores our objects, and whose
//! definitions refuse nothing: every refusal is one of the webhook.

use anyhow::{Error, Result};
use serde_json::{Value, json};
use testkit::admission_cases::topology::SCHEDULER;

use super::Site;
use crate::harness::address::free_address;
use crate::harness::client;
use crate::harness::control_plane::{ControlPlane, fed, folder};
use crate::harness::installation::Installation;
use crate::harness::namespace::called;
use crate::harness::operator::Operator;
use crate::harness::wait;

/// Purposes of the namespaces that the operator watches; elsewhere sets are only stored.
const WATCHED: [&str; 4] = [
    "guarded-managed",
    "guarded-scaled",
    "guarded-shared",
    "guarded-stored",
];

/// The label of a namespace for whose objects no webhook is called.
pub const UNGUARDED: &str = "e2e.example.com/unguarded";

const DEFINITIONS: [&str; 3] = [
    "podcliquesets.grove.io",
    "podcliques.grove.io",
    "podcliquescalinggroups.grove.io",
];

const CONFIGURATIONS: [&str; 3] = [
    "mutatingwebhookconfiguration/podcliqueset-defaulting-webhook",
    "validatingwebhookconfiguration/podcliqueset-validating-webhook",
    "validatingwebhookconfiguration/authorizer-webhook",
];

pub(super) fn start() -> Result<Site> {
    let control_plane = ControlPlane::local("guarded", 2, &[])?;
    let port = free_address()?.port();
    let values = values(port);
    let installation = Installation::on(&control_plane, &values.each_ref().map(|v| &**v));
    for name in DEFINITIONS {
        loosen(&control_plane, name);
    }
    for name in CONFIGURATIONS {
        leave_out_unguarded(&control_plane, name);
    }
    let watched = json!({"watchNamespaces": WATCHED.map(called)}).to_string();
    let operator = Operator::start_with(&installation, &folder("guarded-operator"), &watched)?;
    operator.wait_until_ready().map_err(Error::msg)?;
    wait_until_asked(&control_plane).map_err(Error::msg)?;
    Ok(Site {
        control_plane,
        operator,
    })
}

/// Values of the chart for an operator that is called at that port, by many tests at once and with
/// large objects, that knows the scheduler of the sets with topology constraints, and that allows
/// MNNVL groups.
fn values(port: u16) -> [String; 8] {
    [
        "webhooks.enabled=true".into(),
        "webhooks.timeoutSeconds=20".into(),
        format!("webhooks.url=https://127.0.0.1:{port}"),
        format!("config.server.webhooks.port={port}"),
        "config.authorizer.enabled=true".into(),
        "config.leaderElection.enabled=true".into(),
        format!("config.scheduler.profiles[0].name={SCHEDULER}"),
        "config.network.autoMNNVLEnabled=true".into(),
    ]
}

fn changed(control_plane: &ControlPlane, what: &str, change: impl Fn(&mut Value)) {
    let get = ["get", what, "--output=json"];
    let mut object: Value = serde_json::from_str(&control_plane.kubectl(get)).unwrap();
    change(&mut object);
    let mut replace = control_plane.tool("kubectl", ["replace", "-f", "-"]);
    let replaced = fed(&mut replace, &object);
    assert!(replaced.status.success(), "{what}: {replaced:?}");
}

fn leave_out_unguarded(control_plane: &ControlPlane, what: &str) {
    changed(control_plane, what, |configuration| {
        let webhooks = configuration["webhooks"].as_array_mut();
        for webhook in webhooks.into_iter().flatten() {
            let not = json!([{"key": UNGUARDED, "operator": "DoesNotExist"}]);
            webhook["namespaceSelector"] = json!({"matchExpressions": not});
        }
    });
}

/// Removes every rule of the definition except the shape of an object.
fn loosen(control_plane: &ControlPlane, definition: &str) {
    changed(control_plane, &format!("crd/{definition}"), |definition| {
        let schema = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        remove_rules(schema);
    });
}

fn remove_rules(schema: &mut Value) {
    const RULES: [&str; 12] = [
        "x-kubernetes-validations",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "maxProperties",
        "pattern",
        "required",
    ];
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    schema.retain(|rule, _| !RULES.contains(&rule.as_str()));
    for inner in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(inner) {
            remove_rules(inner);
        }
    }
    if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.values_mut().for_each(remove_rules);
    }
}

/// The API server reads the certificate and the definitions through its own watches.
fn wait_until_asked(control_plane: &ControlPlane) -> Result<(), String> {
    let path = "/apis/grove.io/v1alpha1/namespaces/default/podcliquesets?dryRun=All";
    let wrong = json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet",
        "metadata": {"name": "wrong"},
        "spec": {"replicas": 1, "template": {"cliques": []}},
    });
    wait::until(|| {
        let answer = client::send(&control_plane.kubeconfig, "POST", path, &wrong);
        let message = answer.body["message"].as_str().unwrap_or_default();
        let is_asked = message.contains("pcs.validating.webhooks.grove.io");
        is_asked.then_some(()).ok_or_else(|| format!("{answer:?}"))
    })
}
