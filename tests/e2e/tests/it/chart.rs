//! The chart, as an API server judges it.

use std::fs;
use std::path::PathBuf;

use crate::harness::control_plane::{CHECKOUT, ControlPlane, folder, printed};
use crate::harness::manifest::{clique, group, set};
use crate::harness::operator::Operator;
use crate::harness::{Namespace, site};

const RELEASE: &str = "grove";

/// Where the chart of the tests of the operator's rights is installed.
const SYSTEM: &str = "grove-system";

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
    helm(&[&["install", RELEASE, &chart()][..], &options].concat());
    for kind in ["deployment", "service", "serviceaccount"] {
        ns.kubectl(&["get", kind, &ns.name]);
    }

    helm(&["uninstall", RELEASE]);
    let kinds = "deployments,services,configmaps,serviceaccounts,clusterroles,clusterrolebindings";
    let of_release = format!("app.kubernetes.io/instance={RELEASE},helm.sh/chart");
    ns.until("nothing of it is left", |_| {
        let left = ns.kubectl(&["get", kinds, "--selector", &of_release, "--output=name"]);
        left.is_empty().then_some(()).ok_or(left)
    });
}

#[test]
fn the_operator_works_with_the_rights_that_the_chart_gives_it() {
    let control_plane = site::private();
    control_plane.remove_definitions();
    let helm = |args: &[&str]| helm(&control_plane, SYSTEM, args);
    helm(&["install", RELEASE, &chart(), "--create-namespace"]);
    let kubeconfig = kubeconfig_of_account(&control_plane, "grove-operator");
    let operator = Operator::start(&kubeconfig, &folder("unprivileged-operator")).unwrap();
    operator.wait_until_ready().unwrap();

    let ns = Namespace::on(&control_plane, &operator, "rights");
    ns.apply(&set(
        "svc",
        &[clique("a", 2), clique("b", 2)],
        &[group("bs", "b", 2, 1)],
    ));
    ns.until("it runs", |seen| seen.expect_ready_pods(6));
    ns.kubectl(&["scale", "pcsg", "svc-0-bs", "--replicas=1"]);
    ns.until("it is scaled", |seen| seen.expect_ready_pods(4));
    ns.kubectl(&["delete", "pcs", "svc", "--timeout=60s"]);
    drop(ns);
    let refused = operator.log_end(&["forbidden"]);
    assert!(
        refused.is_empty(),
        "the chart's ClusterRole lacks something:\n{refused}"
    );

    helm(&["uninstall", RELEASE]);
    control_plane.kubectl(["delete", "namespace", SYSTEM, "--wait=false"]);
    // Or every workload would go with the chart.
    control_plane.kubectl(["get", "crd", "podcliquesets.grove.io"]);
}

/// The administrator's kubeconfig with the token of this account instead of his certificate.
fn kubeconfig_of_account(control_plane: &ControlPlane, account: &str) -> PathBuf {
    let token = ["create", "token", account, "--namespace", SYSTEM];
    let token = format!("--token={}", control_plane.kubectl(token).trim());
    let copy = folder("unprivileged-operator").join("kubeconfig");
    fs::copy(&control_plane.kubeconfig, &copy).unwrap();
    let config = |args: &[&str]| {
        let file = format!("--kubeconfig={}", copy.display());
        control_plane.kubectl([&["config", &file][..], args].concat());
    };
    config(&["set-credentials", account, &token]);
    config(&["set-context", "--current", "--user", account]);
    copy
}

fn helm(control_plane: &ControlPlane, namespace: &str, args: &[&str]) -> String {
    printed(
        control_plane
            .tool("helm", args)
            .args(["--namespace", namespace]),
    )
}

fn chart() -> String {
    CHECKOUT.join("charts/grove").to_str().unwrap().to_owned()
}

/// Its cluster-wide objects must not be those of another installation.
fn own_name(ns: &Namespace<'_>) -> String {
    format!("fullnameOverride={}", ns.name)
}
