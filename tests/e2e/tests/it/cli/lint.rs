//! `lint`.

mod definition;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::Namespace;
use crate::harness::manifest::{clique, set};
use crate::harness::plugin::{offline, offline_fed};

/// Standard output, standard error, and the exit code.
fn told(output: &Output) -> (String, String, i32) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let code = output.status.code().unwrap();
    (text(&output.stdout), text(&output.stderr), code)
}

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn lint(folder: &TempDir, files: &[&str], flags: &[&str]) -> (String, String, i32) {
    let files: Vec<PathBuf> = files.iter().map(|f| folder.path().join(f)).collect();
    let files = files.iter().map(|f| f.to_str().unwrap());
    let args: Vec<&str> = ["lint"]
        .into_iter()
        .chain(files)
        .chain(flags.iter().copied())
        .collect();
    told(&offline(&args))
}

/// A set with requests, without a finding.
fn good() -> Value {
    let mut one = clique("frontend", 2);
    one["spec"]["podSpec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "10m"}});
    set("serve", &[one], &[])
}

/// Two documents, the second one with an error and a warning.
const DOCUMENTS: &str = "\
# The first document is no business of ours.
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: serve}
spec:
  replicas: 1
  template:
    cliques:
      - name: frontend
        spec:
          roleName: frontend
          replicas: 2
          minAvailable: 3
          podSpec:
            containers:
              - name: main
                image: llm
                resources: {requests: {cpu: 10m}}
";

/// Errors, warnings and no findings have different exit codes; lines are those of the file.
#[test]
fn offline_files_have_lines_and_exit_codes() {
    let warned = DOCUMENTS.replace("minAvailable: 3", "minAvailable: 2");
    let json = serde_json::to_string_pretty(&good())
        .unwrap()
        .replace("\"replicas\": 2", "\"replicas\": -2");
    let files = folder(&[
        ("bad.yaml", DOCUMENTS),
        ("warned.yaml", &warned),
        ("bad.json", &json),
    ]);

    let (text, _, code) = lint(&files, &["bad.yaml"], &[]);
    assert_eq!(code, 1, "{text}");
    let bad = files.path().join("bad.yaml");
    for place in [":17:25: error:", ":21:24: warning:"] {
        let begins = format!("{}{place}", bad.display());
        assert!(text.lines().any(|line| line.starts_with(&begins)), "{text}");
    }
    assert!(
        text.contains("spec.template.cliques[0].spec.minAvailable"),
        "{text}"
    );
    assert!(
        text.ends_with(
            "1 error, 1 warning in 1 file: 1 object checked, 1 of other kinds skipped\n"
        ),
        "{text}"
    );

    let (text, _, code) = lint(&files, &["warned.yaml"], &[]);
    assert_eq!(code, 0, "{text}");
    let (text, _, code) = lint(&files, &["warned.yaml"], &["--strict"]);
    assert_eq!(code, 1, "{text}");
    let ignore = ["--strict", "--ignore", "image-without-version"];
    let (text, _, code) = lint(&files, &["warned.yaml"], &ignore);
    assert_eq!(code, 0, "{text}");

    let (text, _, code) = lint(&files, &["bad.json"], &["-o", "json"]);
    assert_eq!(code, 1, "{text}");
    let report: Value = serde_json::from_str(&text).unwrap();
    let line = json.lines().position(|line| line.contains("-2")).unwrap() + 1;
    assert_eq!(
        report["findings"][0]["path"],
        "spec.template.cliques[0].spec.replicas"
    );
    assert_eq!(report["findings"][0]["line"], line, "{report}");
}

#[test]
fn sarif_of_files_has_their_places() {
    let files = folder(&[("bad.yaml", DOCUMENTS)]);
    let (text, _, code) = lint(&files, &["bad.yaml"], &["--output=sarif"]);
    assert_eq!(code, 1, "{text}");
    let log: Value = serde_json::from_str(&text).unwrap();
    let region = "/runs/0/results/0/locations/0/physicalLocation/region/startLine";
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log.pointer(region).unwrap(), 17, "{log}");
}

