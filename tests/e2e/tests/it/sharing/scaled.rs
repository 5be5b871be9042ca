//! A set that is scaled out and in, with a claim for each of its replicas.

use serde_json::{Value, json};

use super::{CLASS, claims, expect_claims, expect_named, install_devices, is_ready, template};
use crate::harness::audit::Record;
use crate::harness::manifest::{held_clique, set};
use crate::harness::seen::name;
use crate::harness::{Namespace, same};

/// Its pods end only by force.
fn held() -> Value {
    let mut pcs = set("svc", &[held_clique("worker", 1)], &[]);
    let template_spec = &mut pcs["spec"]["template"];
    template_spec["resourceClaimTemplates"] = json!([template("net")]);
    template_spec["resourceSharing"] = json!([{"name": "net", "scope": "PerReplica"}]);
    pcs
}

/// Lets the pod of that PodClique become Ready once it has a node; returns its name.
fn start_pod(ns: &Namespace<'_>, podclique: &str) -> String {
    let pod = ns.until("its pod has a node", |seen| {
        let pods = seen.pods(podclique);
        let pod = pods.first().ok_or("there is no pod")?;
        same("has a node", &pod["spec"]["nodeName"].is_string(), &true)?;
        Ok(name(pod).to_owned())
    });
    ns.set_pod_ready(&pod);
    pod
}

#[test]
fn the_claim_of_a_replica_comes_with_it_and_goes_after_its_pod() {
    let ns = Namespace::new("claims-scaled");
    install_devices(&ns, CLASS);
    ns.apply(&held());
    start_pod(&ns, "svc-0-worker");
    ns.until("one replica runs", |seen| {
        is_ready(seen, 1)?;
        expect_claims(&ns, &["svc-0-net"])
    });
    let record = Record::begin(ns.control_plane);
    let expect_writes = |verbs: &[&str]| {
        if let Some(record) = &record {
            assert_eq!(record.writes(&ns.name, "resourceclaims"), verbs);
        }
    };

    ns.kubectl(&["scale", "pcs", "svc", "--replicas=2"]);
    let pod = start_pod(&ns, "svc-1-worker");
    ns.until("both replicas run, each with its claim", |seen| {
        is_ready(seen, 2)?;
        expect_claims(&ns, &["svc-0-net", "svc-1-net"])?;
        expect_named(seen, "svc-0-worker", &["svc-0-net"])?;
        expect_named(seen, "svc-1-worker", &["svc-1-net"])
    });

    ns.kubectl(&["scale", "pcs", "svc", "--replicas=1"]);
    ns.until("the pod of the second replica is ending", |seen| {
        let deleted = &seen.one("Pod", &pod)?["metadata"]["deletionTimestamp"];
        same("is ending", &deleted.is_string(), &true)
    });
    let found = claims(&ns).unwrap();
    let second = found.iter().find(|claim| name(claim) == "svc-1-net");
    assert!(second.unwrap()["metadata"]["deletionTimestamp"].is_null());
    expect_writes(&["create"]);

    ns.kubectl(&["delete", "pod", &pod, "--force", "--grace-period=0"]);
    ns.until("its claim is gone", |seen| {
        is_ready(seen, 1)?;
        expect_claims(&ns, &["svc-0-net"])
    });
    expect_writes(&["create", "delete"]);
}
