//! The bundle of a bug report.

mod served;

use std::collections::BTreeMap;
use std::io::Read;

use cli::bundle::{Bundle, Collected, compose, pack, read, summarize};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use testkit::builders::EPOCH;

use crate::server::Server;

const ML: &str = "namespaces/ml";

fn labelled(name: &str, more: &Value) -> Value {
    let mut object = json!({"metadata": {
        "name": name, "namespace": "ml", "uid": format!("u-{name}"),
        "labels": {"app.kubernetes.io/part-of": "svc"},
        "managedFields": [{"manager": "x"}],
    }});
    for (key, value) in more.as_object().unwrap() {
        object[key] = value.clone();
    }
    object
}

fn container() -> Value {
    json!({
        "name": "main", "image": "x:1", "args": ["--token=hunter2"],
        "env": [{"name": "PASSWORD", "value": "hunter2"}],
    })
}

/// A set with one pod on a node, and an operator.
fn server() -> Server {
    let server = Server::default();
    let grove = format!("/apis/grove.io/v1alpha1/{ML}");
    let pod_spec = json!({"containers": [container()]});
    let clique =
        json!({"name": "a", "spec": {"roleName": "a", "replicas": 1, "podSpec": pod_spec}});
    let spec = json!({"replicas": 1, "template": {"cliques": [clique]}});
    server.put(
        &format!("{grove}/podcliquesets"),
        labelled("svc", &json!({"spec": spec})),
    );
    server.put(
        &format!("{grove}/podcliquescalinggroups"),
        json!({"metadata": {"name": "other"}}),
    );
    let spec = json!({"roleName": "a", "replicas": 1, "podSpec": pod_spec});
    server.put(
        &format!("{grove}/podcliques"),
        labelled("svc-0-a", &json!({"spec": spec})),
    );
    let gangs = format!("/apis/scheduler.grove.io/v1alpha1/{ML}/podgangs");
    server.put(
        &gangs,
        labelled("svc-0", &json!({"spec": {"podgroups": []}})),
    );
    let mut pod = labelled(
        "svc-0-a-x",
        &json!({"spec": {"nodeName": "n1", "containers": [container()]}}),
    );
    pod["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "grove.io/v1alpha1", "kind": "PodClique", "name": "svc-0-a",
        "uid": "u-svc-0-a", "controller": true,
    }]);
    server.put(&format!("/api/v1/{ML}/pods"), pod);
    server.put(
        &format!("/api/v1/{ML}/services"),
        labelled("svc-0", &json!({})),
    );
    server.put(
        &format!("/apis/autoscaling/v2/{ML}/horizontalpodautoscalers"),
        json!({"metadata": {"name": "other"}}),
    );
    for (name, about) in [("e1", "svc"), ("e2", "other"), ("e3", "svc-0-a-gone")] {
        let event = json!({
            "metadata": {"name": name, "namespace": "ml"},
            "involvedObject": {"name": about}, "message": "password=hunter2",
            "lastTimestamp": "2026-01-01T00:00:00Z",
        });
        server.put(&format!("/api/v1/{ML}/events"), event);
    }
    let node = json!({
        "metadata": {"name": "n1", "labels": {"zone": "a"}},
        "status": {"addresses": [{"address": "10.9.8.7"}], "allocatable": {"cpu": "4"}},
    });
    server.put("/api/v1/nodes", node);
    put_schedulers(&server);
    put_operator(&server);
    put_versions(&server);
    server
}

fn put_schedulers(server: &Server) {
    let group = "scheduling.k8s.io";
    let version = json!({"groupVersion": format!("{group}/v1beta1"), "version": "v1beta1"});
    let groups = json!({"groups": [{
        "name": group, "versions": [version], "preferredVersion": version,
    }]});
    server.answer("/apis", 200, &groups.to_string());
    let kind = |plural: &str, kind: &str, namespaced: bool| {
        json!({
            "name": plural, "singularName": "", "namespaced": namespaced, "kind": kind,
            "verbs": ["list"],
        })
    };
    let kinds = json!({
        "groupVersion": format!("{group}/v1beta1"),
        "resources": [
            kind("podgroups", "PodGroup", true), kind("priorityclasses", "PriorityClass", false),
        ],
    });
    server.answer(&format!("/apis/{group}/v1beta1"), 200, &kinds.to_string());
    let groups = format!("/apis/{group}/v1beta1/{ML}/podgroups");
    server.put(&groups, labelled("svc-0", &json!({"spec": {"gang": 1}})));
}

