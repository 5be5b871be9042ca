//! The operator's life: before it can work, absent, stopped.

use serde_json::json;

use crate::harness::control_plane::folder;
use crate::harness::installation::Installation;
use crate::harness::manifest::{clique, set};
use crate::harness::operator::Operator;
use crate::harness::{Namespace, same, site, wait};

#[test]
fn it_waits_for_its_definitions_and_names_those_that_are_missing() {
    let control_plane = site::private();
    let installation = Installation::on(&control_plane, &["crds.install=false"]);
    control_plane.remove_definitions();
    let operator = Operator::start(&installation, &folder("waiting-operator")).unwrap();
    let missing = [
        "podcliquesets.grove.io",
        "podcliques.grove.io",
        "podcliquescalinggroups.grove.io",
        "podgangs.scheduler.grove.io",
    ];
    let body = wait::until(|| match operator.get("/readyz") {
        Ok((503, body)) if missing.iter().all(|crd| body.contains(crd)) => Ok(body),
        other => Err(format!("{other:?}")),
    });
    assert!(body.unwrap().contains("kubectl apply -f config/crd"));
    assert_eq!(operator.get("/healthz").unwrap(), (200, "ok\n".to_owned()));

    Installation::on(&control_plane, &[]);
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "definitions");
    ns.apply(&set("svc", &[clique("worker", 2)], &[]));
    ns.until("it works", |seen| seen.expect_ready_pods(2));
    drop(ns);
    // After an end in between it would be another process.
    assert_eq!(operator.terminate().code(), Some(0));
}

/// Like the Go operator's: the API server drops unknown fields, and the operator would raise a
/// dropped fence for ever.
#[test]
fn it_waits_for_definitions_of_its_own_version() {
    let control_plane = site::private();
    let installation = Installation::on(&control_plane, &[]);
    let status = "/spec/versions/0/schema/openAPIV3Schema/properties/status";
    let field = format!("{status}/properties/wasAvailable");
    let older = format!("--patch={}", json!([{"op": "remove", "path": field}]));
    control_plane.kubectl(["patch", "crd", "podcliques.grove.io", "--type=json", &older]);
    // The description follows the definition a moment later.
    let described = wait::until(|| {
        let description = "/openapi/v3/apis/grove.io/v1alpha1";
        let text = control_plane.kubectl(["get", "--raw", description]);
        // As a field; texts of other fields name it, too.
        let is_old = !text.contains("\"wasAvailable\":");
        is_old
            .then_some(())
            .ok_or_else(|| "still as new".to_owned())
    });
    described.unwrap();
    let operator = Operator::start(&installation, &folder("older-operator")).unwrap();
    let body = wait::until(|| match operator.get("/readyz") {
        Ok((503, body)) if body.contains("PodClique status.wasAvailable") => Ok(body),
        other => Err(format!("{other:?}")),
    });
    assert!(body.unwrap().contains("apply config/crd of this version"));

    // Created again: the API server records the writer of a change, and helm leaves such changes
    // alone.
    control_plane.remove_definitions();
    Installation::on(&control_plane, &[]);
    operator.wait_until_ready().unwrap();
    assert_eq!(operator.terminate().code(), Some(0));
}

#[test]
fn it_catches_up_on_changes_while_it_was_down() {
    let control_plane = site::private();
    let installation = Installation::on(&control_plane, &[]);
    let operator = Operator::start(&installation, &folder("absent-operator")).unwrap();
    operator.wait_until_ready().unwrap();
    let ns = Namespace::on(&control_plane, &operator, "absent");
    for name in ["deleted", "scaled", "robbed"] {
        ns.apply(&set(name, &[clique("a", 2)], &[]));
    }
    ns.until("three sets run", |seen| seen.expect_ready_pods(6));

    operator.kill();
    ns.kubectl(&["delete", "pcs", "deleted", "--wait=false"]);
    ns.kubectl(&["scale", "pclq", "scaled-0-a", "--replicas=3"]);
    let of_robbed = "--selector=app.kubernetes.io/part-of=robbed";
    ns.kubectl(&["delete", "pods,services,pg", of_robbed, "--timeout=180s"]);
    ns.apply(&set("new", &[clique("a", 4)], &[]));
    operator.start_again().unwrap();
    ns.until("all is as it should be", |seen| {
        seen.expect_names("PodCliqueSet", &["new", "robbed", "scaled"])?;
        let podcliques = ["new-0-a", "robbed-0-a", "scaled-0-a"];
        seen.expect_names("PodClique", &podcliques)?;
        seen.expect_names("Service", &["new-0", "robbed-0", "scaled-0"])?;
        seen.expect_names("PodGang", &["new-0", "robbed-0", "scaled-0"])?;
        let pods = podcliques.map(|podclique| seen.pods(podclique).len());
        same("pods", &pods, &[4, 2, 3])?;
        seen.expect_ready_pods(9)
    });
}
