//! The workflow of a release and its scripts.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use xtask::krew::{KrewArguments, manifest};
use xtask::output;

const WORKFLOWS: &str = ".github/workflows";

/// The commands of all steps of all workflows.
fn commands() -> Vec<String> {
    let mut commands = Vec::new();
    for entry in fs::read_dir(output::root().join(WORKFLOWS)).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let workflow: Value = serde_saphyr::from_str(&text).unwrap();
        for job in workflow["jobs"].as_object().unwrap().values() {
            let steps = job["steps"].as_array().unwrap().iter();
            commands.extend(steps.filter_map(|step| step["run"].as_str().map(str::to_owned)));
        }
    }
    assert!(commands.len() > 8, "{commands:?}");
    commands
}

/// The words that follow this one.
fn words_after(commands: &[String], word: &str) -> BTreeSet<String> {
    let words = commands.iter().map(|command| command.split_whitespace());
    words
        .flat_map(|words| words.clone().zip(words.skip(1)))
        .filter(|(first, _)| *first == word)
        .map(|(_, next)| next.to_owned())
        .collect()
}

#[test]
fn scripts_and_targets_of_the_workflows_exist() {
    let commands = commands();
    let makefile = fs::read_to_string(output::root().join("Makefile")).unwrap();
    let targets = words_after(&commands, "make");
    assert!(targets.contains("release"), "{targets:?}");
    for target in targets {
        assert!(makefile.contains(&format!("\n{target}: ")), "make {target}");
    }
    let words = commands.iter().flat_map(|c| c.split_whitespace());
    let scripts: BTreeSet<&str> = words.filter(|word| word.starts_with("hack/")).collect();
    assert!(!scripts.is_empty());
    for script in scripts {
        assert!(output::root().join(script).is_file(), "{script}");
    }
}

/// The version of the images is that of Cargo.toml: a tag of another version must not replace those of a
/// published release.
#[test]
fn nothing_is_pushed_before_the_tag_was_compared_with_the_version() {
    let path = output::root().join(WORKFLOWS).join("release.yaml");
    let workflow: Value = serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let jobs = workflow["jobs"].as_object().unwrap();
    let is_check = |step: &Value| {
        let run = step["run"].as_str().unwrap_or_default();
        run.contains("GITHUB_REF_NAME#v") && run.contains("Cargo.toml")
    };
    let checks = |job: &Value| job["steps"].as_array().unwrap().iter().any(is_check);
    let (checking, _) = jobs.iter().find(|(_, job)| checks(job)).unwrap();
    let pushing = jobs
        .iter()
        .filter(|(_, job)| job["permissions"]["packages"] == "write");
    let pushing: Vec<(&String, &Value)> = pushing.collect();
    assert_eq!(pushing.len(), 2, "{pushing:?}");
    for (name, job) in pushing {
        let needed = job["needs"].as_array();
        let needed = needed.is_some_and(|all| all.iter().any(|one| one == checking.as_str()));
        assert!(needed, "{name} does not wait for {checking}");
    }
}

/// A run by hand may be of a tag, too, and would replace the images of that release.
#[test]
fn a_run_by_hand_publishes_nothing() {
    let path = output::root().join(WORKFLOWS).join("release.yaml");
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains("if: github.event_name == 'push'"));
    assert!(!text.contains("ref_type"), "a tag is no sign of a push");
}

/// Runs the script that builds and packs kubectl-grove.
fn run_plugin_script(programs: &Path, arguments: &[&str]) -> Output {
    let mut script = Command::new(output::root().join("hack/plugin.sh"));
    script.args(arguments).env("PLUGINS", programs);
    script.output().unwrap()
}

fn archives(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Programs as artifacts leave them: without their mode.
#[test]
fn packed_programs_are_archives_for_krew() {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    for (platform, program) in [
        ("darwin-arm64", "kubectl-grove"),
        ("linux-amd64", "kubectl-grove"),
        ("windows-amd64", "kubectl-grove.exe"),
    ] {
        fs::create_dir_all(programs.join(platform)).unwrap();
        fs::write(programs.join(platform).join(program), "program").unwrap();
        fs::write(programs.join(platform).join("THIRD-PARTY.txt"), "text").unwrap();
    }
    let [first, again] = ["first", "again"].map(|name| folder.path().join(name));
    for out in [&first, &again] {
        let packed = run_plugin_script(&programs, &["pack", out.to_str().unwrap()]);
        assert!(packed.status.success(), "{packed:?}");
    }
    let read = |out: &Path| {
        archives(out)
            .iter()
            .map(fs::read)
            .collect::<Result<Vec<_>, _>>()
    };
    assert_eq!(read(&first).unwrap(), read(&again).unwrap());
    let manifest = manifest(&KrewArguments {
        archives: archives(&first),
        base_uri: "https://example.com/v1".into(),
        homepage: "https://example.com".into(),
        out: None,
    });
    let manifest = manifest.unwrap();
    let platforms = manifest["spec"]["platforms"].as_array().unwrap();
    assert_eq!(platforms.len(), 3, "{manifest}");
    assert_eq!(platforms[2]["bin"], "kubectl-grove.exe");
}

/// An image or an archive with a program has the licences of its crates, or is not built.
#[test]
fn licences_are_not_written_without_the_list_of_crates() {
    let folder = tempfile::tempdir().unwrap();
    let cargo = folder.path().join("cargo");
    fs::write(&cargo, "#!/bin/sh\nexit 101\n").unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let others = env::var("PATH").unwrap();
    let mut script = Command::new(output::root().join("hack/licences.sh"));
    script.args(["x86_64-unknown-linux-musl", "operator", "cli"]);
    script.env("PATH", format!("{}:{others}", folder.path().display()));
    let refused = script.output().unwrap();
    assert!(!refused.status.success(), "{refused:?}");
}

#[test]
fn an_unknown_platform_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run_plugin_script(folder.path(), &["build", "linux-mips"]);
    assert!(!refused.status.success());
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(
        words.contains("linux-mips: name a system and an architecture"),
        "{words}"
    );
    let out = folder.path().join("out");
    let empty = run_plugin_script(folder.path(), &["pack", out.to_str().unwrap()]);
    assert!(!empty.status.success(), "{empty:?}");
}

/// Not after a build of helm, which takes minutes.
#[test]
fn a_release_without_a_registry_is_refused_at_once() {
    let mut script = Command::new(output::root().join("hack/release.sh"));
    let refused = script.env_remove("REGISTRY").output().unwrap();
    assert!(!refused.status.success());
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(
        words.starts_with("make release: REGISTRY is empty"),
        "{words}"
    );
    let makefile = fs::read_to_string(output::root().join("Makefile")).unwrap();
    assert!(makefile.contains("\n\t@hack/release.sh\n"));
}
