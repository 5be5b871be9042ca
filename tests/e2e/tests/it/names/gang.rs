use serde_json::{Value, json};

use super::{expect_metadata, namespace};
use crate::harness::Namespace;
use crate::harness::seen::controlled_by;
use crate::harness::seen::name;

#[test]
fn podgangs_are_as_grove_makes_them() {
    let ns = namespace("names-gang");
    make_the_base_gang_ready(&ns);
    let seen = ns.until("a scaled gang exists", |seen| {
        seen.one("PodGang", "svc-0-model-0")?;
        ns.look()
    });
    let set = seen.one("PodCliqueSet", "svc").unwrap();
    let should = json!({
        "labels": {
            "example.com/team": "search",
            "app.kubernetes.io/managed-by": "grove-operator",
            "app.kubernetes.io/part-of": "svc",
            "app.kubernetes.io/component": "podgang",
            "grove.io/scheduler-name": "default-scheduler",
        },
        "annotations": {
            "example.com/cost-centre": "42",
            // Ours.
            "grove.io/gates-released-by-list": "true",
        },
        "ownerReferences": controlled_by(set),
    });
    let pods = |podclique: &str| -> Value {
        let pods = seen.pods(podclique).into_iter();
        pods.map(|pod| json!({"namespace": ns.name, "name": name(pod)}))
            .collect()
    };
    let podgroup = |podclique: &str, min: u32| json!({"name": podclique, "minReplicas": min, "podReferences": pods(podclique)});

    let base = seen.one("PodGang", "svc-0").unwrap();
    expect_metadata(base, &should);
    let spec = json!({
        "podgroups": [
            podgroup("svc-0-router", 1),
            podgroup("svc-0-model-0-leader", 1),
            podgroup("svc-0-model-0-worker", 2),
        ],
        "priorityClassName": "system-cluster-critical",
    });
    assert_eq!(base["spec"], spec);

    let scaled = seen.one("PodGang", "svc-0-model-0").unwrap();
    expect_metadata(scaled, &should);
    let spec = json!({
        "podgroups": [podgroup("svc-0-model-1-leader", 1), podgroup("svc-0-model-1-worker", 2)],
        "priorityClassName": "system-cluster-critical",
    });
    assert_eq!(scaled["spec"], spec);
}

fn make_the_base_gang_ready(ns: &Namespace<'_>) {
    let router = ns.until("a router", |seen| {
        Ok(name(seen.pods("svc-0-router")[0]).to_owned())
    });
    ns.set_pod_ready(&router);
}
