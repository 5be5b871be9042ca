//! The chart, as an API server judges it.

mod life;

use std::fs;

use crate::harness::Namespace;
use crate::harness::control_plane::{ControlPlane, folder, printed};
use crate::harness::installation::{RELEASE, chart};

#[test]
fn the_chart_is_accepted_whole_by_the_api_server() {
    let ns = Namespace::new("chart-template");
    let chart = chart();
    let helm = |args: &[&str]| helm(ns.control_plane, &ns.name, args);
    helm(&["lint", "--strict", &chart]);
    let rendered = helm(&["template", RELEASE, &chart, "--set", &own_name(&ns)]);
    for kind in [
        "CustomResourceDefinition",
        "ClusterRole",
        "Deployment",
        "ConfigMap",
    ] {
        assert!(rendered.contains(&format!("kind: {kind}\n")), "no {kind}");
    }
    let file = folder("chart").join("rendered.yaml");
    fs::write(&file, rendered).unwrap();
    let apply = [
        "apply",
        "--dry-run=server",
        "--server-side",
        "--force-conflicts",
        "-f",
    ];
    ns.kubectl(&[&apply[..], &[file.to_str().unwrap()]].concat());
}

#[test]
fn the_chart_installs_and_leaves_nothing_behind() {
    let ns = Namespace::new("chart-install");
    let helm = |args: &[&str]| helm(ns.control_plane, &ns.name, args);
    let options = ["--set", "crds.install=false", "--set", &own_name(&ns)];
    helm(&[&["install", &ns.name, &chart()][..], &options].concat());
    for kind in ["deployment", "service", "serviceaccount"] {
        ns.kubectl(&["get", kind, &ns.name]);
    }

    helm(&["uninstall", &ns.name]);
    let kinds = "deployments,services,configmaps,serviceaccounts,clusterroles,clusterrolebindings";
    let of_release = format!("app.kubernetes.io/instance={},helm.sh/chart", ns.name);
    ns.until("nothing of it is left", |_| {
        let left = ns.kubectl(&["get", kinds, "--selector", &of_release, "--output=name"]);
        left.is_empty().then_some(()).ok_or(left)
    });
}

fn helm(control_plane: &ControlPlane, namespace: &str, args: &[&str]) -> String {
    printed(
        control_plane
            .tool("helm", args)
            .args(["--namespace", namespace]),
    )
}

/// Its cluster-wide objects must not be those of another installation.
fn own_name(ns: &Namespace<'_>) -> String {
    format!("fullnameOverride={}", ns.name)
}
