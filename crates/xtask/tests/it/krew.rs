//! The manifest for krew, from archives.

use std::fs;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use xtask::krew::{KrewArguments, head, manifest, run, sha256};

type Files<'a> = &'a [(&'a str, u32)];
const WHOLE: Files<'_> = &[("kubectl-grove", 0o755), ("LICENSE", 0o644)];

/// An archive of that name with these files.
fn pack(dir: &Path, name: &str, files: Files<'_>) -> PathBuf {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, mode) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(3);
        header.set_mode(*mode);
        archive.append_data(&mut header, path, &b"abc"[..]).unwrap();
    }
    let file = dir.join(name);
    fs::write(&file, archive.into_inner().unwrap().finish().unwrap()).unwrap();
    file
}

fn arguments(archives: Vec<PathBuf>) -> KrewArguments {
    KrewArguments {
        archives,
        base_uri: "https://example.com/v0.1.0/".into(),
        homepage: "https://example.com".into(),
        out: None,
    }
}

#[test]
fn the_version_is_that_of_the_workspace() {
    let version = head().unwrap()["spec"]["version"].clone();
    assert_eq!(version, format!("v{}", env!("CARGO_PKG_VERSION")));
}

/// The manifest in the tree does not mention archives, which do not exist yet.
#[test]
fn the_head_has_no_sums_and_no_addresses() {
    let head = head().unwrap();
    assert!(
        head["spec"]["platforms"].is_null() && head["spec"]["homepage"].is_null(),
        "{head}"
    );
    let short = head["spec"]["shortDescription"].as_str().unwrap();
    assert!(short.len() <= 50 && !short.ends_with('.'), "{short}");
}

#[test]
fn a_sum_is_that_of_the_standard() {
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(sha256(b"abc"), abc);
}

#[test]
fn each_archive_is_a_platform_with_its_sum() {
    let dir = tempfile::tempdir().unwrap();
    let linux = pack(dir.path(), "kubectl-grove-linux-amd64.tar.gz", WHOLE);
    let exe: Files<'_> = &[("./kubectl-grove.exe", 0o755), ("./LICENSE", 0o644)];
    let windows = pack(dir.path(), "kubectl-grove-windows-arm64.tar.gz", exe);
    let sum = sha256(&fs::read(&linux).unwrap());
    let mut arguments = arguments(vec![linux, windows]);
    arguments.out = Some(dir.path().join("grove.yaml"));
    assert!(run(&arguments).unwrap());
    let text = fs::read_to_string(dir.path().join("grove.yaml")).unwrap();
    let written: Value = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(written["metadata"]["name"], "grove");
    let platforms = &written["spec"]["platforms"];
    assert_eq!(
        platforms[0],
        json!({
            "selector": {"matchLabels": {"os": "linux", "arch": "amd64"}},
            "uri": "https://example.com/v0.1.0/kubectl-grove-linux-amd64.tar.gz",
            "sha256": sum,
            "files": [{"from": "kubectl-grove", "to": "."}, {"from": "LICENSE", "to": "."}],
            "bin": "kubectl-grove",
        })
    );
    assert_eq!(platforms[1]["bin"], "kubectl-grove.exe");
    assert_eq!(platforms[1]["selector"]["matchLabels"]["arch"], "arm64");
}

#[test]
fn archives_that_krew_could_not_install_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let linux = "kubectl-grove-linux-amd64.tar.gz";
    let cases: [(&str, Files<'_>, &str); 5] = [
        (
            "grove.tar.gz",
            WHOLE,
            "call it kubectl-grove-<os>-<arch>.tar.gz",
        ),
        (
            "kubectl-grove-linux-mips.tar.gz",
            WHOLE,
            "an arch of amd64, arm64",
        ),
        (linux, &[("kubectl-grove", 0o755)], "LICENSE is not in it"),
        (
            linux,
            &[("bin/kubectl-grove", 0o755), ("LICENSE", 0o644)],
            "kubectl-grove is not in it",
        ),
        (
            linux,
            &[("kubectl-grove", 0o644), ("LICENSE", 0o644)],
            "not executable",
        ),
    ];
    for (name, files, words) in cases {
        let archive = pack(dir.path(), name, files);
        let error = format!("{:#}", manifest(&arguments(vec![archive])).unwrap_err());
        assert!(error.contains(words) && error.contains(name), "{error}");
    }
    let other = dir.path().join(linux);
    fs::write(&other, "no archive").unwrap();
    assert!(manifest(&arguments(vec![other])).is_err());
    let archive = pack(dir.path(), linux, WHOLE);
    let twice = manifest(&arguments(vec![archive.clone(), archive.clone()]));
    assert!(twice.unwrap_err().to_string().contains("leave one out"));
    let mut plain = arguments(vec![archive]);
    plain.base_uri = "http://example.com".into();
    assert!(manifest(&plain).unwrap_err().to_string().contains("https"));
}
