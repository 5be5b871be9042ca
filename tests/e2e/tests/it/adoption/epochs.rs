//! The set with all its pods running, left by a Go operator that names gangs by epochs and keeps a
//! `PodGangMap` of each replica.

use serde_json::{Value, json};

use super::left::Left;
use super::meta::{GENERATION, THEN, controlled};
use super::{podcliques, running, statuses};
use crate::harness::Namespace;
use crate::harness::control_plane::fed;
use crate::harness::seen::name;

/// Creation times of its gangs, in nanoseconds.
const EPOCHS: [&str; 3] = [
    "1767225600000000001",
    "1767225600000000002",
    "1767225600000000003",
];
const GANG: &str = "grove.io/podgang";

/// Three replicas of the group: the first in the anchor with the router, the second in the tail
/// that follows it, the third scaled out later.
pub fn running<'a>(ns: &'a Namespace<'a>) -> Left<'a> {
    let left = Left::new(ns, 3, |_| {});
    map(&left);
    let [anchor, tail, scaled] = EPOCHS;
    let replica = |j: u32, gang: &str| {
        let group = &left.group;
        ["leader", "worker"].map(|clique| {
            let mut made = podcliques::grouped(&left.set, group, clique, j);
            let labels = made["metadata"]["labels"].as_object_mut().unwrap();
            labels.remove("grove.io/base-podgang");
            labels.insert(GANG.to_owned(), json!(gang));
            left.create(&made)
        })
    };
    let first = format!("llm-0-{anchor}");
    let mut parts = vec![router(&left)];
    parts.extend(replica(0, &first));
    gang(&left, &first, (anchor, "Anchor"), &parts);
    for (epoch, role, j) in [(tail, "Tail", 1), (scaled, "ScaleOut", 2)] {
        let called = format!("llm-0-{epoch}-model-{j}");
        gang(&left, &called, (epoch, role), &replica(j, &called));
    }
    left.report(
        "PodCliqueScalingGroup",
        "llm-0-model",
        &statuses::group("llm", "llm-0-model", 3),
    );
    left.report("PodCliqueSet", "llm", &statuses::set("llm", 1));
    ns.until("KWOK runs the pods", |seen| seen.expect_ready_pods(11));
    left
}

/// A PodClique outside of groups has no gang label, as its pods may be in several gangs.
fn router(left: &Left<'_>) -> Value {
    let mut made = podcliques::standalone(&left.set, 0, "router");
    let labels = made["metadata"]["labels"].as_object_mut().unwrap();
    labels.remove(GANG);
    left.create(&made)
}

/// A gang with all its pods.
fn gang(left: &Left<'_>, called: &str, (epoch, role): (&str, &str), parts: &[Value]) {
    let of_gang = |part: &Value| {
        let mut part = part.clone();
        part["metadata"]["labels"][GANG] = json!(called);
        part
    };
    let made = parts
        .iter()
        .map(|part| (part, running::pods(left, &of_gang(part), false)));
    let made: Vec<(&Value, Vec<String>)> = made.collect();
    left.gang(called, &made);
    let labels = [
        "grove.io/podcliqueset-replica-index=0".to_owned(),
        format!("grove.io/podcliqueset-generation-hash={GENERATION}"),
        format!("grove.io/epoch={epoch}"),
        format!("grove.io/podgang-role={role}"),
    ];
    let mut label = vec!["label", "podgang", called];
    label.extend(labels.iter().map(String::as_str));
    left.ns.kubectl(&label);
    let times = json!({"lastScheduled": THEN, "lastReady": THEN});
    left.report("PodGang", called, &times);
    for part in parts {
        left.report("PodClique", name(part), &statuses::podclique(part));
    }
}

/// The map of the replica, and the definition of such maps.
fn map(left: &Left<'_>) {
    let mut apply = left.ns.control_plane.tool("kubectl", ["apply", "-f", "-"]);
    let output = fed(&mut apply, &definition());
    assert!(output.status.success(), "{output:?}");
    let established = [
        "wait",
        "crd/podgangmaps.grove.io",
        "--for=condition=Established",
    ];
    left.ns.control_plane.kubectl(established);
    let [anchor, tail, scaled] = EPOCHS;
    let entry = |epoch: &str, role: &str, replica: u32, after: &[&str]| {
        json!({
            "epoch": epoch,
            "podCliqueSetGenerationHash": GENERATION,
            "role": role,
            "pcsgReplicaIndices": {"model": [replica]},
            "dependsOn": after,
        })
    };
    let mut first = entry(anchor, "Anchor", 0, &[]);
    first["podCliques"] = json!({"router": 2});
    let entries = [
        first,
        entry(tail, "Tail", 1, &[anchor]),
        entry(scaled, "ScaleOut", 2, &[anchor]),
    ];
    let map = json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodGangMap",
        "metadata": controlled(&left.set, "llm-0", "llm-0", "pcs-podgangmap"),
        "spec": {"podCliqueSetReplicaIndex": 0, "entries": entries},
    });
    let create = ["create", "--namespace", &left.ns.name, "-f", "-"];
    let output = fed(&mut left.ns.control_plane.tool("kubectl", create), &map);
    assert!(output.status.success(), "{output:?}");
}

fn definition() -> Value {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "podgangmaps.grove.io"},
        "spec": {
            "group": "grove.io",
            "scope": "Namespaced",
            "names": {"kind": "PodGangMap", "plural": "podgangmaps", "singular": "podgangmap",
                "shortNames": ["pgm"]},
            "versions": [{"name": "v1alpha1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": schema}}],
        },
    })
}
