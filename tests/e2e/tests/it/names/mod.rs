//! Every name, label, annotation, variable and owner, literally as the Go operator sets them. Our
//! additions are marked.

mod gang;
mod group;
mod pod;
mod podclique;
mod set;

use serde_json::{Value, json};

use crate::harness::seen::gates;
use crate::harness::{Namespace, Seen, same};

/// A namespace with all objects of `manifests/names.yaml` except the scaled gangs; all pods except
/// theirs are released.
fn namespace(purpose: &str) -> Namespace<'static> {
    let ns = Namespace::new(purpose);
    ns.apply_file("tests/e2e/tests/it/manifests/names.yaml");
    ns.until("all pods and base gangs", |seen| {
        seen.expect_names("PodGang", &["svc-0", "svc-1"])?;
        let pods = seen.all("Pod");
        let ours = "grove.io/podgang-pending-creation";
        let held = pods.iter().filter(|pod| gates(pod).contains(&ours)).count();
        same("(pods, held pods)", &(pods.len(), held), &(20, 8))?;
        seen.all("PodClique").iter().try_for_each(|podclique| {
            let (status, spec) = (&podclique["status"], &podclique["spec"]);
            same("pods seen", &status["updatedReplicas"], &spec["replicas"])
        })
    });
    ns
}

/// Fails unless labels, annotations, finalizers and owners are exactly these.
fn expect_metadata(object: &Value, should: &Value) {
    let meta = &object["metadata"];
    for key in ["labels", "annotations", "finalizers", "ownerReferences"] {
        assert_eq!(meta[key], should[key], "{key} of {}", meta["name"]);
    }
}

/// The hash of the pod template, which only has to be the same everywhere.
fn template_hash(seen: &Seen, podclique: &str) -> Value {
    let podclique = seen.one("PodClique", podclique).unwrap();
    let hash = &podclique["metadata"]["labels"]["grove.io/pod-template-hash"];
    assert!(hash.as_str().is_some_and(|hash| !hash.is_empty()));
    assert_eq!(podclique["status"]["currentPodTemplateHash"], *hash);
    hash.clone()
}

/// A variable with the value of a label of the pod.
fn from_label(name: &str, label: &str) -> Value {
    let path = format!("metadata.labels['{label}']");
    json!({"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}})
}
