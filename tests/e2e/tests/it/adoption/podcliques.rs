//! PodCliques and pods of the Go operator.

use serde_json::{Value, json};

use super::meta::{controlled, template, template_hash};
use crate::harness::seen::controlled_by;

/// The PodClique of a clique that is in no group.
pub fn standalone(set: &Value, clique: &str) -> Value {
    let name = format!("llm-0-{clique}");
    let mut made = podclique(set, clique, &name, "pcs-podclique");
    made["metadata"]["labels"]["grove.io/podgang"] = json!("llm-0");
    made
}

/// The PodClique of a clique in replica `j` of the group; the first replica is in the base gang.
pub fn grouped(set: &Value, group: &Value, clique: &str, j: u32) -> Value {
    let name = format!("llm-0-model-{j}-{clique}");
    let mut made = podclique(set, clique, &name, "pcsg-podclique");
    made["metadata"]["ownerReferences"] = controlled_by(group);
    let labels = &mut made["metadata"]["labels"];
    labels["grove.io/podcliquescalinggroup"] = group["metadata"]["name"].clone();
    labels["grove.io/podcliquescalinggroup-replica-index"] = json!(j.to_string());
    if let Some(scaled) = j.checked_sub(1) {
        labels["grove.io/podgang"] = json!(format!("llm-0-model-{scaled}"));
        labels["grove.io/base-podgang"] = json!("llm-0");
    } else {
        labels["grove.io/podgang"] = json!("llm-0");
    }
    let label = |key: &str| from_label(&format!("grove.io/podcliquescalinggroup{key}"));
    let variables = [
        json!({"name": "GROVE_PCSG_NAME", "valueFrom": label("")}),
        json!({"name": "GROVE_PCSG_TEMPLATE_NUM_PODS", "value": "3"}),
        json!({"name": "GROVE_PCSG_INDEX", "valueFrom": label("-replica-index")}),
    ];
    put_first(&mut made["spec"]["podSpec"], &variables);
    if let Some(parent) = parent(set, clique, j) {
        made["spec"]["startsAfter"] = json!([parent]);
    }
    made
}

/// In order, and only within one gang: a leader of the base gang waits for the router, a worker
/// for its leader (§9.4).
fn parent(set: &Value, clique: &str, j: u32) -> Option<String> {
    let is_ordered = set["spec"]["template"]["cliqueStartupType"] == "CliqueStartupTypeInOrder";
    match clique {
        "leader" if is_ordered && j == 0 => Some("llm-0-router".to_owned()),
        "worker" if is_ordered => Some(format!("llm-0-model-{j}-leader")),
        _ => None,
    }
}

fn podclique(set: &Value, clique: &str, name: &str, component: &str) -> Value {
    let template = template(set, clique);
    let mut meta = controlled(set, name, name, component);
    meta["finalizers"] = json!(["grove.io/podclique.grove.io"]);
    meta["annotations"] = template["annotations"].clone();
    for (key, value) in template["labels"].as_object().unwrap() {
        meta["labels"][key] = value.clone();
    }
    meta["labels"]["grove.io/podcliqueset-replica-index"] = json!("0");
    meta["labels"]["grove.io/pod-template-hash"] = json!(template_hash(clique));
    json!({"apiVersion": "grove.io/v1alpha1", "kind": "PodClique", "metadata": meta,
        "spec": template["spec"]})
}

/// The pod with this index, named by the API server.
pub fn pod(podclique: &Value, index: u32, is_gated: bool) -> Value {
    let meta = &podclique["metadata"];
    let name = meta["name"].as_str().unwrap();
    let mut labels = meta["labels"].clone();
    labels["grove.io/podclique"] = json!(name);
    labels["grove.io/podclique-pod-index"] = json!(index.to_string());
    let mut spec = podclique["spec"]["podSpec"].clone();
    put_first(&mut spec, &variables(meta));
    spec["hostname"] = json!(format!("{name}-{index}"));
    spec["subdomain"] = json!("llm-0");
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
    let service = format!("llm-0.{namespace}.svc.cluster.local");
    let index = from_label("grove.io/podclique-pod-index");
    [
        json!({"name": "GROVE_PCS_NAME", "value": "llm"}),
        json!({"name": "GROVE_PCS_INDEX", "value": "0"}),
        json!({"name": "GROVE_PCLQ_NAME", "value": meta["name"]}),
        json!({"name": "GROVE_HEADLESS_SERVICE", "value": service}),
        json!({"name": "GROVE_PCLQ_POD_INDEX", "valueFrom": index}),
    ]
}

fn from_label(label: &str) -> Value {
    json!({"fieldRef": {"fieldPath": format!("metadata.labels['{label}']")}})
}

fn put_first(spec: &mut Value, variables: &[Value]) {
    let theirs = spec["containers"][0]["env"].as_array().unwrap();
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
