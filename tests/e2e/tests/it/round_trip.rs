//! The API server stores exactly the manifest of a user.

use std::fs;

use serde_json::{Value, json};

use crate::harness::control_plane::CHECKOUT;
use crate::harness::{Namespace, subset};

const EVERY_FIELD: &str = "crates/api/tests/it/fixtures/every-field.yaml";

#[test]
fn every_field_of_every_kind_survives_on_the_api_server() {
    let ns = Namespace::new("every-field");
    let text = fs::read_to_string(CHECKOUT.join(EVERY_FIELD)).unwrap();
    let mut manifests: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
    // The operator creates objects with these names for the sets.
    manifests.sort_by_key(|manifest| manifest["kind"] == "PodCliqueSet");
    assert!(manifests.len() >= 5, "a manifest of each kind");
    for mut manifest in manifests {
        let kind = manifest["kind"].as_str().unwrap().to_owned();
        if kind == "ClusterTopologyBinding" {
            // It has no namespace, so its name must be unique.
            manifest["metadata"]["name"] = json!(ns.name);
        }
        let status = manifest.as_object_mut().unwrap().remove("status");
        create_and_read(&ns, &kind, &manifest);
        write_status(&ns, &kind, &manifest, status);
        if kind == "ClusterTopologyBinding" {
            ns.kubectl(&["delete", &kind, &ns.name]);
        }
    }
}

fn create_and_read(ns: &Namespace<'_>, kind: &str, manifest: &Value) {
    let output = ns.feed(&["create", "-f", "-"], manifest);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{kind}: {stderr}");
    assert!(!stderr.contains("unknown field"), "{kind}: {stderr}");
    let name = manifest["metadata"]["name"].as_str().unwrap();
    let stored: Value =
        serde_json::from_str(&ns.kubectl(&["get", kind, name, "--output=json"])).unwrap();
    subset(kind, &stored, manifest).unwrap();
    if kind != "PodCliqueSet" {
        assert_eq!(
            stored["spec"], manifest["spec"],
            "nothing is added to {kind}"
        );
    }
}

/// The answer to the patch shows the stored status; the operator may replace it later.
fn write_status(ns: &Namespace<'_>, kind: &str, manifest: &Value, status: Option<Value>) {
    let Some(status) = status else { return };
    let name = manifest["metadata"]["name"].as_str().unwrap();
    let patch = format!("--patch={}", json!({"status": status}));
    let patch = [
        "patch",
        kind,
        name,
        "--subresource=status",
        "--type=merge",
        &patch,
        "--output=json",
    ];
    let stored: Value = serde_json::from_str(&ns.kubectl(&patch)).unwrap();
    subset(kind, &stored["status"], &status).unwrap();
}