fn put_operator(server: &Server) {
    let pod = json!({
        "metadata": {
            "name": "op-1", "namespace": "grove-system",
            "labels": {"app.kubernetes.io/name": "grove-operator"},
        },
        "spec": {"containers": [{
            "name": "operator", "env": [
                {"name": "GROVE_INIT_CONTAINER_IMAGE", "value": "initc:1"},
                {"name": "HTTP_PROXY", "value": "http://me:hunter2@proxy"},
            ],
        }]},
        "status": {"containerStatuses": [{
            "name": "operator", "image": "grove-operator:0.1.0", "imageID": "sha256:abc",
            "restartCount": 1,
        }]},
    });
    server.put("/api/v1/pods", pod);
    let log = "starts\n{\"key\":\"ml/svc\",\"token\":\"hunter2\"}\nkey=ml/other\n";
    server.answer("/api/v1/namespaces/grove-system/pods/op-1/log", 200, log);
}

fn put_versions(server: &Server) {
    let version = json!({
        "major": "1", "minor": "37", "gitVersion": "v1.37.1", "gitCommit": "", "gitTreeState": "",
        "buildDate": "", "goVersion": "", "compiler": "", "platform": "",
    });
    server.answer("/version", 200, &version.to_string());
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let names = [
        "podcliquesets.grove.io",
        "podcliquescalinggroups.grove.io",
        "podcliques.grove.io",
        "podgangs.scheduler.grove.io",
        "clustertopologybindings.grove.io",
    ];
    for name in names {
        let version = json!({"name": "v1alpha1", "served": true, "storage": true, "schema": {}});
        let definition = json!({
            "metadata": {
                "name": name, "generation": 2, "labels": {"helm.sh/chart": "grove-0.1.0"},
            },
            "spec": {"versions": [version]},
            "status": {"storedVersions": ["v1alpha1"]},
        });
        server.put(definitions, definition);
    }
}

async fn collected(server: &Server) -> Collected {
    read(&server.cluster(), "svc", None).await.unwrap()
}

fn text<'a>(bundle: &'a Bundle, path: &str) -> &'a str {
    let file = bundle.files.iter().find(|file| file.path == path);
    &file
        .unwrap_or_else(|| panic!("{path} is not in {bundle:?}"))
        .text
}

#[tokio::test]
async fn all_that_belongs_to_the_set_is_in_it_and_no_secret() {
    let bundle = compose(&collected(&server()).await, false, *EPOCH);
    assert_eq!(bundle.name, "grove-bundle-ml-svc-20260101-000000");
    let paths: Vec<&str> = bundle.files.iter().map(|file| &*file.path).collect();
    let expected = [
        "README.txt",
        "events.yaml",
        "nodes/n1.yaml",
        "objects/podcliques/svc-0-a.yaml",
        "objects/podcliquesets/svc.yaml",
        "objects/podgangs/svc-0.yaml",
        "objects/podgroups.scheduling.k8s.io/svc-0.yaml",
        "objects/pods/svc-0-a-x.yaml",
        "objects/services/svc-0.yaml",
        "operator/grove-system.op-1.operator.log",
        "operator/grove-system.op-1.operator.previous.log",
        "operator/grove-system.op-1.yaml",
        "tree.txt",
        "versions.yaml",
    ];
    assert_eq!(paths, expected);
    assert_eq!(bundle.missing, Vec::<String>::new());
    let all: String = bundle.files.iter().map(|file| &*file.text).collect();
    for hidden in ["hunter2", "10.9.8.7", "managedFields:"] {
        assert!(!all.contains(hidden), "{hidden} is in {all}");
    }
    assert!(
        all.contains("name: PASSWORD") && all.contains("value: initc:1"),
        "{all}"
    );
}

#[tokio::test]
async fn each_file_says_what_it_is_about() {
    let bundle = compose(&collected(&server()).await, false, *EPOCH);
    let log = text(&bundle, "operator/grove-system.op-1.operator.log");
    assert_eq!(
        log,
        "{\"key\":\"ml/svc\",\"token\":\"<hidden: 7 characters>\"}\n"
    );
    let tree = text(&bundle, "tree.txt");
    assert!(
        tree.contains("svc-0-a-x") && tree.contains("n1") && !tree.contains('\x1b'),
        "{tree}"
    );
    let events: Value = serde_saphyr::from_str(text(&bundle, "events.yaml")).unwrap();
    let names: Vec<_> = events
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["metadata"]["name"])
        .collect();
    assert_eq!(names, ["e1", "e3"]);
    let pod: Value = serde_saphyr::from_str(text(&bundle, "objects/pods/svc-0-a-x.yaml")).unwrap();
    assert_eq!(
        (&pod["kind"], &pod["apiVersion"]),
        (&json!("Pod"), &json!("v1"))
    );
    insta::assert_snapshot!("readme", text(&bundle, "README.txt"));
    insta::assert_snapshot!("versions", text(&bundle, "versions.yaml"));
}

