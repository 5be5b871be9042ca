//! `bundle`: unpacked and read as a maintainer would.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::harness::manifest::{clique, group, set};
use crate::harness::{Namespace, condition, same};

const SECRET: &str = "hunter2-do-not-send";
const OPERATOR: &str = "app.kubernetes.io/name";

/// A clique with secrets in common places.
fn careless(name: &str) -> Value {
    let mut clique = clique(name, 1);
    let container = &mut clique["spec"]["podSpec"]["containers"][0];
    container["env"] = json!([
        {"name": "DB_PASSWORD", "value": SECRET},
        {"name": "ENDPOINT", "value": format!("https://{SECRET}.example.com")},
    ]);
    container["args"] = json!([
        format!("--token={SECRET}"),
        "--api-key",
        SECRET,
        "--port=80"
    ]);
    clique
}

/// The files of an archive, unpacked by tar, by path below its one folder.
fn unpacked(archive: &Path) -> Vec<(String, String)> {
    let dir = tempdir().unwrap();
    let dir = dir.path();
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(archive).arg("-C").arg(dir);
    assert!(tar.status().unwrap().success());
    let folders: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    let mut found = Vec::new();
    collect(&folders[0], &folders[0], &mut found);
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            collect(root, &path, found);
            continue;
        }
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        found.push((name.to_owned(), fs::read_to_string(&path).unwrap()));
    }
}

fn text<'a>(files: &'a [(String, String)], path: &str) -> &'a str {
    let file = files.iter().find(|(name, _)| name == path);
    &file
        .unwrap_or_else(|| panic!("{path} is not in {files:?}"))
        .1
}

/// Kind and name of each object below that folder.
fn objects(files: &[(String, String)], folder: &str) -> BTreeSet<(String, String)> {
    let inside = files.iter().filter(|(path, _)| path.starts_with(folder));
    inside
        .map(|(_, text)| {
            let object: Value = serde_saphyr::from_str(text).unwrap();
            let of = |value: &Value| value.as_str().unwrap().to_owned();
            (of(&object["kind"]), of(&object["metadata"]["name"]))
        })
        .collect()
}

/// Creates sets `svc`, with secrets, and `other`. Returns kind and name of the objects of `svc`.
fn make_sets(ns: &Namespace<'_>) -> BTreeSet<(String, String)> {
    let cliques = [careless("router"), careless("worker")];
    ns.apply(&set("svc", &cliques, &[group("workers", "worker", 2, 1)]));
    ns.apply(&set("other", &[clique("a", 1)], &[]));
    ns.until("both are ready", |seen| {
        for name in ["svc", "other"] {
            let ready = condition(seen.one("PodCliqueSet", name)?, "Ready");
            same("Ready", &ready, &"True/AllReady".to_owned())?;
        }
        let of = |value: &Value| value.as_str().unwrap().to_owned();
        let is_of_set = |object: &&Value| {
            let labels = &object["metadata"]["labels"];
            object["metadata"]["name"] == "svc" || labels["app.kubernetes.io/part-of"] == "svc"
        };
        let all = seen.everything().into_iter().filter(is_of_set);
        let named = all.map(|o| (of(&o["kind"]), of(&o["metadata"]["name"])));
        Ok(named.collect())
    })
}

