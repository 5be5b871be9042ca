//! Two releases: refused where they would serve the same namespaces. `life` tests the same of all
//! namespaces.

use super::{helm, own_name};
use crate::harness::Namespace;
use crate::harness::installation::chart;

/// No objects without a namespace.
const LEAN: &str = "crds.install=false,webhooks.enabled=false";

/// A second release for this namespace, rehearsed: the error of helm, if it refuses.
fn rehearse(ns: &Namespace<'_>, served: &str) -> Result<(), String> {
    let (chart, served) = (chart(), format!("watchNamespaces={{{served}}}"));
    let args = ["install", "second", &chart, "--dry-run=server"];
    let values = ["--set", LEAN, "--set", "fullnameOverride=second"];
    let mut second = ns.control_plane.tool("helm", args);
    second.args(values).args(["--set", &served]);
    let output = second.args(["--namespace", &ns.name]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    output.status.success().then_some(()).ok_or(error)
}

#[test]
fn a_namespace_has_one_operator_that_is_not_paused() {
    let ns = Namespace::new("chart-beside");
    let served = format!("watchNamespaces={{{}}}", ns.name);
    let (chart, own) = (chart(), own_name(&ns));
    let values = ["--set", LEAN, "--set", &served, "--set", &own];
    let install = ["install", &ns.name, &chart];
    helm(&ns, &[&install[..], &values].concat());
    let refusal = rehearse(&ns, &ns.name).unwrap_err();
    let words = format!(
        "operator {name} in namespace {name} serves {name} already",
        name = ns.name
    );
    assert!(refusal.contains(&words), "{refusal}");
    assert!(
        refusal.contains("pause it with replicaCount 0"),
        "{refusal}"
    );
    rehearse(&ns, "default").unwrap();

    // It does not meet itself.
    let upgrade = ["upgrade", &ns.name, &chart, "--reuse-values"];
    helm(&ns, &upgrade);
    helm(&ns, &[&upgrade[..], &["--set", "replicaCount=0"]].concat());
    rehearse(&ns, &ns.name).unwrap();
    helm(&ns, &["uninstall", &ns.name]);
}
