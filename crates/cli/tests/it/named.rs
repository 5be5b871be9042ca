//! From the name that a person has to the set.

use clap::CommandFactory;
use cli::args::Args;
use cli::cluster::{
    NamedKind, find_replica, find_set, load_named, nearest_name, parse_name, parse_set_name,
};
use cli::edit::{SetEdit, edit_set};
use cli::exit::{Exit, Failure};
use rstest::rstest;
use serde_json::{Value, json};

use crate::server::Server;

const GROVE: &str = "/apis/grove.io/v1alpha1/namespaces/ml";
const PODS: &str = "/api/v1/namespaces/ml/pods";

#[rstest]
#[case("llm", None, "llm")]
#[case("pcs/llm", Some(NamedKind::Set), "llm")]
#[case("podcliqueset.grove.io/llm", Some(NamedKind::Set), "llm")]
#[case("PodClique/llm-0-a", Some(NamedKind::Clique), "llm-0-a")]
#[case("pcsg/llm-0-g", Some(NamedKind::Group), "llm-0-g")]
#[case("podgang.scheduler.grove.io/llm-0", Some(NamedKind::Gang), "llm-0")]
#[case("pod/llm-0-a-bcdfg", Some(NamedKind::Pod), "llm-0-a-bcdfg")]
fn names_are_those_of_kubectl(
    #[case] text: &str,
    #[case] kind: Option<NamedKind>,
    #[case] name: &str,
) {
    let asked = parse_name(text).unwrap();
    assert_eq!((asked.kind, asked.name), (kind, name));
}

#[test]
fn another_type_is_refused_with_the_known_ones() {
    let failure = parse_name("deployment/llm").unwrap_err();
    assert_eq!(failure.exit(), Exit::BadInput);
    assert!(
        failure.to_string().contains("pcs, pcsg, pclq, pg, po"),
        "{failure}"
    );
}

/// Commands that change a set take its name only.
#[rstest]
#[case("llm", Some("llm"))]
#[case("podcliquesets/llm", Some("llm"))]
#[case("pod/llm-0-a", None)]
#[case("deployment/llm", None)]
fn the_name_of_a_set(#[case] text: &str, #[case] name: Option<&str>) {
    assert_eq!(parse_set_name(text).ok().as_deref(), name);
}

#[rstest]
fn each_command_that_changes_a_set_takes_its_name_with_a_type(
    #[values("pause", "unpause", "undo", "suspend", "resume")] command: &str,
) {
    let named = |text: &str| {
        let matches = Args::command().try_get_matches_from(["kubectl-grove", command, text]);
        let name = |(_, own): (&str, &clap::ArgMatches)| own.get_one::<String>("name").cloned();
        matches.map(|matches| matches.subcommand().and_then(name))
    };
    assert_eq!(named("podcliqueset/llm").unwrap().as_deref(), Some("llm"));
    let refusal = named("pclq/llm-0-a").unwrap_err().to_string();
    assert!(refusal.contains("name the set"), "{refusal}");
}

#[rstest]
#[case("llmm", Some("llm"))]
#[case("prefll", Some("prefill"))]
#[case("something-else", None)]
fn the_nearest_name_is_proposed(#[case] name: &str, #[case] meant: Option<&str>) {
    let names = ["llm", "prefill"].map(str::to_owned);
    assert_eq!(nearest_name(&names, name), meant);
}

