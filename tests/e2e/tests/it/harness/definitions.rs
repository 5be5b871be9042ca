//! The definitions of this checkout in a control plane.

use serde_json::{Value, json};

use super::control_plane::{CHECKOUT, ControlPlane};
use super::installation::SYSTEM;
use super::{client, wait};

impl ControlPlane {
    /// Installs the definitions of this checkout.
    pub fn install_definitions(&self) {
        let files = definitions();
        self.kubectl(["apply", "--server-side", "--force-conflicts", "-f", &files]);
        self.wait_for_definitions();
    }

    /// Waits until their objects can be created and can own others.
    pub fn wait_for_definitions(&self) {
        let is_established = [
            "wait",
            "--for=condition=Established",
            "--timeout=180s",
            "-f",
        ];
        self.kubectl([&is_established[..], &[&definitions()]].concat());
        let known = wait::until(|| match self.admission_lacks() {
            Some(missing) => Err(missing),
            None => Ok(()),
        });
        known.unwrap();
    }

    /// The error of admission that does not know their kinds yet. Where owners are protected, it
    /// has to know them, and reads new kinds every half minute; the check does not apply to the
    /// administrator.
    fn admission_lacks(&self) -> Option<String> {
        let operator = format!("system:serviceaccount:{SYSTEM}:grove-operator");
        let create = ("POST", "/api/v1/namespaces/default/services?dryRun=All");
        let owned = owned_by_each_kind();
        let answer = client::send_as(&operator, &self.kubeconfig, create, &owned);
        let message = answer.body["message"].as_str().unwrap_or_default();
        let is_lacking = message.contains("cannot find RESTMapping");
        is_lacking.then(|| message.to_owned())
    }

    /// Removes them with all their objects; for a cluster that protects owners and has the chart.
    pub fn remove_definitions(&self) {
        self.kubectl([
            "delete",
            "--ignore-not-found",
            "--timeout=180s",
            "-f",
            &definitions(),
        ]);
        // Otherwise admission would seem to know the next definitions, and forget them a moment
        // later.
        let forgotten = wait::until(|| match self.admission_lacks() {
            Some(_) => Ok(()),
            None => Err("the API server still knows them".to_owned()),
        });
        forgotten.unwrap();
    }
}

/// An object with owners of all kinds that own others here.
fn owned_by_each_kind() -> Value {
    let owner = |kind: &str| {
        json!({
            "apiVersion": "grove.io/v1alpha1", "kind": kind, "name": "owner", "uid": "1",
            "blockOwnerDeletion": true, "controller": kind == "PodCliqueSet",
        })
    };
    let owners = ["PodCliqueSet", "PodCliqueScalingGroup", "PodClique"].map(owner);
    json!({
        "apiVersion": "v1", "kind": "Service", "spec": {"clusterIP": "None"},
        "metadata": {"name": "owned", "namespace": "default", "ownerReferences": owners},
    })
}

/// The folder of the definitions.
fn definitions() -> String {
    CHECKOUT.join("config/crd").to_str().unwrap().to_owned()
}
