use serde_json::json;

use super::{expect_metadata, namespace};
use crate::harness::seen::controlled_by;

#[test]
fn podcliquescalinggroups_are_as_grove_makes_them() {
    let ns = namespace("names-group");
    let seen = ns.look().unwrap();
    let groups = ["svc-0-model", "svc-1-model"];
    seen.expect_names("PodCliqueScalingGroup", &groups).unwrap();
    for (index, name) in groups.into_iter().enumerate() {
        let group = seen.one("PodCliqueScalingGroup", name).unwrap();
        let should = json!({
            "labels": {
                "app.kubernetes.io/name": name,
                "app.kubernetes.io/managed-by": "grove-operator",
                "app.kubernetes.io/part-of": "svc",
                "app.kubernetes.io/component": "pcs-podcliquescalinggroup",
                "grove.io/podcliqueset-replica-index": index.to_string(),
            },
            "annotations": {
                "example.com/shard": "true",
                // Ours.
                "grove.io/template-replicas": "2",
            },
            "finalizers": ["grove.io/podcliquescalinggroup.grove.io"],
            "ownerReferences": controlled_by(seen.one("PodCliqueSet", "svc").unwrap()),
        });
        expect_metadata(group, &should);
        let spec = json!({
            "cliqueNames": ["leader", "worker"],
            "replicas": 2,
            "minAvailable": 1,
            // Ours.
            "workloadType": "Inference",
        });
        assert_eq!(group["spec"], spec);
    }
}