/// Set `svc` with a PodClique and a pod.
fn server() -> Server {
    let server = Server::default();
    let labels = json!({"app.kubernetes.io/part-of": "svc"});
    let meta = |name: &str| json!({"name": name, "namespace": "ml", "labels": labels});
    let spec = json!({"replicas": 1, "template": {"cliques": []}});
    let stored = json!({"metadata": {"name": "svc", "namespace": "ml"}, "spec": spec});
    server.put(&format!("{GROVE}/podcliquesets"), stored);
    let spec = json!({"roleName": "a", "replicas": 1, "podSpec": {"containers": []}});
    let podclique = json!({"metadata": meta("svc-0-a"), "spec": spec});
    server.put(&format!("{GROVE}/podcliques"), podclique);
    server.put(PODS, json!({"metadata": meta("svc-0-a-bcdfg")}));
    for empty in [
        "/apis/grove.io/v1alpha1/namespaces/ml/podcliquescalinggroups",
        "/apis/scheduler.grove.io/v1alpha1/namespaces/ml/podgangs",
    ] {
        let list = json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": []});
        server.answer(empty, 200, &list.to_string());
    }
    server
}

#[rstest]
#[case("svc", None)]
#[case("pcs/svc", None)]
#[case("svc-0-a", Some(NamedKind::Clique))]
#[case("pod/svc-0-a-bcdfg", Some(NamedKind::Pod))]
#[case("svc-0-a-bcdfg", Some(NamedKind::Pod))]
#[tokio::test]
async fn a_set_is_found_by_any_of_its_objects(#[case] text: &str, #[case] kind: Option<NamedKind>) {
    let server = server();
    let loaded = load_named(&server.cluster(), text).await.unwrap();
    assert_eq!(loaded.workload.set.metadata.name.as_deref(), Some("svc"));
    assert_eq!(loaded.child.as_ref().map(|(kind, _)| *kind), kind);
    let is_pod = kind == Some(NamedKind::Pod);
    assert_eq!(loaded.pod(), is_pod.then_some("svc-0-a-bcdfg"));
    assert_eq!(find_set(&server.cluster(), text).await.unwrap(), "svc");
}

/// `restart` takes a set, or one of its replicas by any of its objects.
#[rstest]
#[case("svc", None)]
#[case("pcs/svc", None)]
#[case("svc-2", Some(2))]
#[case("pg/svc-0", Some(0))]
#[case("svc-0-a", Some(0))]
#[case("pod/svc-0-a-bcdfg", Some(0))]
#[tokio::test]
async fn a_replica_is_found_by_any_of_its_objects(
    #[case] text: &str,
    #[case] replica: Option<i32>,
) {
    let found = find_replica(&server().cluster(), text).await.unwrap();
    assert_eq!(found, ("svc".to_owned(), replica));
}

#[tokio::test]
async fn a_name_of_no_replica_is_answered_as_that_of_no_set() {
    let failure = find_replica(&server().cluster(), "svx").await.unwrap_err();
    assert_eq!(failure.exit(), Exit::NotFound);
    assert!(
        failure.to_string().contains("did you mean svc?"),
        "{failure}"
    );
}

#[tokio::test]
async fn an_unknown_name_is_answered_with_the_nearest_one() {
    let failure = find_set(&server().cluster(), "svx").await.unwrap_err();
    assert_eq!(failure.exit(), Exit::NotFound);
    let text = failure.to_string();
    for words in [
        "podcliqueset svx not found in namespace ml",
        "did you mean svc?",
        "`kubectl grove tree -A` lists them all",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

/// Sets of that name in these namespaces.
fn put_elsewhere(server: &Server, name: &str, namespaces: &[&str]) {
    for namespace in namespaces {
        let set = json!({"metadata": {"name": name, "namespace": namespace}});
        server.put("/apis/grove.io/v1alpha1/podcliquesets", set);
    }
}

#[rstest]
#[case::one(&["b"], "; there is one in namespace b: `kubectl grove tree svx -n b`")]
#[case::two(
    &["c", "b"],
    "; there is one in each of the namespaces b, c: `kubectl grove tree svx -n b`"
)]
#[tokio::test]
async fn a_set_of_another_namespace_is_named(#[case] namespaces: &[&str], #[case] words: &str) {
    let server = server();
    put_elsewhere(&server, "svx", namespaces);
    put_elsewhere(&server, "other", &["d"]);
    let failure = load_named(&server.cluster(), "svx").await.unwrap_err();
    assert_eq!(failure.exit(), Exit::NotFound);
    let text = failure.to_string();
    assert!(text.ends_with(words), "{text}");
    let asked = server.asked();
    let everywhere = "/apis/grove.io/v1alpha1/podcliquesets";
    let list = asked.iter().find(|asked| asked.path == everywhere).unwrap();
    let selector = list.query.get("fieldSelector").map(String::as_str);
    assert_eq!(selector, Some("metadata.name=svx"));
}

