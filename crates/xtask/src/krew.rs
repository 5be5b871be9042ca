//! `cargo xtask krew`: krew's manifest of kubectl-grove from the archives of a release.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{output, yaml};

/// The parts that are the same for each release, relative to the root of the workspace.
pub const HEAD: &str = "config/krew/grove.yaml";
const PROGRAM: &str = "kubectl-grove";
const LICENSE: &str = "LICENSE";
/// As krew calls them.
const SYSTEMS: [&str; 3] = ["darwin", "linux", "windows"];
const ARCHITECTURES: [&str; 2] = ["amd64", "arm64"];

/// Arguments of `krew`.
#[derive(Debug, Args)]
pub struct KrewArguments {
    /// Archives with kubectl-grove and LICENSE, called kubectl-grove-<os>-<arch>.tar.gz
    #[arg(long = "archive", value_name = "FILE", required = true, num_args = 1..)]
    pub archives: Vec<PathBuf>,

    /// The folder where they can be downloaded, such as `https://example.com/releases/v0.1.0`
    #[arg(long, value_name = "URI")]
    pub base_uri: String,

    /// Where people read of it
    #[arg(long, value_name = "URI")]
    pub homepage: String,

    /// File that is written; otherwise the manifest is printed
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Writes the manifest. True: it succeeds or returns the error.
pub fn run(arguments: &KrewArguments) -> Result<bool> {
    let text = yaml::text(&manifest(arguments)?)?;
    match &arguments.out {
        Some(path) => {
            fs::write(path, text).with_context(|| format!("write {}", path.display()))?;
        }
        None => print!("{text}"),
    }
    Ok(true)
}

/// The manifest of these archives.
pub fn manifest(arguments: &KrewArguments) -> Result<Value> {
    for (flag, uri) in [
        ("--base-uri", &arguments.base_uri),
        ("--homepage", &arguments.homepage),
    ] {
        ensure!(
            uri.starts_with("https://"),
            "{flag}: {uri}: krew downloads over https only; begin it with https://"
        );
    }
    let mut manifest = head()?;
    let mut seen = BTreeSet::new();
    let mut platforms = Vec::new();
    for archive in &arguments.archives {
        let [system, architecture] = platform_of(archive)?;
        ensure!(
            seen.insert([system.clone(), architecture.clone()]),
            "{}: another archive is for {system} on {architecture}, too; leave one out",
            archive.display()
        );
        platforms.push(platform(arguments, archive, &system, &architecture)?);
    }
    let spec = manifest.get_mut("spec").and_then(Value::as_object_mut);
    let spec = spec.with_context(|| format!("{HEAD}: spec: missing"))?;
    spec.insert("homepage".into(), json!(arguments.homepage));
    spec.insert("platforms".into(), Value::from(platforms));
    Ok(manifest)
}

/// The parts that are the same for each release.
pub fn head() -> Result<Value> {
    let text = fs::read_to_string(output::root().join(HEAD)).context(HEAD)?;
    serde_saphyr::from_str(&text).context(HEAD)
}

/// The SHA-256 sum, as krew compares it.
pub fn sha256(bytes: &[u8]) -> String {
    let sum = Sha256::digest(bytes);
    sum.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn platform(
    arguments: &KrewArguments,
    archive: &Path,
    system: &str,
    architecture: &str,
) -> Result<Value> {
    let program = if system == "windows" {
        format!("{PROGRAM}.exe")
    } else {
        PROGRAM.to_owned()
    };
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let bytes = fs::read(archive).with_context(|| archive.display().to_string())?;
    look_into(&bytes, &program).with_context(|| archive.display().to_string())?;
    Ok(json!({
        "selector": {"matchLabels": {"os": system, "arch": architecture}},
        "uri": format!("{}/{name}", arguments.base_uri.trim_end_matches('/')),
        "sha256": sha256(&bytes),
        "files": [{"from": program, "to": "."}, {"from": LICENSE, "to": "."}],
        "bin": program,
    }))
}

/// System and architecture by the archive's name.
fn platform_of(archive: &Path) -> Result<[String; 2]> {
    let name = archive.file_name().unwrap_or_default().to_string_lossy();
    let inner = name.strip_prefix("kubectl-grove-");
    let inner = inner.and_then(|name| name.strip_suffix(".tar.gz"));
    match inner.and_then(|name| name.split_once('-')) {
        Some((os, arch)) if SYSTEMS.contains(&os) && ARCHITECTURES.contains(&arch) => {
            Ok([os.to_owned(), arch.to_owned()])
        }
        _ => bail!(
            "{}: call it kubectl-grove-<os>-<arch>.tar.gz, with an os of {} and an arch of {}",
            archive.display(),
            SYSTEMS.join(", "),
            ARCHITECTURES.join(", ")
        ),
    }
}

/// Fails unless the program and the licence are in it, at the top.
fn look_into(bytes: &[u8], program: &str) -> Result<()> {
    let mut archive = tar::Archive::new(GzDecoder::new(bytes));
    let mut found = BTreeSet::new();
    for entry in archive.entries()? {
        let mut entry = entry.context("not a tar.gz")?;
        let path = entry.path()?.to_string_lossy().into_owned();
        let path = path.trim_start_matches("./").to_owned();
        let is_runnable = entry.header().mode()? & 0o111 != 0;
        ensure!(
            path != program || is_runnable,
            "{program} is not executable; chmod +x before it is packed"
        );
        // A broken archive shows when it is read to its end.
        entry.read_to_end(&mut Vec::new())?;
        found.insert(path);
    }
    for needed in [program, LICENSE] {
        ensure!(
            found.contains(needed),
            "{needed} is not in it, only {found:?}; krew needs both {program} and {LICENSE}"
        );
    }
    Ok(())
}
