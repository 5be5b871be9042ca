//! The workflows of this repository, checked by actionlint.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use localcluster::Repository;
use localcluster::tool::find_or_build_actionlint;

use crate::harness::control_plane::CHECKOUT;

/// Its complaints about these files; without the programs that it would run if it found them.
fn lint(files: &[PathBuf]) -> Result<(), String> {
    let program = find_or_build_actionlint(&Repository::find().unwrap()).unwrap();
    let mut actionlint = Command::new(program);
    actionlint.args(["-no-color", "-shellcheck=", "-pyflakes="]);
    let output = actionlint.args(files).current_dir(&*CHECKOUT).output();
    let output = output.unwrap();
    let words = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    output.status.success().then_some(()).ok_or(words)
}

#[test]
fn workflows_are_valid() {
    let entries = fs::read_dir(CHECKOUT.join(".github/workflows")).unwrap();
    let files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    lint(&files).unwrap_or_else(|words| panic!("{words}"));
}

#[test]
fn wrong_workflows_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("wrong.yaml");
    let text = fs::read_to_string(CHECKOUT.join(".github/workflows/release.yaml")).unwrap();
    for (right, wrong, words) in [
        ("needs: [files,", "needs: [file,", "needs job \"file\""),
        (
            "matrix.runner",
            "matrix.machine",
            "property \"machine\" is not defined",
        ),
        (
            "permissions:",
            "permission:",
            "unexpected key \"permission\"",
        ),
    ] {
        assert!(text.contains(right), "{right}");
        fs::write(&file, text.replace(right, wrong)).unwrap();
        let found = lint(std::slice::from_ref(&file)).unwrap_err();
        assert!(found.contains(words), "{wrong}: {found}");
    }
}

/// Registries take names in lower case only, and an owner on GitHub may have another one.
#[test]
fn a_release_goes_to_a_registry_in_lower_case() {
    let text = fs::read_to_string(CHECKOUT.join(".github/workflows/release.yaml")).unwrap();
    let lower = "REGISTRY=ghcr.io/${GITHUB_REPOSITORY,,}";
    let jobs = ["files", "images", "publish"];
    assert_eq!(text.matches(lower).count(), jobs.len());
    for job in jobs {
        let (_, steps) = text.split_once(&format!("\n  {job}:\n")).unwrap();
        let (before, _) = steps.split_once(lower).unwrap();
        assert!(!before.contains("$REGISTRY"), "{job}: {before}");
    }
    assert!(!text.contains("ghcr.io/${{ github.repository }}"));
}