/// One line has the place; the other files are checked all the same.
#[test]
fn an_unreadable_file_is_one_line() {
    let good = good().to_string();
    let files = folder(&[("broken.yaml", "a:\n  b: 1\n c: 2\n"), ("good.json", &good)]);
    let (text, error, code) = lint(&files, &["broken.yaml", "good.json"], &[]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    assert!(error.contains("broken.yaml:3:2: "), "{error}");
    assert!(
        text.ends_with("0 errors, 0 warnings in 2 files: 1 object checked\n"),
        "{text}"
    );

    let (_, error, code) = lint(&files, &["gone.yaml"], &[]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    assert!(
        error.contains("cannot read") && error.contains("gone.yaml"),
        "{error}"
    );
    let (_, error, code) = lint(&files, &["good.json"], &["--ignore", "refused"]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    let (_, error, code) = lint(&files, &["good.json"], &["--cluster"]);
    assert_eq!((code, error.lines().count()), (3, 1), "{error}");
}

#[test]
fn a_change_is_compared_with_the_stored_version() {
    let mut changed = good();
    changed["spec"]["template"]["cliques"][0]["spec"]["roleName"] = json!("router");
    let files = folder(&[
        ("old.json", &good().to_string()),
        ("new.json", &changed.to_string()),
    ]);
    let (text, _, code) = lint(&files, &["new.json"], &[]);
    assert_eq!(code, 0, "{text}");
    let old = files.path().join("old.json");
    let (text, _, code) = lint(&files, &["new.json"], &["--old", old.to_str().unwrap()]);
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("spec.template.cliques[0].spec.roleName"),
        "{text}"
    );
}

#[test]
fn standard_input_is_a_file_too() {
    let (text, error, code) = told(&offline_fed(&["lint", "-"], &good()));
    assert_eq!(code, 0, "{text}{error}");
    let mut bad = good();
    bad["spec"]["replicas"] = json!("2");
    let (text, _, code) = told(&offline_fed(&["lint", "-"], &bad));
    assert_eq!(code, 1, "{text}");
    assert!(text.starts_with("stdin:1:"), "{text}");
}

/// A set that names missing objects, in its own namespace.
fn needy(ns: &Namespace<'_>) -> Value {
    let mut needy = good();
    let pod = &mut needy["spec"]["template"]["cliques"][0]["spec"]["podSpec"];
    pod["serviceAccountName"] = json!("runner");
    pod["priorityClassName"] = json!(ns.name);
    pod["volumes"] = json!([
        {"name": "a", "persistentVolumeClaim": {"claimName": "models"}},
        {"name": "b", "configMap": {"name": "settings", "optional": true}},
    ]);
    needy
}

fn manifest_of(ns: &Namespace<'_>) -> [Value; 3] {
    [
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "runner"}}),
        json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": ns.name}, "value": 1,
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "models"},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": "none",
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }),
    ]
}

/// The named objects are missing until they are created; the quota is too small until it is raised.
#[test]
fn named_objects_are_looked_up_in_the_cluster() {
    let ns = Namespace::new("cli-lint");
    let files = folder(&[("needy.json", &needy(&ns).to_string())]);
    let file = files.path().join("needy.json");
    let file = file.to_str().unwrap();
    let lint = |flags: &[&str]| {
        let args = [&["lint", file, "--cluster"], flags].concat();
        told(&ns.grove_command(&args).output().unwrap())
    };

    let (text, error, code) = lint(&["--strict"]);
    assert_eq!(code, 1, "{text}{error}");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let class = format!("PriorityClass {} does not exist;", ns.name);
    let account = format!(
        "ServiceAccount runner does not exist in namespace {}",
        ns.name
    );
    let claim = format!(
        "PersistentVolumeClaim models does not exist in namespace {}",
        ns.name
    );
    assert!(
        [class, account, claim]
            .iter()
            .all(|words| flat.contains(words)),
        "{text}"
    );
    assert!(flat.contains("0 errors, 3 warnings in 1 file"), "{text}");

    for object in manifest_of(&ns) {
        ns.apply(&object);
    }
    let (text, error, code) = lint(&["--strict"]);
    ns.kubectl(&["delete", "priorityclass", &ns.name]);
    assert_eq!((code, text.lines().count()), (0, 1), "{text}{error}");

    ns.kubectl(&["create", "quota", "small", "--hard=requests.cpu=15m"]);
    ns.until("the quota is counted", |_| {
        let used = ns.kubectl(&["get", "quota", "small", "--output=jsonpath={.status.used}"]);
        used.contains("requests.cpu").then_some(()).ok_or(used)
    });
    let (text, _, code) = lint(&["--ignore", "missing-object"]);
    ns.kubectl(&["delete", "serviceaccount", "runner"]);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(code, 0, "{text}");
    assert!(
        flat.contains(
            "quota small has 15m of requests.cpu left of 15m, and the set asks for 20m in all"
        ),
        "{text}"
    );
}

/// A user without any rights gets a list of the skipped checks, each once.
#[test]
fn a_check_without_rights_is_skipped() {
    let ns = Namespace::new("cli-lint-rights");
    let files = folder(&[("needy.json", &needy(&ns).to_string())]);
    let kubeconfig = files.path().join("kubeconfig");
    fs::copy(&ns.control_plane.kubeconfig, &kubeconfig).unwrap();
    let token = ns.kubectl(&["create", "token", "default"]);
    let config = |args: &[&str]| {
        let mut command = ns.command(&[&["config"], args].concat());
        let output = command.env("KUBECONFIG", &kubeconfig).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    config(&[
        "set-credentials",
        "nobody",
        &format!("--token={}", token.trim()),
    ]);
    config(&["set-context", "--current", "--user=nobody"]);

    let file = files.path().join("needy.json");
    let mut command = ns.grove_command(&["lint", file.to_str().unwrap(), "--cluster"]);
    let output = command.env("KUBECONFIG", &kubeconfig).output().unwrap();
    let (text, error, code) = told(&output);
    assert_eq!(code, 0, "{text}{error}");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for kind in [
        "serviceaccounts",
        "priorityclasses",
        "persistentvolumeclaims",
        "namespaces",
    ] {
        let words = format!("you have no right to read {kind}");
        assert_eq!(flat.matches(&words).count(), 1, "{text}");
    }
    assert!(!flat.contains("does not exist"), "{text}");
}