/// Without the right to read pods nobody knows whether one has that name.
#[tokio::test]
async fn a_kind_that_cannot_be_read_is_no_absent_child() {
    let server = server();
    server.forbid(&format!("{PODS}/svx"));
    let failure = find_set(&server.cluster(), "svx").await.unwrap_err();
    assert_eq!(failure.exit(), Exit::NoCluster);
    let text = failure.to_string();
    for words in [
        "podcliqueset svx not found in namespace ml; did you mean svc?",
        "has that name is not known: cannot get pods in namespace ml: you are not allowed to",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

/// Another kind that cannot be read does not matter.
#[tokio::test]
async fn a_pod_is_found_without_the_right_to_read_gangs() {
    let server = server();
    server.forbid("/apis/scheduler.grove.io/v1alpha1/namespaces/ml/podgangs/svc-0-a-bcdfg");
    let set = find_set(&server.cluster(), "svc-0-a-bcdfg").await.unwrap();
    assert_eq!(set, "svc");
}

async fn edit(server: &Server, name: &str) -> Failure {
    let edit = SetEdit {
        name,
        command: "restart",
        is_dry_run: false,
    };
    let plan = async |_: &Value| -> Result<((), Option<Value>), Failure> { Ok(((), None)) };
    edit_set(&server.cluster(), &edit, plan).await.unwrap_err()
}

/// Commands that change a set answer as those that show it.
#[rstest]
#[case::nearest("svx", "did you mean svc?")]
#[case::child("svc-0-a", ": that is a podclique of podcliqueset svc; name the set")]
#[case::pod("svc-0-a-bcdfg", ": that is a pod of podcliqueset svc; name the set")]
#[tokio::test]
async fn an_edit_of_a_set_that_does_not_exist(#[case] name: &str, #[case] words: &str) {
    let failure = edit(&server(), name).await;
    assert_eq!(failure.exit(), Exit::NotFound);
    let text = failure.to_string();
    assert!(text.contains(words), "{text}");
    assert!(
        text.starts_with(&format!("podcliqueset {name} not found in namespace ml")),
        "{text}"
    );
}

/// Somebody deletes the set after it was read.
#[tokio::test]
async fn an_edit_of_a_set_that_is_deleted_meanwhile() {
    let server = server();
    let path = "/apis/grove.io/v1alpha1/namespaces/ml/podcliquesets/svc";
    let gone = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
        "reason": "NotFound", "message": "podcliquesets.grove.io \"svc\" not found",
    });
    let edit = SetEdit {
        name: "svc",
        command: "restart",
        is_dry_run: false,
    };
    let plan = async |_: &Value| -> Result<((), Option<Value>), Failure> {
        server.answer(path, 404, &gone.to_string());
        Ok(((), Some(json!({}))))
    };
    let edited = edit_set(&server.cluster(), &edit, plan).await;
    let failure = edited.unwrap_err();
    assert_eq!(failure.exit(), Exit::NotFound, "{failure}");
}

/// The set is absent, whatever its children are.
#[tokio::test]
async fn an_edit_ends_as_one_of_an_absent_set_without_rights() {
    let server = server();
    server.forbid(&format!("{PODS}/svx"));
    let failure = edit(&server, "svx").await;
    assert_eq!(failure.exit(), Exit::NotFound);
    assert!(failure.to_string().contains("cannot get pods"), "{failure}");
}
