use serde_json::json;

use super::{expect_metadata, from_label, namespace, template_hash};
use crate::harness::seen::controlled_by;

#[test]
fn standalone_podcliques_are_as_grove_makes_them() {
    let ns = namespace("names-standalone");
    let seen = ns.look().unwrap();
    let podclique = seen.one("PodClique", "svc-1-router").unwrap();
    let should = json!({
        "labels": {
            "example.com/role": "router",
            "example.com/manual-status": "true",
            "app.kubernetes.io/name": "svc-1-router",
            "app.kubernetes.io/managed-by": "grove-operator",
            "app.kubernetes.io/part-of": "svc",
            "app.kubernetes.io/component": "pcs-podclique",
            "grove.io/podcliqueset-replica-index": "1",
            "grove.io/podgang": "svc-1",
            "grove.io/pod-template-hash": template_hash(&seen, "svc-1-router"),
        },
        "annotations": {
            "example.com/port": "8080",
            // Ours.
            "grove.io/template-replicas": "2",
            "grove.io/template-keys": "label:app.kubernetes.io/name,\
                label:example.com/manual-status,label:example.com/role,annotation:example.com/port",
            "grove.io/attempt": "0",
            "grove.io/group-attempt": "0",
        },
        "finalizers": ["grove.io/podclique.grove.io"],
        "ownerReferences": controlled_by(seen.one("PodCliqueSet", "svc").unwrap()),
    });
    expect_metadata(podclique, &should);
    let spec = &podclique["spec"];
    assert_eq!(spec["roleName"], "router");
    assert_eq!(spec["replicas"], 2);
    assert_eq!(spec["minAvailable"], 1);
    let model = json!([{"name": "MODEL", "value": "small"}]);
    assert_eq!(spec["podSpec"]["initContainers"][0]["env"], model);
    let selector = "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=svc,\
                    grove.io/podclique=svc-1-router";
    assert_eq!(podclique["status"]["hpaPodSelector"], selector);
}

#[test]
fn grouped_podcliques_are_as_grove_makes_them() {
    let ns = namespace("names-grouped");
    let seen = ns.look().unwrap();
    let in_base = "svc-0-model-0-worker";
    let in_scaled = "svc-0-model-1-worker";
    for (name, replica, gang, base) in [
        (in_base, "0", "svc-0", None),
        (in_scaled, "1", "svc-0-model-0", Some("svc-0")),
    ] {
        let podclique = seen.one("PodClique", name).unwrap();
        let mut should = json!({
            "labels": {
                "example.com/role": "worker",
                "app.kubernetes.io/name": name,
                "app.kubernetes.io/managed-by": "grove-operator",
                "app.kubernetes.io/part-of": "svc",
                "app.kubernetes.io/component": "pcsg-podclique",
                "grove.io/podcliqueset-replica-index": "0",
                "grove.io/podgang": gang,
                "grove.io/podcliquescalinggroup": "svc-0-model",
                "grove.io/podcliquescalinggroup-replica-index": replica,
                "grove.io/pod-template-hash": template_hash(&seen, name),
            },
            "annotations": {
                "example.com/gpus": "8",
                // Ours.
                "grove.io/template-replicas": "3",
                "grove.io/template-keys": "label:example.com/role,annotation:example.com/gpus",
                "grove.io/made-with-template-hash": template_hash(&seen, name),
                "grove.io/attempt": "0",
                "grove.io/group-attempt": "0",
            },
            "finalizers": ["grove.io/podclique.grove.io"],
            "ownerReferences": controlled_by(seen.one("PodCliqueScalingGroup", "svc-0-model").unwrap()),
        });
        if let Some(base) = base {
            should["labels"]["grove.io/base-podgang"] = json!(base);
        }
        expect_metadata(podclique, &should);
        let variables = json!([
            from_label("GROVE_PCSG_NAME", "grove.io/podcliquescalinggroup"),
            {"name": "GROVE_PCSG_TEMPLATE_NUM_PODS", "value": "4"},
            from_label("GROVE_PCSG_INDEX", "grove.io/podcliquescalinggroup-replica-index"),
            {"name": "MODEL", "value": "large"},
        ]);
        assert_eq!(
            podclique["spec"]["podSpec"]["containers"][0]["env"],
            variables
        );
        assert_eq!(podclique["status"]["hpaPodSelector"], json!(null));
    }
}
