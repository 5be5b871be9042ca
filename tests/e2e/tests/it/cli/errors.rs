//! Failures: one clear line, and the exit code of docs/kubectl-grove.md.
//!
//! Each new command gets a line in its tables.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::json;
use tempfile::{TempDir, tempdir};

use crate::harness::address::free_address;
use crate::harness::installation::kubeconfig_of;
use crate::harness::manifest::{clique, set};
use crate::harness::plugin::{at, offline};
use crate::harness::{Namespace, condition, same, wait};

/// Commands that read a cluster.
const ONLINE: [&[&str]; 10] = [
    &["tree"],
    &["status"],
    &["logs", "nope"],
    &["restart", "nope"],
    &["pause", "nope"],
    &["suspend", "nope"],
    &["resume", "nope"],
    &["tree", "--all-namespaces"],
    &["tree", "nope"],
    &["bundle", "nope"],
];

/// Commands about one set, which does not exist.
const OF_A_SET: [&[&str]; 8] = [
    &["tree", "nope"],
    &["bundle", "nope"],
    &["logs", "nope"],
    &["restart", "nope"],
    &["pause", "nope"],
    &["unpause", "nope"],
    &["suspend", "nope"],
    &["resume", "nope"],
];

/// Commands that read a file, which is not YAML; their message, and their exit code.
const OF_A_FILE: [(&[&str], &str, i32); 2] = [
    (&["tree", "--kubeconfig", FILE], "is not valid: line 3", 3),
    (
        &["bundle", "nope", "--kubeconfig", FILE],
        "is not valid: line 3",
        3,
    ),
];

/// Placeholder of the file.
const FILE: &str = "FILE";

/// All commands with their needs.
const ALL: [&[&str]; 10] = [
    &["tree"],
    &["status"],
    &["logs", "nope"],
    &["restart", "nope"],
    &["pause", "nope"],
    &["suspend", "nope"],
    &["resume", "nope"],
    &["bundle", "nope"],
    &["completion", "bash"],
    &["man"],
];

/// One line on stderr with these words, nothing on stdout, no escape sequence, and that exit code.
#[track_caller]
fn expect_failure(output: &Output, code: i32, words: &[&str]) {
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.starts_with("kubectl grove: "), "{error}");
    assert!(!error.contains('\x1b'), "{error}");
    for word in words {
        assert!(error.contains(word), "{word:?} is not in {error}");
    }
}

/// A kubeconfig with contexts `one` and `two` of a server that does not exist.
fn kubeconfig(dir: &TempDir) -> PathBuf {
    let server = format!("https://{}", free_address().unwrap());
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "one",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {"token": "x"}}],
        "contexts": [
            {"name": "one", "context": {"cluster": "c", "user": "u"}},
            {"name": "two", "context": {"cluster": "c", "user": "u"}},
        ],
    });
    let file = dir.path().join("kubeconfig");
    fs::write(&file, config.to_string()).unwrap();
    file
}

#[test]
fn without_a_kubeconfig_it_is_named() {
    for command in ONLINE {
        let words = ["cannot read kubeconfig /nonexistent", "set KUBECONFIG"];
        expect_failure(&offline(command), 3, &words);
    }
}

#[test]
fn a_server_that_is_not_there_cannot_be_reached() {
    let dir = tempdir().unwrap();
    let file = kubeconfig(&dir);
    for command in ONLINE {
        let words = [
            "cannot be reached (Connection refused",
            "`kubectl cluster-info`",
        ];
        expect_failure(&at(&file, command), 3, &words);
    }
}

#[test]
fn a_wrong_context_is_answered_with_the_right_ones() {
    let dir = tempdir().unwrap();
    let file = kubeconfig(&dir);
    for command in ONLINE {
        let output = at(&file, &[command, &["--context", "nope"]].concat());
        expect_failure(&output, 3, &["has no context nope", "--context: one, two"]);
    }
}

#[test]
fn a_file_that_is_no_yaml_is_named_with_the_line() {
    let dir = tempdir().unwrap();
    let file = dir.path().join("broken.yaml");
    fs::write(&file, "apiVersion: v1\nkind: Config\n  clusters: [\n").unwrap();
    let name = file.to_str().unwrap();
    for (command, words, code) in OF_A_FILE {
        let args: Vec<&str> = command
            .iter()
            .map(|arg| if *arg == FILE { name } else { arg })
            .collect();
        expect_failure(&offline(&args), code, &[name, words]);
    }
}

#[test]
fn a_flag_or_command_that_does_not_exist_is_refused() {
    for command in ALL {
        let output = offline(&[command, &["--bogus"]].concat());
        expect_usage(&output, "unexpected argument '--bogus'");
    }
    expect_usage(&offline(&["bogus"]), "unrecognized subcommand 'bogus'");
    expect_usage(&offline(&["bundle"]), "<NAME>");
    expect_usage(&offline(&["tree", "-o", "xml"]), "json");
    expect_usage(&offline(&["completion", "tcsh"]), "powershell");
}

/// Usage errors may be longer: they show the usage of the command.
#[track_caller]
fn expect_usage(output: &Output, words: &str) {
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(error.starts_with("error: "), "{error}");
    assert!(error.contains(words) && !error.contains('\x1b'), "{error}");
}

