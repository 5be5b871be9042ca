//! PodCliques and pods of the Go operator.

use serde_json::{Value, json};

use super::meta::{controlled, template, template_hash};
use crate::harness::seen::{controlled_by, name};

const PART_OF: &str = "app.kubernetes.io/part-of";
const REPLICA_INDEX: &str = "grove.io/podcliqueset-replica-index";

/// The PodClique of a standalone clique.
pub fn standalone(set: &Value, replica: u32, clique: &str) -> Value {
    let base = format!("{}-{replica}", name(set));
    let called = format!("{base}-{clique}");
    let mut made = podclique(set, replica, clique, &called, "pcs-podclique");
    made["metadata"]["labels"]["grove.io/podgang"] = json!(base);
    made
}

/// The PodClique of a clique in replica `j` of the group; the first replicas are in the base gang.
pub fn grouped(set: &Value, group: &Value, clique: &str, j: u32) -> Value {
    let replica = group["metadata"]["labels"][REPLICA_INDEX].as_str().unwrap();
    let replica: u32 = replica.parse().unwrap();
    let (of, base) = (name(group), format!("{}-{replica}", name(set)));
    let called = format!("{of}-{j}-{clique}");
    let mut made = podclique(set, replica, clique, &called, "pcsg-podclique");
    made["metadata"]["ownerReferences"] = controlled_by(group);
    let labels = &mut made["metadata"]["labels"];
    labels["grove.io/podcliquescalinggroup"] = json!(of);
    labels["grove.io/podcliquescalinggroup-replica-index"] = json!(j.to_string());
    let least = number(&group["spec"]["minAvailable"]);
    if let Some(scaled) = u64::from(j).checked_sub(least) {
        labels["grove.io/podgang"] = json!(format!("{of}-{scaled}"));
        labels["grove.io/base-podgang"] = json!(base);
    } else {
        labels["grove.io/podgang"] = json!(base);
    }
    let label = |key: &str| from_label(&format!("grove.io/podcliquescalinggroup{key}"));
    let pods = pods_of_replica(set, group).to_string();
    let variables = [
        json!({"name": "GROVE_PCSG_NAME", "valueFrom": label("")}),
        json!({"name": "GROVE_PCSG_TEMPLATE_NUM_PODS", "value": pods}),
        json!({"name": "GROVE_PCSG_INDEX", "valueFrom": label("-replica-index")}),
    ];
    put_first(&mut made["spec"]["podSpec"], &variables);
    if let Some(parent) = parent(set, clique, j) {
        made["spec"]["startsAfter"] = json!([parent]);
    }
    made
}

