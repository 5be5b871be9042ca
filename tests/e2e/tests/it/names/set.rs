use serde_json::{Value, json};

use super::{expect_metadata, namespace};
use crate::harness::seen::controlled_by;

/// Grove creates a ServiceAccount, a Role, a RoleBinding and a Secret with a token for each set.
#[test]
fn no_account_and_no_rights_are_created() {
    let ns = namespace("names-set");
    let seen = ns.look().unwrap();
    let set = seen.one("PodCliqueSet", "svc").unwrap();
    assert_eq!(
        set["metadata"]["finalizers"],
        json!(["grove.io/podcliqueset.grove.io"])
    );
    for power in ["ServiceAccount", "Role", "RoleBinding"] {
        seen.expect_names(power, &[]).unwrap();
    }
    assert_eq!(ns.kubectl(&["get", "secrets", "--output=name"]), "");
}

#[test]
fn each_replica_has_the_headless_service_of_grove() {
    let ns = namespace("names-service");
    let seen = ns.look().unwrap();
    let set = seen.one("PodCliqueSet", "svc").unwrap();
    seen.expect_names("Service", &["svc-0", "svc-1"]).unwrap();
    for index in ["0", "1"] {
        let name = format!("svc-{index}");
        let service = seen.one("Service", &name).unwrap();
        let mut should = metadata(set, &name, "pcs-headless-service");
        should["labels"]["grove.io/podcliqueset-replica-index"] = json!(index);
        expect_metadata(service, &should);
        let spec = &service["spec"];
        assert_eq!(spec["clusterIP"], "None");
        assert_eq!(spec["type"], "ClusterIP");
        assert_eq!(spec["ports"], Value::Null);
        // The API server omits it if it is false.
        assert_ne!(spec["publishNotReadyAddresses"], true);
        let selector = json!({
            "app.kubernetes.io/managed-by": "grove-operator",
            "app.kubernetes.io/part-of": "svc",
            "grove.io/podcliqueset-replica-index": index,
        });
        assert_eq!(spec["selector"], selector);
    }
}

/// Metadata of an object that the set controls.
fn metadata(set: &Value, name_label: &str, component: &str) -> Value {
    json!({
        "labels": {
            "app.kubernetes.io/name": name_label,
            "app.kubernetes.io/managed-by": "grove-operator",
            "app.kubernetes.io/part-of": "svc",
            "app.kubernetes.io/component": component,
        },
        "ownerReferences": controlled_by(set),
    })
}
