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

    /// Waits until their objects can be made and can own others.
    pub fn wait_for_definitions(&self) {
        let is_established = ["wait", "--for=condition=Established", "--timeout=60s", "-f"];
        self.kubectl([&is_established[..], &[&definitions()]].concat());
        let known = wait::until(|| match self.admission_lacks() {
            Some(missing) => Err(missing),
            None => Ok(()),
        });
        known.unwrap();
    }

    /// What admission says if it does not know their kinds. Where owners are protected it has to,
    /// and looks for new ones every half minute; the administrator is not asked for them.
    fn admission_lacks(&self) -> Option<String> {
        let operator = format!("system:serviceaccount:{SYSTEM}:grove-operator");
        let create = ("POST", "/api/v1/namespaces/default/services?dryRun=All");
        let owned = owned_by_each_kind();
        let answer = client::send_as(&operator, &self.kubeconfig, create, &owned);
        let message = answer.body["message"].as_str().unwrap_or_default();
        let is_lacking = message.contains("cannot find RESTMapping");
        is_lacking.then(|| message.to_owned())
    }

    /// Removes them, and with them all objects of these kinds, where owners are protected and the
    /// chart is installed.
    pub fn remove_definitions(&self) {
        self.kubectl([
            "delete",
            "--ignore-not-found",
            "--timeout=60s",
            "-f",
            &definitions(),
        ]);
        // Or admission would seem to know those that come next, and forget them a moment later.
        let forgotten = wait::until(|| match self.admission_lacks() {
            Some(_) => Ok(()),
            None => Err("the API server still knows them".to_owned()),
        });
        forgotten.unwrap();
    }
}

/// An object whose owners are of the kinds that own others here.
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