#[test]
fn a_set_that_is_gone_or_elsewhere_is_not_found() {
    let ns = Namespace::new("cli-absent");
    ns.apply(&set("here", &[clique("a", 1)], &[]));
    ns.until("it is there", |seen| seen.expect_ready_pods(1));
    let file = &ns.control_plane.kubeconfig;
    for command in OF_A_SET {
        let place = ["--namespace", &ns.name];
        let found_nothing = format!("podcliqueset nope not found in namespace {}", ns.name);
        let output = at(file, &[command, &place[..]].concat());
        expect_failure(&output, 4, &[&found_nothing, "`kubectl grove tree -A`"]);

        let elsewhere: Vec<&str> = command
            .iter()
            .map(|arg| if *arg == "nope" { "here" } else { arg })
            .collect();
        let output = at(
            file,
            &[&elsewhere[..], &["--namespace", "default"]].concat(),
        );
        let words = "podcliqueset here not found in namespace default";
        expect_failure(&output, 4, &[words]);
    }
    ns.kubectl(&["delete", "pcs", "here", "--wait=true", "--timeout=180s"]);
    let output = at(file, &["tree", "here", "--namespace", &ns.name]);
    expect_failure(&output, 4, &["podcliqueset here not found"]);
}

/// An account that may read everything of a set except its PodGangs.
fn limited(ns: &Namespace<'_>, dir: &Path) -> PathBuf {
    let kinds = "podcliquesets.grove.io,podcliquescalinggroups.grove.io,podcliques.grove.io,pods";
    let resources = format!("--resource={kinds}");
    let account = format!("--serviceaccount={}:limited", ns.name);
    ns.kubectl(&["create", "serviceaccount", "limited"]);
    ns.kubectl(&[
        "create",
        "role",
        "limited",
        "--verb=get,list,watch",
        &resources,
    ]);
    ns.kubectl(&[
        "create",
        "rolebinding",
        "limited",
        "--role=limited",
        &account,
    ]);
    let file = dir.join("limited.kubeconfig");
    kubeconfig_of(ns.control_plane, (&ns.name, "limited"), &file);
    file
}

#[test]
fn a_right_that_is_missing_is_named() {
    let ns = Namespace::new("cli-forbidden");
    let dir = tempdir().unwrap();
    ns.apply(&set("svc", &[clique("a", 1)], &[]));
    ns.until("it is there", |seen| seen.expect_ready_pods(1));
    let file = limited(&ns, dir.path());
    let place = ["--namespace", &ns.name];
    let run = |args: &[&str]| at(&file, &[args, &place[..]].concat());
    // The API server applies the role a moment later.
    let known = wait::until(|| {
        let output = run(&["tree"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.success().then_some(()).ok_or(error)
    });
    known.unwrap();

    let forbidden = format!("cannot list podgangs in namespace {}", ns.name);
    let user = format!("User \"system:serviceaccount:{}:limited\"", ns.name);
    let words = [
        &*forbidden,
        "you are not allowed to",
        &user,
        "ClusterRole `view`",
    ];
    expect_failure(&run(&["tree", "svc"]), 3, &words);
    expect_failure(
        &run(&["tree", "svc", "-o", "json"]),
        3,
        &["you are not allowed to"],
    );

    // A bundle of the readable part is worth sending.
    let archive = dir.path().join("b.tar.gz");
    let output = run(&["bundle", "svc", "--file", archive.to_str().unwrap()]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{printed}");
    let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    for missing in [&*forbidden, "cannot list pods in all namespaces"] {
        let line = format!("Not in it: {missing}");
        let line = line.replace("it: cannot list pods", "it: the operator: cannot list pods");
        assert!(words.contains(&line), "{line} is not in {words}");
    }
    assert!(archive.exists());
    for kind in ["rolebinding", "role", "serviceaccount"] {
        ns.kubectl(&["delete", kind, "limited"]);
    }
}

/// Colour is for terminals, and for users who request it.
#[test]
fn escape_sequences_are_printed_only_on_request() {
    let ns = Namespace::new("cli-colour");
    ns.apply(&set("svc", &[clique("a", 1)], &[]));
    ns.until("it is ready", |seen| {
        let ready = condition(seen.one("PodCliqueSet", "svc")?, "Ready");
        same("Ready", &ready, &"True/AllReady".to_owned())
    });
    let run = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = ns.grove_command(args);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for args in [&["tree", "svc"][..], &["tree"]] {
        let plain = run(args, &[]);
        assert!(
            plain.contains("AllReady") && !plain.contains('\x1b'),
            "{plain:?}"
        );
        let forced = run(args, &[("CLICOLOR_FORCE", "1")]);
        assert!(forced.contains("\x1b["), "{forced:?}");
        let refused = run(args, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]);
        assert!(!refused.contains('\x1b'), "{refused:?}");
    }
    let json = run(&["tree", "svc", "-o", "json"], &[("CLICOLOR_FORCE", "1")]);
    assert!(!json.contains('\x1b'), "{json:?}");
}
