//! Lists and watches of the simulated API server, without an operator.

use std::time::Duration;

use serde_json::{Value, json};
use sim::service::{Event, Reply, Server, Watch};
use sim::{Answer, Call, Id, Resource, Store};

use crate::ring::in_paused_time;

const PODS: &str = "/api/v1/pods";

/// A server with these pods, each with label `team`.
fn server(pods: &[(&str, &str)]) -> Server {
    let began = testkit::builders::after(0);
    let mut store = Store::new(began);
    for (name, team) in pods {
        let pod = json!({"metadata": {"name": name, "labels": {"team": team}}, "spec": {}});
        let path = Resource::Pod.path("default");
        assert_eq!(
            store.handle("user", &Call::new("POST", &path, pod)).code,
            201
        );
    }
    Server::new(store, std::sync::Arc::new(move || began))
}

fn serve(server: &Server, path: &str, query: &str) -> Reply {
    server.serve("user", &Call::new("GET", path, Value::Null), query)
}

fn list(server: &Server, path: &str, query: &str) -> Answer {
    match serve(server, path, query) {
        Reply::Answer(answer) => answer,
        Reply::Watch(_) => panic!("a watch"),
    }
}

fn watch(server: &Server, query: &str) -> Watch {
    let version = server.with_store(|store| store.version());
    let query = format!("watch=true&resourceVersion={version}&{query}");
    match serve(server, PODS, &query) {
        Reply::Watch(watch) => watch,
        Reply::Answer(answer) => panic!("{answer:?}"),
    }
}

fn names(answer: &Answer) -> Vec<&str> {
    let items = answer.body["items"].as_array().unwrap().iter();
    items.map(sim::view::name).collect()
}

fn relabel(server: &Server, name: &str, team: &str) {
    let id = Id::new(Resource::Pod, name);
    server.with_store(|store| {
        store.edit("user", &id, |pod| {
            pod["metadata"]["labels"]["team"] = json!(team);
        });
    });
}

fn describe_event(event: Option<Event>) -> (String, String) {
    let event = event.unwrap();
    let name = sim::view::name(&event.object).to_owned();
    (event.type_.to_string(), name)
}

fn is(type_: &str, name: &str) -> (String, String) {
    (type_.to_owned(), name.to_owned())
}

#[test]
fn all_pages_of_a_list_are_of_one_version() {
    let server = server(&[("a", "x"), ("b", "x"), ("c", "x")]);
    let first = list(&server, PODS, "limit=2");
    assert_eq!(names(&first), ["a", "b"]);
    server.with_store(|store| store.remove("user", &Id::new(Resource::Pod, "c")));
    let token = first.body["metadata"]["continue"].as_str().unwrap();
    let second = list(&server, PODS, &format!("limit=2&continue={token}"));
    assert_eq!(names(&second), ["c"]);
    let version = |page: &Answer| page.body["metadata"]["resourceVersion"].clone();
    assert_eq!(version(&first), version(&second));
    assert_eq!(second.body["metadata"]["continue"], Value::Null);
    assert_eq!(names(&list(&server, PODS, "")), ["a", "b"]);
    server.configure(|options| options.compacted = 1_000);
    let expired = list(&server, PODS, &format!("limit=2&continue={token}"));
    assert_eq!(expired.code, 410);
}

#[test]
fn selectors_select_matching_objects() {
    let server = server(&[("a", "x"), ("b", "y")]);
    let selected = |selector: &str| {
        let query: String = format!("labelSelector={selector}");
        names(&list(&server, PODS, &query)).join(" ")
    };
    assert_eq!(selected("team%3Dx"), "a");
    assert_eq!(selected("team%21%3Dx"), "b");
    assert_eq!(selected("team"), "a b");
    assert_eq!(selected("%21team"), "");
    assert_eq!(selected("other%21%3Dx,team%3D%3Dy"), "b");
    assert_eq!(list(&server, PODS, "labelSelector=team+in+(x)").code, 400);
    assert_eq!(list(&server, PODS, "color=blue").code, 400);
}

#[test]
fn a_namespace_has_only_its_own() {
    let server = server(&[("a", "x")]);
    let of = |namespace: &str| list(&server, &Resource::Pod.path(namespace), "");
    assert_eq!(names(&of("default")), ["a"]);
    assert_eq!(names(&of("other")), Vec::<&str>::new());
    assert_eq!(list(&server, "/api/v1/nodes", "").code, 404);
}

#[test]
fn a_list_may_show_an_earlier_time() {
    let server = server(&[("a", "x"), ("b", "x")]);
    let version = server.with_store(|store| store.version());
    server.with_store(|store| store.remove("user", &Id::new(Resource::Pod, "a")));
    relabel(&server, "b", "y");
    server.configure(|options| {
        options.list_at.insert(Resource::Pod, version);
    });
    assert_eq!(
        names(&list(&server, PODS, "labelSelector=team%3Dx")),
        ["a", "b"]
    );
}

#[test]
fn a_watch_shows_an_object_that_loses_its_label_as_deleted() {
    in_paused_time(async {
        let server = server(&[("a", "x"), ("b", "y")]);
        let mut watch = watch(&server, "labelSelector=team%3Dx");
        relabel(&server, "b", "x");
        relabel(&server, "a", "y");
        relabel(&server, "a", "z");
        server.with_store(|store| store.remove("user", &Id::new(Resource::Pod, "b")));
        assert_eq!(describe_event(watch.next().await), is("ADDED", "b"));
        let lost = watch.next().await.unwrap();
        let version = sim::view::text(&lost.object, "/metadata/resourceVersion");
        assert_eq!(version, "104");
        assert_eq!(sim::view::label(&lost.object, "team"), "x");
        assert_eq!(describe_event(Some(lost)), is("DELETED", "a"));
        assert_eq!(describe_event(watch.next().await), is("DELETED", "b"));
    });
}

#[test]
fn a_watch_marks_how_far_it_is_and_ends_in_time() {
    in_paused_time(async {
        let server = server(&[("a", "x")]);
        let mut watch = watch(&server, "timeoutSeconds=55&allowWatchBookmarks=true");
        let began = tokio::time::Instant::now();
        assert_eq!(describe_event(watch.next().await), is("BOOKMARK", ""));
        assert_eq!(began.elapsed(), Duration::from_secs(25));
        assert_eq!(describe_event(watch.next().await), is("BOOKMARK", ""));
        assert!(watch.next().await.is_none());
        assert_eq!(began.elapsed(), Duration::from_secs(55));
    });
}

#[test]
fn a_watch_of_a_compacted_version_is_gone() {
    let server = server(&[("a", "x"), ("b", "x")]);
    server.configure(|options| options.compacted = 102);
    let code = |version: u64| match serve(
        &server,
        PODS,
        &format!("watch=true&resourceVersion={version}"),
    ) {
        Reply::Answer(answer) => answer.code,
        Reply::Watch(_) => 200,
    };
    assert_eq!([code(101), code(102)], [410, 200]);
}
