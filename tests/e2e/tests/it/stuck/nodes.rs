//! Pods without a node, and pods on a node that do not run there.

use serde_json::{Value, json};

use super::{is_mended, is_stuck, set_with};
use crate::harness::manifest::{clique, held_clique, set};
use crate::harness::{Namespace, condition, same};

#[test]
fn no_gpu() {
    let ns = Namespace::new("stuck-gpu");
    let gpu = json!({"limits": {"nvidia.com/gpu": "100"}});
    let container = json!({"name": "main", "image": "example/main:1", "resources": gpu});
    ns.apply(&set_with(&json!({"containers": [container]})));
    is_stuck(
        &ns,
        "InsufficientResources",
        "0/2 pods scheduled: 0/20 nodes are available: 20 Insufficient nvidia.com/gpu",
    );
}

/// The scheduler reports it as it reports nodes without room.
#[test]
fn a_misspelt_gpu() {
    let ns = Namespace::new("stuck-misspelt");
    let gpu = json!({"limits": {"nvidia.com/gpus": "1"}});
    let container = json!({"name": "main", "image": "example/main:1", "resources": gpu});
    ns.apply(&set_with(&json!({"containers": [container]})));
    ns.until("the cause is named", |seen| {
        let ready = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
        same("Ready", &ready, &"False/InsufficientResources".to_owned())
    });
    let text = ns.grove_words(&["explain", "svc"]);
    let field = "`spec.template.cliques[0].spec.podSpec.containers[0].resources.limits`";
    let remedy = format!(
        "Remedy no node has nvidia.com/gpus; did you mean nvidia.com/gpu? Write it into {field} with \
         `kubectl edit podcliqueset svc -n {}` Next",
        ns.name
    );
    assert!(text.contains(&remedy), "{text}");
}

#[test]
fn a_selector_that_no_node_matches() {
    let ns = Namespace::new("stuck-selector");
    ns.apply(&set_with(
        &json!({"nodeSelector": {"example.com/rack": "none"}}),
    ));
    is_stuck(
        &ns,
        "NodeSelectorUnmatched",
        "20 node(s) didn't match Pod's node affinity/selector",
    );
}

#[test]
fn a_claim_that_does_not_exist() {
    let ns = Namespace::new("stuck-claim");
    let claim = json!({"name": "data", "persistentVolumeClaim": {"claimName": "weights"}});
    ns.apply(&set_with(&json!({"volumes": [claim]})));
    is_stuck(
        &ns,
        "VolumeUnavailable",
        "persistentvolumeclaim \"weights\" not found",
    );
}

#[test]
fn a_gate_of_another_controller() {
    let ns = Namespace::new("stuck-gate");
    ns.apply(&set_with(
        &json!({"schedulingGates": [{"name": "example.com/queue"}]}),
    ));
    is_stuck(
        &ns,
        "ForeignSchedulingGate",
        "waits for another controller to remove scheduling gate example.com/queue",
    );
    let pods = ns.kubectl(&["get", "pods", "--output=name"]);
    let open = "--patch=[{\"op\":\"remove\",\"path\":\"/spec/schedulingGates/0\"}]";
    for pod in pods.lines() {
        ns.kubectl(&["patch", pod, "--type=json", open]);
    }
    is_mended(&ns);
}

/// Its pods are on nodes, with container states that this test writes.
fn on_nodes(purpose: &str, state: &Value) -> Namespace<'static> {
    let ns = Namespace::new(purpose);
    ns.apply(&set("svc", &[held_clique("worker", 2)], &[]));
    let pods = ns.until("its pods are on nodes", |seen| {
        let pods = seen.pods("svc-0-worker");
        let on_nodes = pods.iter().filter(|p| p["spec"]["nodeName"].is_string());
        let names: Vec<String> = on_nodes
            .map(|p| p["metadata"]["name"].as_str().unwrap().to_owned())
            .collect();
        (names.len() == 2)
            .then_some(names)
            .ok_or_else(|| "not yet".to_owned())
    });
    let mut container = json!({
        "name": "main", "image": "example/main:1", "imageID": "", "ready": false, "restartCount": 4,
    });
    let all = container.as_object_mut().unwrap();
    all.extend(state.as_object().unwrap().clone());
    let status = json!({"status": {"phase": "Running", "containerStatuses": [container]}});
    for pod in pods {
        let patch = format!("--patch={status}");
        ns.kubectl(&["patch", "pod", &pod, "--subresource=status", &patch]);
    }
    ns
}

#[test]
fn an_image_that_cannot_be_pulled() {
    let waiting = json!({"waiting": {"reason": "ImagePullBackOff", "message": "Back-off"}});
    let ns = on_nodes("stuck-image", &json!({"state": waiting}));
    is_stuck(
        &ns,
        "ImagePullFailed",
        "container main: image registry.k8s.io/pause:3.10 cannot be pulled",
    );
    mend(&ns);
}

#[test]
fn a_container_that_crashes_again_and_again() {
    let waiting = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}});
    let ended = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled"}});
    let ns = on_nodes(
        "stuck-crash",
        &json!({"state": waiting, "lastState": ended}),
    );
    is_stuck(
        &ns,
        "CrashLoop",
        "container main: crashed with OOMKilled, exit code 137, restarted 4 times",
    );
    mend(&ns);
}

fn mend(ns: &Namespace<'_>) {
    for pod in ns.kubectl(&["get", "pods", "--output=name"]).lines() {
        ns.set_pod_ready(pod.trim_start_matches("pod/"));
    }
    is_mended(ns);
}

/// The steps of a kubelet (`localcluster`, `stages/crash-loops.yaml`): the pod is Ready for a
/// moment between two ends, and its exit code may be 0.
#[test]
fn a_crash_loop_may_have_any_exit_code() {
    let ns = Namespace::new("stuck-loops");
    for (name, code) in [("zero", "0"), ("one", "1")] {
        let mut looping = clique("a", 1);
        looping["annotations"] = json!({"example.com/crash-loops": code});
        ns.apply(&set(name, &[looping], &[]));
    }
    for name in ["zero", "one"] {
        ns.until("it is in a crash loop", |seen| {
            let ready = condition(seen.one("PodCliqueSet", name)?, "Ready");
            same(name, &ready, &"False/CrashLoop".to_owned())
        });
    }
}
