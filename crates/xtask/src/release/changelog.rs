//! `CHANGELOG.md`, as Artifact Hub wants it.

use anyhow::{Result, bail};
use serde_json::{Value, json};

/// Headings of a version's section, and their names for Artifact Hub.
const KINDS: [(&str, &str); 6] = [
    ("Added", "added"),
    ("Changed", "changed"),
    ("Deprecated", "deprecated"),
    ("Removed", "removed"),
    ("Fixed", "fixed"),
    ("Security", "security"),
];

/// The changes of a version: kind and description of each.
pub fn changes(changelog: &str, version: &str) -> Result<Value> {
    let Some(section) = find_section(changelog, version) else {
        bail!("CHANGELOG.md has no heading `## {version}`: rename `## Unreleased`, with the date");
    };
    let mut changes = Vec::new();
    for part in section.split("\n### ").skip(1) {
        let (heading, items) = part.split_once('\n').unwrap_or((part, ""));
        let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == heading) else {
            bail!("CHANGELOG.md: `### {heading}` is none of Keep a Changelog's headings");
        };
        let items = format!("\n{items}");
        let described = items.split("\n- ").skip(1).map(flatten);
        changes.extend(described.map(|text| json!({"kind": kind, "description": text})));
    }
    Ok(changes.into())
}

/// From the heading, which may have a date, to the next one.
fn find_section<'a>(changelog: &'a str, version: &str) -> Option<&'a str> {
    let is_it = |part: &&str| {
        let heading = part.lines().next().unwrap_or_default();
        heading.split_whitespace().next() == Some(version)
    };
    changelog.split("\n## ").skip(1).find(is_it)
}

/// One line, and links by their names.
fn flatten(item: &str) -> String {
    let words: Vec<&str> = item.split_whitespace().collect();
    let mut rest = words.join(" ");
    let mut text = String::new();
    while let Some((before, link)) = rest.split_once('[') {
        let named = link.split_once("](");
        let parts = named.and_then(|(name, target)| Some((name, target.split_once(')')?.1)));
        let Some((name, after)) = parts else { break };
        text.extend([before, name]);
        rest = after.to_owned();
    }
    text + &rest
}
