//! The requests of a command to the API server.

use cli::cluster::load_workload;
use serde_json::json;

use crate::server::Server;

const GROVE: &str = "/apis/grove.io/v1alpha1/namespaces/ml";
const GANGS: &str = "/apis/scheduler.grove.io/v1alpha1/namespaces/ml/podgangs";
const PODS: &str = "/api/v1/namespaces/ml/pods";
const PAGE: &str = "500";

/// Two sets with more pods than fit a page.
fn server() -> Server {
    let server = Server::default();
    for set in ["svc", "other"] {
        let labels = json!({"app.kubernetes.io/part-of": set});
        let meta = |name: &str| json!({"name": format!("{set}{name}"), "namespace": "ml", "labels": labels});
        let spec = json!({"replicas": 1, "template": {"cliques": []}});
        let stored = json!({"metadata": {"name": set, "namespace": "ml"}, "spec": spec});
        server.put(&format!("{GROVE}/podcliquesets"), stored);
        let spec = json!({"replicas": 1, "minAvailable": 1, "cliqueNames": ["a"]});
        let groups = format!("{GROVE}/podcliquescalinggroups");
        server.put(
            &groups,
            json!({"metadata": meta("-0-workers"), "spec": spec}),
        );
        let spec = json!({"roleName": "a", "replicas": 1, "podSpec": {"containers": []}});
        let podcliques = format!("{GROVE}/podcliques");
        server.put(&podcliques, json!({"metadata": meta("-0-a"), "spec": spec}));
        server.put(
            GANGS,
            json!({"metadata": meta("-0"), "spec": {"podgroups": []}}),
        );
        for pod in 0..5 {
            server.put(PODS, json!({"metadata": meta(&format!("-0-a-{pod}"))}));
        }
    }
    server
}

/// The requests of a tree: one GET of the set, and for each kind a list by the set's label, page by
/// page, in the set's namespace.
#[tokio::test]
async fn a_workload_is_loaded_by_the_label_of_its_set() {
    let server = server();
    let workload = load_workload(&server.cluster(), "svc").await.unwrap();
    assert_eq!(workload.pods.len(), 5, "all pages");
    let counts = (
        workload.groups.len(),
        workload.podcliques.len(),
        workload.gangs.len(),
    );
    assert_eq!(counts, (1, 1, 1), "those of the set");

    let asked = server.asked();
    let (set, lists) = asked.split_first().unwrap();
    assert_eq!(set.path, format!("{GROVE}/podcliquesets/svc"));
    for list in lists {
        let of = |key: &str| list.query.get(key).map(String::as_str);
        assert_eq!(
            of("labelSelector"),
            Some("app.kubernetes.io/part-of=svc"),
            "{list:?}"
        );
        assert_eq!(of("limit"), Some(PAGE), "{list:?}");
        assert_eq!(list.method, "GET", "{list:?}");
    }
    let mut paths: Vec<&str> = lists.iter().map(|list| &*list.path).collect();
    paths.sort_unstable();
    let groups = format!("{GROVE}/podcliquescalinggroups");
    let podcliques = format!("{GROVE}/podcliques");
    // 5 pods are three pages of this server.
    assert_eq!(paths, [PODS, PODS, PODS, &podcliques, &groups, GANGS]);
}

/// An overview lists sets only.
#[tokio::test]
async fn an_overview_lists_sets_only() {
    let server = server();
    let sets = "/apis/grove.io/v1alpha1/podcliquesets";
    for name in ["a", "b", "c"] {
        let spec = json!({"replicas": 1, "template": {"cliques": []}});
        server.put(
            sets,
            json!({"metadata": {"name": name, "namespace": "ml"}, "spec": spec}),
        );
    }
    let found = server
        .cluster()
        .list_everywhere::<api::PodCliqueSet>("")
        .await;
    assert_eq!(found.unwrap().len(), 3);
    let asked = server.asked();
    let is_paged = |a: &crate::server::Asked| a.query.get("limit").is_some_and(|l| l == PAGE);
    assert!(
        asked.iter().all(|a| a.path == sets && is_paged(a)),
        "{asked:?}"
    );
    assert_eq!(asked.len(), 2);
}
