//! A release records whether known advisories were checked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use rstest::rstest;
use tempfile::TempDir;
use xtask::output;

/// A folder with `hack/audit.sh`, and a tool that fetches the database or does not.
fn folder(fetches: bool) -> TempDir {
    let folder = TempDir::new().unwrap();
    let tool = folder.path().join(".tools/bin/cargo-deny");
    for path in [folder.path().join("hack/audit.sh"), tool.clone()] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
    }
    let script = fs::read_to_string(output::root().join("hack/audit.sh")).unwrap();
    let version = script
        .lines()
        .find_map(|line| line.strip_prefix("version="));
    fs::write(folder.path().join("hack/audit.sh"), &script).unwrap();
    let database = if fetches {
        "exit 0"
    } else {
        "echo no network; exit 1"
    };
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in --version) echo cargo-deny {};; *fetch*) {database};; esac\n",
        version.unwrap()
    );
    fs::write(&tool, text).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn audit(folder: &Path, advisories: Option<&str>) -> Output {
    let mut command = Command::new("bash");
    command
        .arg(folder.join("hack/audit.sh"))
        .env_remove("ADVISORIES");
    command.envs(advisories.map(|said| ("ADVISORIES", said)));
    command.output().unwrap()
}

#[rstest]
#[case::checked(true, None, Some("No known advisory of the RustSec database of "))]
#[case::out_of_reach(false, None, None)]
#[case::left_out(
    false,
    Some("skip"),
    Some("Known advisories were not checked (ADVISORIES=skip).")
)]
#[case::said_wrongly(true, Some("no"), None)]
fn the_checks_are_noted_or_the_audit_fails(
    #[case] fetches: bool,
    #[case] said: Option<&str>,
    #[case] noted: Option<&str>,
) {
    let folder = folder(fetches);
    let done = audit(folder.path(), said);
    let note = fs::read_to_string(folder.path().join("target/advisories.txt")).ok();
    assert_eq!(done.status.success(), noted.is_some(), "{done:?}");
    assert_eq!(note.is_some(), noted.is_some());
    let starts = |note: &String| noted.is_some_and(|noted| note.starts_with(noted));
    assert!(note.as_ref().is_none_or(starts), "{note:?}");
}

#[test]
fn a_release_has_the_note() {
    let script = fs::read_to_string(output::root().join("hack/release.sh")).unwrap();
    assert!(script.contains("target/advisories.txt"));
}
