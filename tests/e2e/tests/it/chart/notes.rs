//! The notes that helm prints after an installation, and the chart as a dependency.

use std::fs;
use std::process::Command;

use serde_json::json;
use tempfile::tempdir;

use super::{helm, own_name};
use crate::harness::Namespace;
use crate::harness::control_plane::printed;
use crate::harness::installation::chart;

/// The notes for these values.
fn notes(ns: &Namespace<'_>, values: &[&str]) -> String {
    let (chart, name) = (chart(), own_name(ns));
    let mut args = vec!["install", &ns.name, &chart, "--dry-run=client"];
    args.extend(["--set", &name]);
    args.extend(values.iter().flat_map(|value| ["--set", value]));
    let printed = helm(ns, &args);
    let (_, notes) = printed.split_once("\nNOTES:\n").unwrap();
    notes.to_owned()
}

#[test]
fn the_notes_say_whether_gangs_are_placed_as_a_whole() {
    let ns = Namespace::new("chart-notes");
    let one_by_one = "default-scheduler gives them nodes one by one";
    let said = notes(&ns, &[]);
    assert!(said.contains(one_by_one), "{said}");
    // The command in them.
    let options = said.split("--set '").skip(1);
    let native: Vec<&str> = options.filter_map(|rest| rest.split('\'').next()).collect();
    assert_eq!(native.len(), 2, "{said}");
    let kai = ["config.scheduler.profiles[0].name=kai-scheduler"];
    for profile in [&native[..], &kai] {
        let said = notes(&ns, profile);
        assert!(!said.contains(one_by_one), "{profile:?}: {said}");
    }
    let same = ["config.scheduler.profiles[0].name=default-scheduler"];
    assert!(notes(&ns, &same).contains(one_by_one));
}

#[test]
fn the_notes_of_a_paused_operator_start_nothing() {
    let ns = Namespace::new("chart-notes-paused");
    let start = "kubectl apply -f examples/quickstart.yaml";
    assert!(notes(&ns, &[]).contains(start));
    let said = notes(&ns, &["replicaCount=0"]);
    assert!(!said.contains(start), "{said}");
    assert!(said.contains("--set replicaCount=2"), "{said}");
}

/// Helm's way to switch a dependency on and off.
#[test]
fn the_chart_may_be_a_dependency_with_a_condition() {
    let ns = Namespace::new("chart-dependency");
    let parent = tempdir().unwrap();
    let charts = parent.path().join("charts");
    fs::create_dir(&charts).unwrap();
    printed(Command::new("cp").args(["-r", &chart()]).arg(&charts));
    let grove = json!({"name": "grove", "version": "*", "condition": "grove.enabled"});
    let platform = json!({"apiVersion": "v2", "name": "platform", "version": "0.1.0",
        "dependencies": [grove]});
    fs::write(parent.path().join("Chart.yaml"), platform.to_string()).unwrap();
    let folder = parent.path().to_str().unwrap();
    let operators = |value: &str| {
        let rendered = helm(&ns, &["template", &ns.name, folder, "--set", value]);
        rendered.matches("\nkind: Deployment\n").count()
    };
    assert_eq!(operators("grove.enabled=true"), 1);
    assert_eq!(operators("grove.enabled=false"), 0);
}