/// With `--with-arguments`, arguments that do not look like a secret stay.
#[tokio::test]
async fn arguments_that_do_not_look_like_a_secret_stay_on_request() {
    let server = server();
    let bundle = compose(&collected(&server).await, true, *EPOCH);
    let pod = text(&bundle, "objects/pods/svc-0-a-x.yaml");
    assert!(pod.contains("--token=REDACTED"), "{pod}");
    let events = text(&bundle, "events.yaml");
    assert!(events.contains("password=REDACTED"), "{events}");
    let readme = text(&bundle, "README.txt");
    assert!(readme.contains("made with --with-arguments"), "{readme}");
    let all: String = bundle.files.iter().map(|file| &*file.text).collect();
    assert!(!all.contains("hunter2"), "{all}");
    let bundle = compose(&collected(&server).await, false, *EPOCH);
    let pod = text(&bundle, "objects/pods/svc-0-a-x.yaml");
    assert!(pod.contains("--token=<hidden: 7 characters>"), "{pod}");
}

/// A user with few rights gets the readable part; the bundle names the missing parts.
#[tokio::test]
async fn unreadable_parts_are_named() {
    let server = server();
    let forbidden = [
        "/api/v1/namespaces/ml/pods",
        "/api/v1/namespaces/ml/events",
        "/api/v1/pods",
        "/apis",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podcliquesets.grove.io",
    ];
    for path in forbidden {
        server.forbid(path);
    }
    let bundle = compose(&collected(&server).await, false, *EPOCH);
    let missing = bundle.missing.join("\n");
    let named = [
        "list pods in namespace ml",
        "list events",
        "list API groups",
        "get customresourcedefinitions",
        "--operator-namespace",
    ];
    for words in named {
        assert!(missing.contains(words), "{words} is not in {missing}");
    }
    assert_eq!(bundle.missing.len(), named.len(), "{missing}");
    let readme = text(&bundle, "README.txt");
    assert!(
        readme.contains("- cannot list events in namespace ml"),
        "{readme}"
    );
    let said = summarize(&bundle, "x.tar.gz".as_ref());
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    assert!(
        said.contains("x.tar.gz: 7 files\n") && said.contains("Not in it: "),
        "{said}"
    );
}

#[tokio::test]
async fn a_cluster_without_the_operator_is_said_to_have_none() {
    let server = server();
    let nothing = json!({"kind": "List", "apiVersion": "v1", "metadata": {}, "items": []});
    server.answer("/api/v1/pods", 200, &nothing.to_string());
    server.answer(
        "/api/v1/namespaces/elsewhere/pods",
        200,
        &nothing.to_string(),
    );
    let bundle = compose(&collected(&server).await, false, *EPOCH);
    let label = "app.kubernetes.io/name=grove-operator";
    assert!(
        bundle.missing[0].contains(&format!("no pod has label {label}")),
        "{bundle:?}"
    );
    let read = read(&server.cluster(), "svc", Some("elsewhere"))
        .await
        .unwrap();
    assert!(
        read.missing[0].contains("no pod in namespace elsewhere"),
        "{:?}",
        read.missing
    );
}

#[tokio::test]
async fn a_set_that_is_not_there_is_no_bundle() {
    let failure = read(&server().cluster(), "nope", None).await.unwrap_err();
    let text = failure.to_string();
    assert!(
        text.contains("podcliqueset nope not found in namespace ml"),
        "{text}"
    );
    let failure = read(&server().cluster(), "svx", None).await.unwrap_err();
    assert!(
        failure.to_string().contains("did you mean svc?"),
        "{failure}"
    );
}

/// Only objects of the set are listed, by its label; no request is about Secrets.
#[tokio::test]
async fn nothing_is_requested_that_is_not_needed() {
    let server = server();
    collected(&server).await;
    for asked in server.asked() {
        assert_eq!(asked.method, "GET", "{asked:?}");
        assert!(
            !asked.path.contains("secrets") && !asked.path.contains("configmaps"),
            "{asked:?}"
        );
        let is_list = asked.path.starts_with("/api") && asked.query.contains_key("limit");
        if is_list && !asked.path.ends_with("/events") {
            assert!(!asked.query["labelSelector"].is_empty(), "{asked:?}");
        }
    }
}

#[tokio::test]
async fn the_archive_is_the_same_each_time_and_has_plain_files() {
    let server = server();
    let bundle = compose(&collected(&server).await, false, *EPOCH);
    let again = compose(&collected(&server).await, false, *EPOCH);
    let bytes = pack(&bundle, *EPOCH).unwrap();
    assert_eq!(bytes, pack(&again, *EPOCH).unwrap());
    let mut archive = tar::Archive::new(GzDecoder::new(&*bytes));
    let mut found = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let header = entry.header().clone();
        let facts = (
            header.mode().unwrap(),
            header.mtime().unwrap(),
            header.uid().unwrap(),
        );
        assert_eq!(facts, (0o644, EPOCH.as_second().try_into().unwrap(), 0));
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        found.insert(path, text);
    }
    let expected = bundle.files.iter();
    let expected = expected.map(|f| (format!("{}/{}", bundle.name, f.path), f.text.clone()));
    assert_eq!(found, expected.collect());
}
