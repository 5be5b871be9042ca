//! The answers on the first screen of the README.

use std::fs;
use std::path::Path;

use cli::tree::{build_tree, draw_tree};

use super::stuck::gpu;
use super::{draw, explain};
use crate::read::{now, plain};

/// The text as a block of the README.
fn indent(text: &str) -> String {
    let lines = text.lines().map(|line| format!("    {line}\n"));
    lines.collect()
}

#[test]
fn the_readme_shows_the_printed_answers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(path).unwrap();
    let (workload, events) = gpu();
    let tree = indent(&plain(&draw_tree(&build_tree(&workload, now()), false)));
    assert!(readme.contains(&tree), "the README needs:\n{tree}");
    let answer = draw(&explain(&workload, &events));
    let is_shown = |part: &&str| !part.starts_with("Found") && !part.starts_with("Evidence");
    let shown: Vec<String> = answer.split("\n\n").filter(is_shown).map(indent).collect();
    let shown = shown.join("\n");
    assert!(readme.contains(&shown), "the README needs:\n{shown}");
}
