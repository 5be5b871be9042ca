//! `cargo xtask compare-crds <folder>`: are our definitions those of Grove, and ours on top?

mod exceptions;
pub mod facts;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;

use exceptions::Exception;
use facts::{Facts, Key};

/// How our definition of a kind differs from another one.
#[derive(Debug, Default)]
pub struct Comparison {
    /// What the other has and ours lacks.
    pub missing: Vec<String>,
    /// What both have, but not alike.
    pub different: Vec<String>,
    /// What only ours has.
    pub additions: Vec<String>,
    /// Differences on purpose, with the reason.
    pub excepted: Vec<String>,
}

/// Compares with every definition in the folder that is of one of our kinds and prints what
/// differs. False if something is missing or different that is not on the list of exceptions.
pub fn run(folder: &Path) -> anyhow::Result<bool> {
    let theirs = read_folder(folder)?;
    let mut ok = true;
    for crd in api::crds::all() {
        let kind = &crd.spec.names.kind;
        let name = crd.metadata.name.as_deref().context("a CRD has a name")?;
        let Some(other) = theirs.get(name) else {
            println!("{kind}: no definition named {name} in {}", folder.display());
            ok = false;
            continue;
        };
        let comparison = compare(kind, &serde_json::to_value(&crd)?, other);
        print(kind, &comparison);
        ok &= comparison.missing.is_empty() && comparison.different.is_empty();
    }
    Ok(ok)
}

/// Compares two definitions of the same kind.
pub fn compare(kind: &str, ours: &Value, theirs: &Value) -> Comparison {
    let (ours, theirs) = (facts::of(ours), facts::of(theirs));
    let mut comparison = Comparison::default();
    for (key, value) in &theirs {
        match ours.get(key) {
            Some(mine) if mine == value => {}
            Some(mine) => {
                comparison.differs(kind, key, format!("{key}: ours {mine}, theirs {value}"));
            }
            None if has_path(&ours, key) => {
                comparison.differs(kind, key, format!("{key}: ours none, theirs {value}"));
            }
            None if key.is_presence() && has_parent(&ours, key) => comparison.lacks(kind, key),
            None => {}
        }
    }
    for (key, value) in ours.iter().filter(|(key, _)| !theirs.contains_key(key)) {
        if has_path(&theirs, key) {
            comparison.differs(kind, key, format!("{key}: ours {value}, theirs none"));
        } else if key.is_presence() && has_parent(&theirs, key) {
            comparison.additions.push(key.path.clone());
        }
    }
    comparison
}

fn has_path(facts: &Facts, key: &Key) -> bool {
    !key.is_presence() && facts.contains_key(&Key::presence(&key.path))
}

/// Of an object that one side lacks only the object itself is worth a line.
fn has_parent(facts: &Facts, key: &Key) -> bool {
    facts::parent(&key.path).is_none_or(|parent| facts.contains_key(&Key::presence(parent)))
}

impl Comparison {
    fn differs(&mut self, kind: &str, key: &Key, line: String) {
        match exceptions::find(kind, key) {
            Some(Exception { reason, .. }) => self.excepted.push(format!("{line} -- {reason}")),
            None => self.different.push(line),
        }
    }

    fn lacks(&mut self, kind: &str, key: &Key) {
        match exceptions::find(kind, key) {
            Some(Exception { reason, .. }) => {
                self.excepted
                    .push(format!("{}: missing -- {reason}", key.path));
            }
            None => self.missing.push(key.path.clone()),
        }
    }
}

fn print(kind: &str, comparison: &Comparison) {
    println!("== {kind}");
    for (title, lines) in [
        ("missing in ours", &comparison.missing),
        ("different", &comparison.different),
        ("different on purpose", &comparison.excepted),
        ("only in ours (additions)", &comparison.additions),
    ] {
        println!("  {title}: {}", lines.len());
        for line in lines {
            println!("    {line}");
        }
    }
}

/// The definitions of a folder by name.
fn read_folder(folder: &Path) -> anyhow::Result<BTreeMap<String, Value>> {
    let mut definitions = BTreeMap::new();
    let entries = fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if !path.extension().is_some_and(|e| e == "yaml" || e == "yml") {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let value: Value = serde_saphyr::from_str(&text)
            .with_context(|| format!("{} is not one YAML document", path.display()))?;
        if let Some(name) = value.pointer("/metadata/name").and_then(Value::as_str) {
            definitions.insert(name.to_owned(), value.clone());
        }
    }
    Ok(definitions)
}
