//! Completions in a real kubectl and a real bash.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use tempfile::tempdir;

use crate::harness::Namespace;
use crate::harness::control_plane::printed;
use crate::harness::manifest::{clique, set};
use crate::harness::operator::plugin;
use crate::harness::plugin::offline;

/// A PATH on which kubectl finds the plugin and its completions.
fn install(folder: &Path, kubectl: &Path) -> String {
    symlink(plugin(), folder.join("kubectl-grove")).unwrap();
    let script = offline(&["completion", "kubectl"]).stdout;
    let file = folder.join("kubectl_complete-grove");
    fs::write(&file, script).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let path = env::var("PATH").unwrap();
    format!("{}:{}:{path}", folder.display(), kubectl.display())
}

const IN_BASH: &str = r#"
source <(kubectl-grove completion bash)
COMP_WORDS=(kubectl-grove tree --namespace "$NAMESPACE" "")
COMP_CWORD=4
_clap_complete_kubectl_grove kubectl-grove "" "$NAMESPACE"
printf '%s\n' "${COMPREPLY[@]}"
"#;

#[test]
fn names_of_sets_are_completed() {
    let ns = Namespace::new("cli-completion");
    for name in ["svc-a", "svc-b", "other"] {
        ns.apply(&set(name, &[clique("a", 1)], &[]));
    }
    let dir = tempdir().unwrap();
    let path = install(dir.path(), ns.control_plane.bin());
    let complete = |words: &[&str]| {
        let all = [&["__complete", "grove"], words].concat();
        let mut kubectl = ns.control_plane.tool("kubectl", all);
        kubectl.env("PATH", &path);
        printed(&mut kubectl)
    };
    let place = ["--namespace", &ns.name];
    let in_namespace = |command: &str, begun: &str| {
        let words = [&[command], &place[..], &[begun]].concat();
        complete(&words)
    };
    assert_eq!(in_namespace("tree", "svc-"), "svc-a\nsvc-b\n:4\n");
    assert_eq!(in_namespace("bundle", "o"), "other\n:4\n");
    let commands = complete(&["b"]);
    assert!(commands.starts_with("bundle\t"), "{commands}");

    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", IN_BASH])
        .env("PATH", &path)
        .env("NAMESPACE", &ns.name)
        .env("KUBECONFIG", &ns.control_plane.kubeconfig);
    let in_bash = printed(&mut bash);
    let names: Vec<&str> = in_bash.lines().filter(|l| !l.starts_with('-')).collect();
    assert_eq!(names, ["other", "svc-a", "svc-b"], "{in_bash}");
}
