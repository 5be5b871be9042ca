//! The cluster of one test.

use std::io::Write as _;
use std::process::Stdio;

use localcluster::{Cluster, MANUAL_STATUS_LABEL, Options};
use serde_json::{Value, json};

use crate::processes;

#[test]
fn runs_pods_until_it_is_stopped() {
    let cluster = Cluster::start(&Options {
        nodes: 9,
        ..Options::default()
    })
    .unwrap();
    let dir = cluster.dir().to_owned();
    assert_eq!(
        processes::mentioning(&dir).len(),
        6,
        "the supervisor and five parts"
    );
    the_nodes_are_as_promised(&cluster);
    kwok_runs_pods_but_not_the_labelled(&cluster);

    cluster.stop().unwrap();
    assert_eq!(processes::mentioning(&dir), processes::NONE);
    assert!(!dir.exists());
}

fn the_nodes_are_as_promised(cluster: &Cluster) {
    let list = kubectl(cluster, &["get", "nodes", "--output=json"]);
    let nodes: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(nodes["items"].as_array().unwrap().len(), 9);
    let node = &nodes["items"][8];
    let labels = &node["metadata"]["labels"];
    assert_eq!(labels["kubernetes.io/hostname"], "node-8");
    assert_eq!(labels["topology.kubernetes.io/rack"], "rack-2");
    assert_eq!(labels["topology.kubernetes.io/zone"], "zone-1");
    let resources = json!({"cpu": "64", "memory": "256Gi", "nvidia.com/gpu": "8", "pods": "500"});
    assert_eq!(node["status"]["allocatable"], resources);
    let ready = [
        "wait",
        "--for=condition=Ready",
        "nodes",
        "--all",
        "--timeout=1s",
    ];
    kubectl(cluster, &ready);
}

fn kwok_runs_pods_but_not_the_labelled(cluster: &Cluster) {
    create(cluster, &pod("automatic", &json!({})));
    create(
        cluster,
        &pod("manual", &json!({MANUAL_STATUS_LABEL: "true"})),
    );
    for (pod, condition) in [("pod/automatic", "Ready"), ("pod/manual", "PodScheduled")] {
        let condition = format!("--for=condition={condition}");
        kubectl(cluster, &["wait", pod, &condition, "--timeout=60s"]);
    }
    let failed = r#"--patch={"status":{"phase":"Failed"}}"#;
    kubectl(
        cluster,
        &["patch", "pod/manual", "--subresource=status", failed],
    );
    let columns = "--output=jsonpath={.status.phase} {.status.podIP}";
    assert_eq!(kubectl(cluster, &["get", "pod/manual", columns]), "Failed ");
}

#[test]
fn a_part_that_cannot_start_is_named_with_its_log() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options {
        api_server_flags: vec!["--no-such-flag".into()],
        dir: Some(dir.path().to_owned()),
        ..Options::default()
    };
    let error = format!("{:#}", Cluster::start(&options).unwrap_err());
    assert!(error.contains("kube-apiserver: exit status 1"), "{error}");
    assert!(error.contains("unknown flag: --no-such-flag"), "{error}");
    assert_eq!(processes::mentioning(dir.path()), processes::NONE);
}

fn pod(name: &str, labels: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "none"}]},
    })
}

fn create(cluster: &Cluster, object: &Value) {
    let mut kubectl = cluster
        .kubectl(&["create", "-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    kubectl
        .stdin
        .take()
        .unwrap()
        .write_all(object.to_string().as_bytes())
        .unwrap();
    assert!(kubectl.wait().unwrap().success());
}

/// The output of a kubectl command, which must succeed.
fn kubectl(cluster: &Cluster, args: &[&str]) -> String {
    let output = cluster.kubectl(args).output().unwrap();
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
