//! Disturbances of nodes by tests: nodes are lost or cut off, and kubelets are stopped.

use std::thread;
use std::time::{Duration, Instant};

use localcluster::{Cluster, Node, Options};
use serde_json::json;

use crate::kubectl::{create, printed, said};

#[test]
fn a_node_is_cut_off_and_lost_and_comes_back() {
    let cluster = Cluster::start(&Options {
        nodes: 1,
        real_nodes: 2,
        ..Options::default()
    })
    .unwrap();
    images_are_loaded(&cluster);
    let mut node = cluster.nodes()[1].clone();
    a_link_is_cut_and_mended(&cluster, &node);
    a_kubelet_stops_and_goes_on(&cluster, &node);

    node.lose().unwrap();
    assert!(!node.is_running());
    assert!(node.exec(&["true"]).is_err());
    node.bring_back().unwrap();
    // The kubelet starts the pod again, with the data on the node's disk.
    until("the pod restarts", || restarts(&cluster) == "1");
    cluster.stop().unwrap();
}

fn images_are_loaded(cluster: &Cluster) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(cluster.bin().join("../pause"), folder.path().join("wait")).unwrap();
    let config = json!({"Entrypoint": ["/wait"]});
    cluster
        .load_image("example.com/wait:1", folder.path(), &config)
        .unwrap();
    create(
        cluster.kubectl(&[]),
        &json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "waits"},
            "spec": {"nodeName": "node-2", "containers": [{"name": "main", "image": "example.com/wait:1"}]},
        }),
    );
    let ready = [
        "wait",
        "--for=condition=Ready",
        "pod/waits",
        "--timeout=60s",
    ];
    printed(&mut cluster.kubectl(&ready));
    let kwok = [
        "wait",
        "--for=condition=Ready",
        "node/kwok-0",
        "--timeout=60s",
    ];
    printed(&mut cluster.kubectl(&kwok));
}

fn a_link_is_cut_and_mended(cluster: &Cluster, node: &Node) {
    assert!(kubelet_answers(cluster));
    node.cut_link().unwrap();
    assert!(!kubelet_answers(cluster));
    node.mend_link().unwrap();
    until("the link is back", || kubelet_answers(cluster));
}

fn a_kubelet_stops_and_goes_on(cluster: &Cluster, node: &Node) {
    node.stop_kubelet().unwrap();
    assert!(!kubelet_answers(cluster));
    node.continue_kubelet().unwrap();
    until("the kubelet is back", || kubelet_answers(cluster));
}

fn kubelet_answers(cluster: &Cluster) -> bool {
    let ask = [
        "get",
        "--raw=/api/v1/nodes/node-2/proxy/healthz",
        "--request-timeout=2s",
    ];
    let output = cluster.kubectl(&ask).output().unwrap();
    output.status.success() && said(&output).trim() == "ok"
}

fn restarts(cluster: &Cluster) -> String {
    let count = "--output=jsonpath={.status.containerStatuses[0].restartCount}";
    printed(&mut cluster.kubectl(&["get", "pod/waits", count]))
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < deadline, "not within a minute: {what}");
        thread::sleep(Duration::from_millis(100));
    }
}
