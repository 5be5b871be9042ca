//! The commands in docs/migration.md, beside an installation with the names of the Go operator's.

use std::fs;
use std::process::Output;

use crate::harness::Namespace;
use crate::harness::control_plane::CHECKOUT;

/// All these tests install the chart under those names.
#[test]
fn the_command_of_the_migration_takes_no_name_of_the_go_operator() {
    let ns = Namespace::new("migrated");
    let command = command_of_the_migration();
    let output = rehearse(&ns, &command);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");

    let is_named = |word: &String| word.starts_with("fullnameOverride=");
    let names = command.iter().position(is_named).unwrap();
    let mut with_its_names = command;
    with_its_names[names] = "fullnameOverride=grove-operator".to_owned();
    let output = rehearse(&ns, &with_its_names);
    let errors = String::from_utf8_lossy(&output.stderr);
    let foreign = "cannot be imported into the current release";
    assert!(errors.contains(foreign), "{errors}");
}

/// The arguments of `helm` in that command.
fn command_of_the_migration() -> Vec<String> {
    let text = fs::read_to_string(CHECKOUT.join("docs/migration.md")).unwrap();
    let text = text.replace("\\\n", "");
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("helm install grove-rs "));
    let words = line.unwrap().split_whitespace();
    ["install", "grove-rs"]
        .into_iter()
        .chain(words)
        .map(str::to_owned)
        .collect()
}

/// The whole command except the part that would change something.
fn rehearse(ns: &Namespace<'_>, command: &[String]) -> Output {
    let mut helm = ns.control_plane.tool("helm", command);
    helm.args(["--dry-run=server", "--namespace", &ns.name]);
    helm.current_dir(&*CHECKOUT).output().unwrap()
}
