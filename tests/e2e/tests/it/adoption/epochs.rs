//! The set with all its pods running, left by a Go operator that names gangs by epochs and keeps a
//! `PodGangMap` of each replica.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::left::Left;
use super::meta::{GENERATION, THEN, controlled};
use super::{podcliques, statuses};
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
const HASH: &str = "grove.io/pod-template-hash";
/// Its hash of an older template of any clique.
pub const OLDER: &str = "4fb8c7d659";

/// Held by the test that has the definition of maps in the control plane.
static DEFINED: Mutex<()> = Mutex::new(());

/// Waits until no other test has the definition of maps: each removes it at its end.
pub fn turn() -> MutexGuard<'static, ()> {
    DEFINED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A PodClique, and the indices of its pods in a gang.
type Part = (Value, Vec<u32>);

/// Three replicas of the group: the first in the anchor with the router, the second in the tail
/// that follows it, the third scaled out later.
pub fn running<'a>(ns: &'a Namespace<'a>) -> Left<'a> {
    let left = Left::new(ns, 3, |_| {});
    let [anchor, tail, scaled] = EPOCHS;
    let entries = [
        anchor_entry(anchor, 0, 2),
        entry(tail, "Tail", 1, &[anchor]),
        entry(scaled, "ScaleOut", 2, &[anchor]),
    ];
    map(&left, &entries);
    let first = format!("llm-0-{anchor}");
    let mut parts = vec![whole(router(&left))];
    parts.extend(group_replica(&left, 0, &first));
    gang(&left, &first, (anchor, "Anchor"), &parts);
    for (epoch, role, j) in [(tail, "Tail", 1), (scaled, "ScaleOut", 2)] {
        let called = format!("llm-0-{epoch}-model-{j}");
        let parts = group_replica(&left, j, &called);
        gang(&left, &called, (epoch, role), &parts);
    }
    report(&left);
    left
}

/// Two anchors: each has a pod of the router, and a replica of the group, of its own. The third
/// replica was scaled out later.
pub fn two_anchors<'a>(ns: &'a Namespace<'a>) -> Left<'a> {
    let left = Left::new(ns, 3, |_| {});
    fill_two_anchors(&left, |_| {});
    report(&left);
    left
}

/// The same in the middle of a `Coherent` update: the first anchor has an older template.
pub fn half_updated<'a>(ns: &'a Namespace<'a>) -> Left<'a> {
    let left = Left::new(ns, 3, |set| {
        set["spec"]["updateStrategy"] = json!({"type": "Coherent"});
    });
    fill_two_anchors(&left, make_older);
    report(&left);
    let turn = json!({
        "replicaIndex": 0, "updateStartedAt": THEN, "inFlightEpochs": [EPOCHS[1]],
        "message": "waiting for the pods of the epoch",
    });
    let progress = json!({
        "updateStartedAt": THEN, "currentlyUpdating": [turn],
        "inScopeStandalonePodCliques": ["router"], "inScopePodCliqueScalingGroups": ["model"],
    });
    left.report(
        "PodCliqueSet",
        "llm",
        &json!({"updatedReplicas": 0, "updateProgress": progress}),
    );
    left
}

/// Gives a PodClique an older template, with which its pods were created, too.
fn make_older(podclique: &mut Value) {
    podclique["metadata"]["labels"][HASH] = json!(OLDER);
    let env = podclique["spec"]["podSpec"]["containers"][0]["env"].as_array_mut();
    let mut variables = env.unwrap().iter_mut();
    let model = variables.find(|variable| variable["name"] == "MODEL");
    model.unwrap()["value"] = json!("small");
}

/// `change`: of the PodCliques whose pods are in the first anchor. That of the router is in both, and
/// only its pod there is changed.
fn fill_two_anchors(left: &Left<'_>, change: impl Fn(&mut Value)) {
    let [first, second, scaled] = EPOCHS;
    let entries = [
        anchor_entry(first, 0, 1),
        anchor_entry(second, 1, 1),
        entry(scaled, "ScaleOut", 2, &[first]),
    ];
    map(left, &entries);
    let router = router(left);
    let keep = |_: &mut Value| {};
    let changes: [&dyn Fn(&mut Value); 2] = [&change, &keep];
    for ((epoch, j), change) in [(first, 0), (second, 1)].into_iter().zip(changes) {
        let called = format!("llm-0-{epoch}");
        let mut of_router = router.clone();
        change(&mut of_router);
        let mut parts = vec![(of_router, vec![j])];
        parts.extend(changed_group_replica(left, j, &called, change));
        gang(left, &called, (epoch, "Anchor"), &parts);
    }
    let called = format!("llm-0-{scaled}-model-2");
    let parts = group_replica(left, 2, &called);
    gang(left, &called, (scaled, "ScaleOut"), &parts);
}

