//! One installation from `helm install` to `helm uninstall`, and after it.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::tempdir;

use crate::harness::address::free_address;
use crate::harness::control_plane::{CHECKOUT, ControlPlane, folder, printed};
use crate::harness::installation::{Installation, RELEASE, SYSTEM, chart, helm};
use crate::harness::operator::Operator;
use crate::harness::{Namespace, same, site, wait};

/// The kinds of the release's objects in its namespace or without one.
const OBJECTS: &str = "configmaps,serviceaccounts,services,clusterroles,clusterrolebindings,customresourcedefinitions,secrets,mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies";

const EXAMPLE: &str = "examples/disaggregated.yaml";

#[test]
fn workloads_outlive_an_upgrade_and_the_chart_itself() {
    let control_plane = site::private();
    helm(
        &control_plane,
        &["uninstall", RELEASE, "--ignore-not-found"],
    );

    let port = free_address().unwrap().port();
    let values =
        format!("webhooks.url=https://127.0.0.1:{port},config.server.webhooks.port={port}");
    let with_values = |args: &[&str]| {
        helm(&control_plane, &[args, &["--set", &values]].concat());
    };
    let install = ["install", RELEASE, &chart(), "--create-namespace"];
    // Another test may have applied the definitions with kubectl.
    let take = ["--take-ownership", "--force-conflicts"];
    with_values(&[&install[..], &take].concat());
    control_plane.wait_for_definitions();
    let installation = Installation::found(&control_plane);
    let operator = Operator::start(&installation, &folder("installed-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    has_no_second(&control_plane);
    let ns = Namespace::on(&control_plane, &operator, "installed");
    run_example(&ns);
    let pods = uids(&ns);

    with_values(&["upgrade", RELEASE, &chart()]);
    let before = versions(&control_plane);
    with_values(&["upgrade", RELEASE, &chart()]);
    assert_eq!(versions(&control_plane), before, "the same chart again");

    let newer = tempdir().unwrap();
    with_values(&["upgrade", RELEASE, &newer_chart(newer.path())]);
    let added = "--output=jsonpath={.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.colour.type}";
    let podgangs = ["get", "crd", "podgangs.scheduler.grove.io", added];
    assert_eq!(control_plane.kubectl(podgangs), "string");

    operator.terminate();
    helm(&control_plane, &["uninstall", RELEASE, "--wait"]);
    assert_eq!(uids(&ns), pods, "no pod went with the chart");
    ns.kubectl(&["get", "pcs", "disaggregated"]);

    // A new account: the old token is invalid.
    with_values(&["install", RELEASE, &chart()]);
    Installation::found(&control_plane);
    operator.start_again().unwrap();
    operator.wait_until_ready().unwrap();
    ns.kubectl(&["scale", "pcsg", "disaggregated-0-workers", "--replicas=4"]);
    ns.until("it works again", |seen| {
        let group = seen.one("PodCliqueScalingGroup", "disaggregated-0-workers")?;
        same(
            "available",
            &group["status"]["availableReplicas"],
            &4.into(),
        )
    });
    let now = uids(&ns);
    assert!(pods.iter().all(|pod| now.contains(pod)), "{pods:?} {now:?}");

    // The next test finds no release.
    ns.delete();
    operator.terminate();
    helm(&control_plane, &["uninstall", RELEASE, "--wait"]);
}

/// Another release for all namespaces is refused, and rendered.
fn has_no_second(control_plane: &ControlPlane) {
    let values = "fullnameOverride=second,crds.install=false,webhooks.enabled=false";
    let chart = chart();
    let second = ["second", &chart, "--set", values];
    let rehearsal = [&["install", "--dry-run=server"][..], &second].concat();
    let mut rehearsal = control_plane.tool("helm", rehearsal);
    let output = rehearsal.args(["--namespace", SYSTEM]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it was accepted");
    let words = "operator grove-operator in namespace grove-system serves all namespaces already";
    assert!(error.contains(words), "{error}");
    helm(control_plane, &[&["template"][..], &second].concat());
}

fn run_example(ns: &Namespace<'_>) {
    // The API server reads the certificate through its own watch.
    let example = CHECKOUT.join(EXAMPLE);
    let ask = ["apply", "--dry-run=server", "-f", example.to_str().unwrap()];
    let asked = wait::until(|| {
        let asked = ns.command(&ask).output().unwrap();
        let error = String::from_utf8_lossy(&asked.stderr).into_owned();
        asked.status.success().then_some(()).ok_or(error)
    });
    asked.unwrap();
    ns.apply_file(EXAMPLE);
    ns.until("the example runs", |seen| {
        seen.expect_ready_pods(11)?;
        let set = seen.one("PodCliqueSet", "disaggregated")?;
        same("available", &set["status"]["availableReplicas"], &1.into())
    });
}

fn uids(ns: &Namespace<'_>) -> Vec<String> {
    let uids = "--output=jsonpath={range .items[*]}{.metadata.uid} {end}";
    let pods = ns.kubectl(&["get", "pods", uids]);
    pods.split_whitespace().map(str::to_owned).collect()
}

/// The version of each object of the release; of the Deployment, whose status is not ours, the
/// generation.
fn versions(control_plane: &ControlPlane) -> String {
    let get = |kinds: &str, version: &str| {
        let columns =
            format!("--output=custom-columns=K:.kind,N:.metadata.name,V:.metadata.{version}");
        let of_release = "--selector=app.kubernetes.io/managed-by=Helm";
        let objects = ["get", kinds, "--namespace", SYSTEM, of_release, &columns];
        control_plane.kubectl(objects)
    };
    get(OBJECTS, "resourceVersion") + &get("deployments", "generation")
}

/// A copy of the chart whose PodGangs have one more property.
fn newer_chart(dir: &Path) -> String {
    printed(Command::new("cp").args(["-r", &chart()]).arg(dir));
    let copy = dir.join("grove");
    let file = copy.join("templates/crds/crd-podgangs.yaml");
    let definition = fs::read_to_string(&file).unwrap();
    let (before, spec) = definition.split_once("          spec:\n").unwrap();
    let (head, properties) = spec.split_once("            properties:\n").unwrap();
    let colour = "              colour: {type: string}\n";
    let newer = [
        before,
        "          spec:\n",
        head,
        "            properties:\n",
        colour,
        properties,
    ];
    fs::write(&file, newer.concat()).unwrap();
    copy.to_str().unwrap().to_owned()
}
