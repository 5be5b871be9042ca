//! A definition of ours that is missing: `tree`, `explain` and the commands that change sets name it, and
//! the command that restores it.

use api::PodCliqueSet;
use cli::cluster::load_named;
use cli::exit::{Exit, Failure};
use rstest::rstest;
use serde_json::json;

use crate::server::Server;

const GROVE: &str = "/apis/grove.io/v1alpha1/namespaces/ml";
const GANGS: &str = "/apis/scheduler.grove.io/v1alpha1/namespaces/ml/podgangs";
/// The API server's answer about a kind that it does not know.
const UNKNOWN: &str = "404 page not found\n";

/// Set `svc` without children.
fn server() -> Server {
    let server = Server::default();
    let spec = json!({"replicas": 1, "template": {"cliques": []}});
    let stored = json!({"metadata": {"name": "svc", "namespace": "ml"}, "spec": spec});
    server.put(&format!("{GROVE}/podcliquesets"), stored);
    let list = json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": []});
    let of_grove = ["podcliques", "podcliquescalinggroups"].map(|kind| format!("{GROVE}/{kind}"));
    let others = [GANGS.to_owned(), "/api/v1/namespaces/ml/pods".to_owned()];
    for empty in of_grove.iter().chain(&others) {
        server.answer(empty, 200, &list.to_string());
    }
    server
}

fn expect_definition(failure: &Failure, begin: &str, definition: &str) {
    let text = failure.to_string();
    let begin =
        format!("{begin}: definition {definition} is missing; restore it by `helm upgrade grove ");
    assert!(text.starts_with(&begin), "{text}");
    let apply = format!("`kubectl apply --server-side -f config/crd/{definition}.yaml`");
    assert!(text.ends_with(&apply), "{text}");
    assert_eq!(failure.exit(), Exit::NoCluster);
}

#[rstest]
#[case::gangs(GANGS.to_owned(), "list podgangs", "podgangs.scheduler.grove.io")]
#[case::podcliques(format!("{GROVE}/podcliques"), "list podcliques", "podcliques.grove.io")]
#[case::groups(
    format!("{GROVE}/podcliquescalinggroups"),
    "list podcliquescalinggroups",
    "podcliquescalinggroups.grove.io"
)]
#[case::sets(
    format!("{GROVE}/podcliquesets/svc"),
    "get podcliquesets",
    "podcliquesets.grove.io"
)]
#[tokio::test]
async fn a_missing_definition_is_named(
    #[case] path: String,
    #[case] request: &str,
    #[case] definition: &str,
) {
    let server = server();
    server.answer(&path, 404, UNKNOWN);
    let failure = load_named(&server.cluster(), "svc").await.unwrap_err();
    expect_definition(
        &failure,
        &format!("cannot {request} in namespace ml"),
        definition,
    );
}

/// The list of all sets, with `tree -A`.
#[tokio::test]
async fn the_list_of_sets_names_the_definition_too() {
    let server = server();
    server.answer("/apis/grove.io/v1alpha1/podcliquesets", 404, UNKNOWN);
    let listed = server.cluster().list_everywhere::<PodCliqueSet>("").await;
    let begin = "cannot list podcliquesets in all namespaces";
    expect_definition(&listed.unwrap_err(), begin, "podcliquesets.grove.io");
}

/// Of a kind that is served, an object that does not exist is no failure.
#[tokio::test]
async fn a_missing_object_is_no_missing_definition() {
    let cluster = server().cluster();
    assert!(
        cluster
            .get::<PodCliqueSet>("other")
            .await
            .unwrap()
            .is_none()
    );
    let failure = load_named(&cluster, "other").await.unwrap_err();
    assert_eq!(failure.exit(), Exit::NotFound, "{failure}");
}