/// Number of pods of a replica of the group in the template.
fn pods_of_replica(set: &Value, group: &Value) -> u64 {
    let cliques = group["spec"]["cliqueNames"].as_array().unwrap().iter();
    let pods = cliques.map(|clique| &template(set, clique.as_str().unwrap())["spec"]["replicas"]);
    pods.map(number).sum()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// Start order of the set `llm`, within one gang only: a leader of the base gang waits for the
/// router, a worker for its leader (§9.4).
fn parent(set: &Value, clique: &str, j: u32) -> Option<String> {
    let is_ordered = set["spec"]["template"]["cliqueStartupType"] == "CliqueStartupTypeInOrder";
    match clique {
        "leader" if is_ordered && j == 0 => Some("llm-0-router".to_owned()),
        "worker" if is_ordered => Some(format!("llm-0-model-{j}-leader")),
        _ => None,
    }
}

fn podclique(set: &Value, replica: u32, clique: &str, called: &str, component: &str) -> Value {
    let template = template(set, clique);
    let mut meta = controlled(set, called, called, component);
    meta["finalizers"] = json!(["grove.io/podclique.grove.io"]);
    meta["annotations"] = template["annotations"].clone();
    for (key, value) in template["labels"].as_object().into_iter().flatten() {
        meta["labels"][key] = value.clone();
    }
    meta["labels"][REPLICA_INDEX] = json!(replica.to_string());
    meta["labels"]["grove.io/pod-template-hash"] = json!(template_hash(clique));
    json!({"apiVersion": "grove.io/v1alpha1", "kind": "PodClique", "metadata": meta,
        "spec": template["spec"]})
}

/// The pod with this index, named by the API server.
pub fn pod(podclique: &Value, index: u32, is_gated: bool) -> Value {
    let meta = &podclique["metadata"];
    let name = name(podclique);
    let mut labels = meta["labels"].clone();
    labels["grove.io/podclique"] = json!(name);
    labels["grove.io/podclique-pod-index"] = json!(index.to_string());
    let mut spec = podclique["spec"]["podSpec"].clone();
    put_first(&mut spec, &variables(meta));
    spec["hostname"] = json!(format!("{name}-{index}"));
    spec["subdomain"] = json!(service(meta));
    if is_gated {
        spec["schedulingGates"] = json!([{"name": "grove.io/podgang-pending-creation"}]);
    }
    if !podclique["spec"]["startsAfter"].is_null() {
        wait_for_parents(&mut spec, &podclique["spec"]["startsAfter"]);
    }
    json!({"apiVersion": "v1", "kind": "Pod", "spec": spec, "metadata": {
        "generateName": format!("{name}-"),
        "labels": labels,
        "annotations": meta["annotations"],
        "ownerReferences": controlled_by(podclique),
    }})
}

fn variables(meta: &Value) -> [Value; 5] {
    let namespace = meta["namespace"].as_str().unwrap();
    let (set, replica) = (&meta["labels"][PART_OF], &meta["labels"][REPLICA_INDEX]);
    let service = format!("{}.{namespace}.svc.cluster.local", service(meta));
    let index = from_label("grove.io/podclique-pod-index");
    [
        json!({"name": "GROVE_PCS_NAME", "value": set}),
        json!({"name": "GROVE_PCS_INDEX", "value": replica}),
        json!({"name": "GROVE_PCLQ_NAME", "value": meta["name"]}),
        json!({"name": "GROVE_HEADLESS_SERVICE", "value": service}),
        json!({"name": "GROVE_PCLQ_POD_INDEX", "valueFrom": index}),
    ]
}

/// Name of the headless Service.
fn service(meta: &Value) -> String {
    let label = |key: &str| meta["labels"][key].as_str().unwrap().to_owned();
    format!("{}-{}", label(PART_OF), label(REPLICA_INDEX))
}

fn from_label(label: &str) -> Value {
    json!({"fieldRef": {"fieldPath": format!("metadata.labels['{label}']")}})
}

fn put_first(spec: &mut Value, variables: &[Value]) {
    let theirs = spec["containers"][0]["env"].as_array();
    let theirs = theirs.map_or(&[][..], Vec::as_slice);
    spec["containers"][0]["env"] = Value::Array([variables, theirs].concat());
}

/// The init container that waits until the PodCliques that come first are Ready (§9.4).
fn wait_for_parents(spec: &mut Value, parents: &Value) {
    let parents = parents.as_array().unwrap().iter();
    let args = parents.map(|name| format!("--podcliques={}:1", name.as_str().unwrap()));
    let own = |path: &str| json!({"fieldPath": format!("metadata.{path}")});
    spec["initContainers"] = json!([{
        "name": "grove-initc",
        "image": "grove-initc:v0.1.0",
        "args": args.collect::<Vec<_>>(),
        "volumeMounts": [
            {"name": "sa-token-secret-vol", "readOnly": true,
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"},
            {"name": "pod-info-vol", "readOnly": true, "mountPath": "/var/grove/pod-info"},
        ],
    }]);
    spec["volumes"] = json!([
        {"name": "sa-token-secret-vol", "secret": {"secretName": "llm-ic-sat",
            "defaultMode": 0o644}},
        {"name": "pod-info-vol", "downwardAPI": {"items": [
            {"path": "namespace", "fieldRef": own("namespace")},
            {"path": "podgangname", "fieldRef": own("labels['grove.io/podgang']")},
        ]}},
    ]);
}
