//! `cargo xtask sbom`: the crates that are linked into the programs of a release, in the form of
//! `CycloneDX`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::chart::VERSION;
use crate::json::at;
use crate::krew::sha256;
use crate::output;

/// Packages with released programs.
pub const PROGRAMS: [&str; 3] = ["operator", "initc", "cli"];

/// The output of cargo.
#[derive(Debug)]
pub struct Facts {
    /// All packages of the lock file, and their possible dependencies.
    pub metadata: Value,
    /// Name and version of the packages that are linked into the programs for the images' platform.
    pub linked: BTreeSet<(String, String)>,
}

/// Prints the list. True: it succeeds or returns the error.
pub fn run() -> Result<bool> {
    println!("{:#}", list(&read_facts()?));
    Ok(true)
}

/// Runs cargo. Features that only tests enable are in its metadata, and not in its tree.
pub fn read_facts() -> Result<Facts> {
    let metadata = ask(&["metadata", "--format-version=1", "--locked"])?;
    let mut linked = BTreeSet::new();
    for program in PROGRAMS {
        let tree = ask(&[
            "tree",
            "--locked",
            "--edges=normal",
            "--target=x86_64-unknown-linux-musl",
            "--prefix=none",
            "--format={p}",
            "--package",
            program,
        ])?;
        linked.extend(tree.lines().filter_map(name_and_version));
    }
    Ok(Facts {
        metadata: serde_json::from_str(&metadata)?,
        linked,
    })
}

/// Of a line such as `serde_derive v1.0.228 (proc-macro)`.
fn name_and_version(line: &str) -> Option<(String, String)> {
    let mut words = line.split_whitespace();
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    Some((name.to_owned(), version.to_owned()))
}

fn ask(arguments: &[&str]) -> Result<String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = Command::new(cargo);
    let output = cargo.args(arguments).current_dir(output::root()).output();
    let output = output.with_context(|| format!("cargo {}", arguments.join(" ")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "cargo {}: {said}",
        arguments.join(" ")
    );
    Ok(String::from_utf8(output.stdout)?)
}

/// The list of parts, which is the same whenever it is made.
pub fn list(facts: &Facts) -> Value {
    let mut packages = by_id(at(&facts.metadata, "/packages"));
    packages.retain(|_, package| is_linked(facts, package));
    let nodes = by_id(at(&facts.metadata, "/resolve/nodes"));
    let components: Vec<Value> = packages.values().map(|p| component(p)).collect();
    let dependencies = packages.iter().map(|(id, package)| {
        let below = nodes.get(id).map(|node| dependencies_of(node));
        let below = below.into_iter().flatten();
        let below = below.filter_map(|id| packages.get(id)).map(|p| purl(p));
        json!({"ref": purl(package), "dependsOn": below.collect::<BTreeSet<String>>()})
    });
    let mut parts = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": {
            "type": "application", "bom-ref": "grove", "name": "grove", "version": VERSION,
        }},
        "components": components,
        "dependencies": dependencies.collect::<Vec<Value>>(),
    });
    let serial_number = serial_number(&parts.to_string());
    if let Some(fields) = parts.as_object_mut() {
        fields.insert("serialNumber".into(), serial_number.into());
    }
    parts
}

/// A UUID of version 8, whose digits are those of a sum: GitHub attests no list without one.
fn serial_number(parts: &str) -> String {
    let sum = sha256(parts.as_bytes());
    let digits = |from: usize, to: usize| sum.get(from..to).unwrap_or_default();
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        digits(0, 8),
        digits(8, 12),
        digits(12, 15),
        digits(15, 18),
        digits(18, 30)
    )
}

fn is_linked(facts: &Facts, package: &Value) -> bool {
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    facts.linked.contains(&(text("name"), text("version")))
}

fn by_id(list: &Value) -> BTreeMap<&str, &Value> {
    let all = list.as_array().into_iter().flatten();
    all.filter_map(|item| Some((item["id"].as_str()?, item)))
        .collect()
}

/// Its linked dependencies, without those of build scripts and tests.
fn dependencies_of(node: &Value) -> impl Iterator<Item = &str> {
    let dependencies = node["deps"].as_array().into_iter().flatten();
    let is_normal = |d: &&Value| {
        let kinds = d["dep_kinds"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|k| k["kind"].is_null()))
    };
    let linked = dependencies.filter(is_normal);
    linked.filter_map(|d| d["pkg"].as_str())
}

fn component(package: &Value) -> Value {
    let is_program = package["source"].is_null() && PROGRAMS.iter().any(|p| package["name"] == *p);
    let kind = if is_program { "application" } else { "library" };
    let mut component = json!({
        "type": kind, "bom-ref": purl(package), "purl": purl(package),
        "name": package["name"], "version": package["version"],
    });
    // The slash is the notation before SPDX had expressions.
    if let (Some(licence), Some(map)) = (package["license"].as_str(), component.as_object_mut()) {
        let expression = licence.replace('/', " OR ");
        map.insert("licenses".into(), json!([{"expression": expression}]));
    }
    component
}

fn purl(package: &Value) -> String {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}