/// The statuses of group and set; then all pods run.
fn report(left: &Left<'_>) {
    left.report(
        "PodCliqueScalingGroup",
        "llm-0-model",
        &statuses::group("llm", "llm-0-model", 3),
    );
    left.report("PodCliqueSet", "llm", &statuses::set("llm", 1));
    left.ns
        .until("KWOK runs the pods", |seen| seen.expect_ready_pods(11));
}

/// All pods of a PodClique.
fn whole(podclique: Value) -> Part {
    let replicas = podclique["spec"]["replicas"].as_u64().unwrap();
    let indices = 0..u32::try_from(replicas).unwrap();
    (podclique, indices.collect())
}

/// Leader and worker of a replica of the group in this gang, with all their pods.
fn group_replica(left: &Left<'_>, j: u32, gang: &str) -> [Part; 2] {
    changed_group_replica(left, j, gang, &|_| {})
}

/// The same with changed PodCliques.
fn changed_group_replica(
    left: &Left<'_>,
    j: u32,
    gang: &str,
    change: &dyn Fn(&mut Value),
) -> [Part; 2] {
    ["leader", "worker"].map(|clique| {
        let mut made = podcliques::grouped(&left.set, &left.group, clique, j);
        let labels = made["metadata"]["labels"].as_object_mut().unwrap();
        labels.remove("grove.io/base-podgang");
        labels.insert(GANG.to_owned(), json!(gang));
        change(&mut made);
        whole(left.create(&made))
    })
}

/// A PodClique outside of groups has no gang label, as its pods may be in several gangs.
fn router(left: &Left<'_>) -> Value {
    let mut made = podcliques::standalone(&left.set, 0, "router");
    let labels = made["metadata"]["labels"].as_object_mut().unwrap();
    labels.remove(GANG);
    left.create(&made)
}

/// A gang with its pods.
fn gang(left: &Left<'_>, called: &str, (epoch, role): (&str, &str), parts: &[Part]) {
    let of_gang = |part: &Value| {
        let mut part = part.clone();
        part["metadata"]["labels"][GANG] = json!(called);
        part
    };
    let made = parts
        .iter()
        .map(|(part, indices)| (part, left.pods(&of_gang(part), indices, false)));
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
    let mut status = statuses::gang(true);
    status["lastScheduled"] = json!(THEN);
    status["lastReady"] = json!(THEN);
    left.report("PodGang", called, &status);
    for (part, _) in parts {
        left.report("PodClique", name(part), &statuses::podclique(part));
    }
}

/// A gang in the map of the replica: that replica of the group, which follows these other gangs.
fn entry(epoch: &str, role: &str, replica: u32, after: &[&str]) -> Value {
    json!({
        "epoch": epoch,
        "podCliqueSetGenerationHash": GENERATION,
        "role": role,
        "pcsgReplicaIndices": {"model": [replica]},
        "dependsOn": after,
    })
}

/// The same of an anchor, with that many pods of the router.
fn anchor_entry(epoch: &str, replica: u32, routers: u32) -> Value {
    let mut anchor = entry(epoch, "Anchor", replica, &[]);
    anchor["podCliques"] = json!({"router": routers});
    anchor
}

/// The map of the replica, and the definition of such maps.
fn map(left: &Left<'_>, entries: &[Value]) {
    let mut apply = left.ns.control_plane.tool("kubectl", ["apply", "-f", "-"]);
    let output = fed(&mut apply, &definition());
    assert!(output.status.success(), "{output:?}");
    let established = [
        "wait",
        "crd/podgangmaps.grove.io",
        "--for=condition=Established",
    ];
    left.ns.control_plane.kubectl(established);
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
