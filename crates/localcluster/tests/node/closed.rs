//! Access to a cluster with real nodes.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use localcluster::{Cluster, Node, Options};

use crate::kubectl::{printed, refusal};
use crate::processes;

const UNAUTHORIZED: &str = "must be logged in";

#[test]
fn no_client_gets_in_without_a_certificate() {
    let cluster = Cluster::start(&Options {
        nodes: 0,
        real_nodes: 2,
        ..Options::default()
    })
    .unwrap();
    let url = server_of(&cluster);
    only_the_api_server_listens_on_the_machine(&cluster, &url);
    let port = url.rsplit(':').next().unwrap();
    let servers = [
        url.clone(),
        format!("https://10.2.0.1:{port}"),
        "https://10.2.0.11:10250".to_owned(),
    ];
    for server in &servers {
        refused_from_another_network(&cluster, server);
    }
    let anonymous = refusal(&mut anonymous(&cluster, &url));
    assert!(anonymous.contains(UNAUTHORIZED), "{anonymous}");
    for server in &servers[1..] {
        refused_from(&cluster, &cluster.nodes()[1], server);
    }
    a_kubelet_may_only_what_its_node_needs(&cluster, &cluster.nodes()[0]);
    cluster.stop().unwrap();
}

fn server_of(cluster: &Cluster) -> String {
    let minified = "--output=jsonpath={.clusters[0].cluster.server}";
    printed(&mut cluster.kubectl(&["config", "view", minified]))
}

/// One port, on the loopback; etcd and the connections to the nodes are files in the cluster's
/// folder.
fn only_the_api_server_listens_on_the_machine(cluster: &Cluster, url: &str) {
    let sockets = printed(Command::new("ss").args(["-lntupH"]));
    let pids = processes::mentioning(cluster.dir());
    let ours = sockets.lines().filter(|line| {
        let owner = |pid: &u32| line.contains(&format!("pid={pid},"));
        pids.iter().any(owner)
    });
    let addresses: BTreeSet<_> = ours
        .filter_map(|line| line.split_whitespace().nth(4))
        .collect();
    assert_eq!(
        addresses,
        BTreeSet::from([url.trim_start_matches("https://")])
    );
}

/// A request without any identity.
fn anonymous(cluster: &Cluster, server: &str) -> Command {
    let mut kubectl = Command::new(cluster.bin().join("kubectl"));
    kubectl.args(anonymous_args(server));
    kubectl.stdin(std::process::Stdio::null());
    kubectl
}

fn anonymous_args(server: &str) -> Vec<String> {
    [
        "--kubeconfig=/dev/null",
        // kubectl would prompt for a name. Kubernetes ignores it: the request has no identity.
        "--username=nobody",
        "--password=none",
        "--insecure-skip-tls-verify",
        "--request-timeout=5s",
    ]
    .into_iter()
    .map(str::to_owned)
    .chain([
        format!("--server={server}"),
        "get".into(),
        "--raw=/healthz".into(),
    ])
    .collect()
}

fn refused_from_another_network(cluster: &Cluster, server: &str) {
    let kubectl = cluster.bin().join("kubectl");
    let mut elsewhere = Command::new("unshare");
    elsewhere
        .arg("--net")
        .arg(kubectl)
        .args(anonymous_args(server));
    let said = refusal(&mut elsewhere);
    assert!(
        said.contains("unreachable") || said.contains("refused"),
        "{server}: {said}"
    );
}

fn refused_from(cluster: &Cluster, node: &Node, server: &str) {
    let kubectl = cluster.bin().join("kubectl").display().to_string();
    let args = anonymous_args(server);
    let words: Vec<&str> = [kubectl.as_str()]
        .into_iter()
        .chain(args.iter().map(String::as_str))
        .collect();
    let said = refusal(&mut node.exec(&words).unwrap());
    assert!(
        said.contains(UNAUTHORIZED),
        "{server} from {}: {said}",
        node.name()
    );
}

fn a_kubelet_may_only_what_its_node_needs(cluster: &Cluster, node: &Node) {
    let kubectl = cluster.bin().join("kubectl").display().to_string();
    let identity = node.dir().join("config/kubelet.kubeconfig");
    assert!(fs::exists(&identity).unwrap());
    let identity = format!("--kubeconfig={}", identity.display());
    let ask = |args: &[&str]| {
        let words = [&[kubectl.as_str(), &identity], args].concat();
        node.exec(&words).unwrap()
    };
    printed(&mut ask(&["get", "node", "node-1"]));
    let forbidden: [&[&str]; 3] = [
        &["label", "node", "node-2", "a=b"],
        &[
            "label",
            "node",
            "node-1",
            "node-restriction.kubernetes.io/a=b",
        ],
        &["get", "secrets", "--all-namespaces"],
    ];
    for args in forbidden {
        let said = refusal(&mut ask(args));
        assert!(said.contains("orbidden"), "{args:?}: {said}");
    }
}