#[test]
fn has_all_of_a_set_and_none_of_its_secrets() {
    let ns = Namespace::new("cli-bundle");
    let made = make_sets(&ns);
    let dir = tempdir().unwrap();
    let archive = dir.path().join("b.tar.gz");
    // In other namespaces another test has pods with the labels of an operator.
    let here = ["--operator-namespace", ns.name.as_str()];
    let args = [
        &["bundle", "svc", "--file", archive.to_str().unwrap()],
        &here[..],
    ]
    .concat();
    let printed = ns.grove(&args);
    assert!(printed.contains("environment values"), "{printed}");
    let files = unpacked(&archive);
    assert_eq!(objects(&files, "objects/"), made);
    let all: String = files.iter().map(|(_, text)| &**text).collect();
    assert!(!all.contains(SECRET), "{all}");
    for kept in ["name: DB_PASSWORD", "--port=", "value: svc-0-router"] {
        assert!(all.contains(kept), "{kept} is not in {all}");
    }
    expect_surroundings(&files);

    // An existing file is never overwritten.
    let before = fs::read(&archive).unwrap();
    let again = ns.grove_command(&args).output().unwrap();
    let error = String::from_utf8(again.stderr).unwrap();
    assert_eq!(again.status.code(), Some(2), "{error}");
    assert!(error.contains("exists already"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert_eq!(fs::read(&archive).unwrap(), before);
}

/// Nodes, events, versions, the tree, and a note about the operator, which has no pod here.
fn expect_surroundings(files: &[(String, String)]) {
    let nodes = objects(files, "nodes/");
    let are_nodes = nodes.iter().all(|(kind, _)| kind == "Node");
    assert!(!nodes.is_empty() && are_nodes, "{nodes:?}");
    let events: Value = serde_saphyr::from_str(text(files, "events.yaml")).unwrap();
    let about = |event: &Value| event["involvedObject"]["name"].as_str().unwrap().to_owned();
    let about: Vec<String> = events.as_array().unwrap().iter().map(about).collect();
    assert!(
        about.iter().all(|name| name.starts_with("svc")),
        "{about:?}"
    );
    assert!(about.iter().any(|name| name == "svc"), "{about:?}");
    let versions: Value = serde_saphyr::from_str(text(files, "versions.yaml")).unwrap();
    assert!(versions["server"]["gitVersion"].is_string(), "{versions}");
    let definitions = versions["definitions"].as_array().unwrap();
    assert_eq!(definitions.len(), 5, "{versions}");
    assert!(text(files, "tree.txt").contains("svc-0-workers-1-worker"));
    let readme = text(files, "README.txt");
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing = "has label app.kubernetes.io/name=grove-operator; without --operator-namespace";
    assert!(readme.contains(missing), "{readme}");
}

/// The operator's pods are found by the chart's label; a log that cannot be read is named.
#[test]
fn has_the_operators_pods_and_a_default_name() {
    let ns = Namespace::new("cli-bundle-operator");
    ns.apply(&set("svc", &[clique("a", 1)], &[]));
    let container = json!({
        "name": "operator", "image": "grove-operator:0.1.0",
        "env": [{"name": "HTTPS_PROXY", "value": SECRET}],
    });
    ns.apply(&json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "op", "labels": {OPERATOR: "grove-operator"}},
        "spec": {"containers": [container]},
    }));
    ns.until("both run", |seen| seen.expect_ready_pods(2));
    let dir = tempdir().unwrap();
    let mut command = ns.grove_command(&["bundle", "svc", "--operator-namespace", &ns.name]);
    let output = command.current_dir(dir.path()).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{printed}");
    let names: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    let name = names[0].file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(names.len(), 1, "{names:?}");
    let begin = format!("grove-bundle-{}-svc-", ns.name);
    assert!(
        name.starts_with(&begin) && name.ends_with(".tar.gz"),
        "{name}"
    );
    assert!(printed.starts_with(&format!("{name}: ")), "{printed}");

    let files = unpacked(&names[0]);
    let pod = text(&files, &format!("operator/{}.op.yaml", ns.name));
    assert!(
        pod.contains("HTTPS_PROXY") && !pod.contains(SECRET),
        "{pod}"
    );
    let versions = text(&files, "versions.yaml");
    assert!(versions.contains("grove-operator:0.1.0"), "{versions}");
    // Without a kubelet there is no log.
    assert!(text(&files, "README.txt").contains(&format!("log {}.op.operator", ns.name)));
    ns.kubectl(&["delete", "pod", "op"]);
}
