//! Completions, in the form that the scripts expect.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use cli::completion::{Shell, VARIABLE, connection_of, script};
use rstest::rstest;
use serde_json::json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kubectl-grove");

#[rstest]
#[case(Shell::Bash, "complete -o nospace")]
#[case(Shell::Zsh, "#compdef kubectl-grove")]
#[case(Shell::Fish, "complete --keep-order")]
#[case(Shell::Powershell, "Register-ArgumentCompleter")]
#[case(Shell::Kubectl, "#!/bin/sh\n")]
fn a_script_calls_the_program_again(#[case] shell: Shell, #[case] words: &str) {
    let script = script(shell).unwrap();
    assert!(script.contains(words), "{script}");
    assert!(
        script.contains(VARIABLE) && script.contains("kubectl-grove"),
        "{script}"
    );
    assert!(
        !script.contains('/') || !script.contains("target"),
        "{script}"
    );
}

#[rstest]
#[case(&["tree", "-n", "ml", ""], Some("ml"), None)]
#[case(&["--namespace=ml", "--context", "prod", "tree", ""], Some("ml"), Some("prod"))]
#[case(&["tree", "-n=ml"], Some("ml"), None)]
#[case(&["tree", "-n", ""], None, None)]
#[case(&["tree", "-n"], None, None)]
#[case(&["--namespaces=x", "--contextual", "y"], None, None)]
fn the_cluster_is_that_of_the_words_so_far(
    #[case] words: &[&str],
    #[case] namespace: Option<&str>,
    #[case] context: Option<&str>,
) {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let found = connection_of(&words);
    assert_eq!(found.namespace.as_deref(), namespace);
    assert_eq!(found.context.as_deref(), context);
}

/// The candidates that kubectl gets for these words.
fn complete(kubeconfig: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command
        .env(VARIABLE, "kubectl")
        .env("KUBECONFIG", kubeconfig);
    command.args(["--", "kubectl-grove"]).args(words);
    command.output().unwrap()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn kubeconfig(dir: &Path, server: &str) -> std::path::PathBuf {
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "one",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [
            {"name": "one", "context": {"cluster": "c", "user": "u", "namespace": "ml"}},
            {"name": "two", "context": {"cluster": "c", "user": "u"}},
        ],
    });
    let file = dir.join("kubeconfig");
    std::fs::write(&file, config.to_string()).unwrap();
    file
}

#[test]
fn commands_flags_and_contexts_need_no_cluster() {
    let dir = tempfile::tempdir().unwrap();
    let file = kubeconfig(dir.path(), "http://127.0.0.1:1");
    let commands = printed(&complete(&file, &[""]));
    assert!(
        commands.contains("tree\t") && commands.ends_with("\n:4\n"),
        "{commands}"
    );
    assert!(
        !commands.contains("--") && !commands.contains("man\t"),
        "{commands}"
    );
    let flags = printed(&complete(&file, &["bundle", "--op"]));
    assert!(flags.starts_with("--operator-namespace\t"), "{flags}");
    assert_eq!(
        printed(&complete(&file, &["tree", "--context", ""])),
        "one\ntwo\n:4\n"
    );
    assert_eq!(
        printed(&complete(&file, &["completion", "z"]))
            .lines()
            .count(),
        2
    );
}

/// Answers each request for that path with these names of sets.
fn serve(listener: TcpListener, path: &'static str) {
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let length = stream.read(&mut head).unwrap();
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let is_asked = head.starts_with(&format!("GET {path}?"));
            let item = |name: &str| json!({"metadata": {"name": name}});
            let items = if is_asked {
                vec![item("svc"), item("svc-b"), item("other")]
            } else {
                vec![]
            };
            let body = json!({
                "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                "metadata": {}, "items": items,
            })
            .to_string();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            write!(
                stream,
                "{head}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
        }
    });
}

#[rstest]
#[case(&["tree", "sv"], "/apis/grove.io/v1alpha1/namespaces/ml/podcliquesets", "svc\nsvc-b\n:4\n")]
#[case(&["bundle", "-n", "b", "o"], "/apis/grove.io/v1alpha1/namespaces/b/podcliquesets",
       "other\n:4\n")]
#[case(&["tree", "-n", "sv"], "/api/v1/namespaces", "svc\nsvc-b\n:4\n")]
#[case(&["bundle", "--operator-namespace", "o"], "/api/v1/namespaces", "other\n:4\n")]
fn names_are_those_of_the_cluster(
    #[case] words: &[&str],
    #[case] path: &'static str,
    #[case] expected: &str,
) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let address = listener.local_addr().unwrap();
    let file = kubeconfig(dir.path(), &format!("http://{address}"));
    serve(listener, path);
    assert_eq!(printed(&complete(&file, words)), expected);
}

/// A server that does not answer or a file that cannot be read prints nothing and delays little.
#[test]
fn trouble_is_silent_and_short() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let address = silent.local_addr().unwrap();
    let file = kubeconfig(dir.path(), &format!("http://{address}"));
    let began = Instant::now();
    assert_eq!(printed(&complete(&file, &["tree", ""])), ":4\n");
    let took = began.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
    let refused = kubeconfig(dir.path(), "http://127.0.0.1:1");
    assert_eq!(printed(&complete(&refused, &["tree", ""])), ":4\n");
    let missing = dir.path().join("nope");
    assert_eq!(printed(&complete(&missing, &["tree", ""])), ":4\n");
    let lost = printed(&complete(&missing, &["nonsense", "--flag", "x", ""]));
    assert!(lost.ends_with(":4\n"), "{lost}");
}
