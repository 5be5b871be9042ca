use serde_json::{Value, json};

use super::{expect_metadata, from_label, namespace, template_hash};
use crate::harness::seen::controlled_by;
use crate::harness::seen::{gates, name};

#[test]
fn pods_of_a_standalone_clique_are_as_grove_makes_them() {
    let ns = namespace("names-pod");
    let seen = ns.look().unwrap();
    let clique = seen.one("PodClique", "svc-1-router").unwrap();
    for (index, pod) in seen.pods("svc-1-router").into_iter().enumerate() {
        expect_name(pod, "svc-1-router");
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
                "grove.io/podclique": "svc-1-router",
                "grove.io/podclique-pod-index": index.to_string(),
            },
            "annotations": {"example.com/port": "8080"},
            "ownerReferences": controlled_by(clique),
        });
        expect_metadata(pod, &should);
        let spec = &pod["spec"];
        assert_eq!(spec["hostname"], format!("svc-1-router-{index}"));
        assert_eq!(spec["subdomain"], "svc-1");
        // Ours: the set's class, user's gates. The template names no account, so the pod has that
        // of the namespace, with its token.
        assert_eq!(spec["serviceAccountName"], "default");
        assert_eq!(spec["automountServiceAccountToken"], Value::Null);
        assert_eq!(spec["priorityClassName"], "system-cluster-critical");
        assert_eq!(gates(pod), ["example.com/quota"]);

        let ours = variables(&ns.name, "1", "svc-1-router");
        let model = |size: &str| json!({"name": "MODEL", "value": size});
        let env = |containers: &str, i: usize| spec[containers][i]["env"].clone();
        assert_eq!(env("initContainers", 0), list(&ours, &[model("small")]));
        assert_eq!(env("containers", 0), list(&ours, &[model("large")]));
        assert_eq!(env("containers", 1), list(&ours, &[]));
    }
}

#[test]
fn pods_of_a_scaled_gang_are_as_grove_makes_them() {
    let ns = namespace("names-scaled-pod");
    let seen = ns.look().unwrap();
    let clique = seen.one("PodClique", "svc-0-model-1-worker").unwrap();
    for (index, pod) in seen.pods("svc-0-model-1-worker").into_iter().enumerate() {
        expect_name(pod, "svc-0-model-1-worker");
        let should = json!({
            "labels": {
                "example.com/role": "worker",
                "app.kubernetes.io/name": "svc-0-model-1-worker",
                "app.kubernetes.io/managed-by": "grove-operator",
                "app.kubernetes.io/part-of": "svc",
                "app.kubernetes.io/component": "pcsg-podclique",
                "grove.io/podcliqueset-replica-index": "0",
                "grove.io/podgang": "svc-0-model-0",
                "grove.io/base-podgang": "svc-0",
                "grove.io/podcliquescalinggroup": "svc-0-model",
                "grove.io/podcliquescalinggroup-replica-index": "1",
                "grove.io/pod-template-hash": template_hash(&seen, "svc-0-model-1-worker"),
                "grove.io/podclique": "svc-0-model-1-worker",
                "grove.io/podclique-pod-index": index.to_string(),
                // After the leader.
                "grove.io/podcliquescalinggroup-pod-index": (index + 1).to_string(),
            },
            "annotations": {"example.com/gpus": "8"},
            "ownerReferences": controlled_by(clique),
        });
        expect_metadata(pod, &should);
        let spec = &pod["spec"];
        assert_eq!(spec["hostname"], format!("svc-0-model-1-worker-{index}"));
        assert_eq!(spec["subdomain"], "svc-0");
        assert_eq!(gates(pod), ["grove.io/podgang-pending-creation"]);
        let theirs = [
            from_label("GROVE_PCSG_NAME", "grove.io/podcliquescalinggroup"),
            json!({"name": "GROVE_PCSG_TEMPLATE_NUM_PODS", "value": "4"}),
            from_label(
                "GROVE_PCSG_INDEX",
                "grove.io/podcliquescalinggroup-replica-index",
            ),
            json!({"name": "MODEL", "value": "large"}),
        ];
        let ours = variables(&ns.name, "0", "svc-0-model-1-worker");
        let in_group = from_label(
            "GROVE_PCSG_POD_INDEX",
            "grove.io/podcliquescalinggroup-pod-index",
        );
        let ours = [&[in_group], &ours[..]].concat();
        assert_eq!(spec["containers"][0]["env"], list(&ours, &theirs));
    }
    let leader = seen.pods("svc-0-model-1-leader")[0];
    assert_eq!(leader["spec"]["serviceAccountName"], "default");
    assert_eq!(leader["spec"]["automountServiceAccountToken"], false);
    assert_eq!(leader["spec"]["volumes"], Value::Null, "no token");
}

/// `<PodClique>-` and five letters that form no word.
fn expect_name(pod: &Value, podclique: &str) {
    let name = name(pod);
    let end = name
        .strip_prefix(podclique)
        .and_then(|end| end.strip_prefix('-'))
        .unwrap();
    let is_ours = |c: char| "bcdfghjklmnpqrstvwxz2456789".contains(c);
    assert!(end.len() == 5 && end.chars().all(is_ours), "{name}");
}

/// The variables of every container, in Grove's order.
fn variables(namespace: &str, replica: &str, podclique: &str) -> [Value; 5] {
    let service = format!("svc-{replica}.{namespace}.svc.cluster.local");
    [
        json!({"name": "GROVE_PCS_NAME", "value": "svc"}),
        json!({"name": "GROVE_PCS_INDEX", "value": replica}),
        json!({"name": "GROVE_PCLQ_NAME", "value": podclique}),
        json!({"name": "GROVE_HEADLESS_SERVICE", "value": service}),
        from_label("GROVE_PCLQ_POD_INDEX", "grove.io/podclique-pod-index"),
    ]
}

fn list(first: &[Value], then: &[Value]) -> Value {
    Value::Array([first, then].concat())
}
