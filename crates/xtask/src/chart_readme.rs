//! `charts/grove/README.md`: the introduction of the chart, and every value with its comment in
//! `values.yaml`.

use std::fs;

use anyhow::{Context, bail};

use crate::output::{self, Output};

/// Where the values are.
pub const VALUES: &str = "charts/grove/values.yaml";
const HEAD: &str = include_str!("chart_readme/head.md");

/// `charts/grove/README.md`
pub fn readme() -> anyhow::Result<Output> {
    let values =
        fs::read_to_string(output::root().join(VALUES)).with_context(|| VALUES.to_owned())?;
    Ok(Output {
        path: "charts/grove/README.md".into(),
        text: format!("{HEAD}\n{}", list(&values)?),
    })
}

/// The values as a list: path, default, comment.
pub fn list(values: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    for value in entries(values)? {
        // A map that only holds others needs no line of its own.
        if value.default.is_empty() && value.comment.is_empty() {
            continue;
        }
        text.extend(["- `", &value.path.join("."), "`"]);
        if !value.default.is_empty() {
            text.extend([": `", &value.default, "`"]);
        }
        text.push('\n');
        for line in value.comment {
            text.extend([" ", &line, "\n"]);
        }
    }
    Ok(text)
}

/// A value of the chart.
#[derive(Debug)]
pub struct Entry {
    /// The keys that lead to it.
    pub path: Vec<String>,
    /// The value as it is written; empty for a map.
    pub default: String,
    /// The lines above it, without the `#`.
    pub comment: Vec<String>,
}

/// All values in the order of the file.
pub fn entries(values: &str) -> anyhow::Result<Vec<Entry>> {
    let mut reader = Reader::default();
    for (number, line) in values.lines().enumerate() {
        reader
            .line(line)
            .with_context(|| format!("{VALUES}:{}", number + 1))?;
    }
    Ok(reader.entries)
}

#[derive(Default)]
struct Reader {
    /// The keys that lead to the next line, and how far each is indented.
    path: Vec<(usize, String)>,
    comment: Vec<String>,
    entries: Vec<Entry>,
}

impl Reader {
    fn line(&mut self, line: &str) -> anyhow::Result<()> {
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        if inner.is_empty() {
            // A comment without a value, such as the head of the file, belongs to none.
            self.comment.clear();
        } else if let Some(comment) = inner.strip_prefix('#') {
            self.comment.push(comment.trim_end().to_owned());
        } else if let Some((key, default)) = inner.split_once(':') {
            self.value(indent, key, default.trim());
        } else {
            bail!("{inner:?} is no `key: default`: write lists on one line");
        }
        Ok(())
    }

    fn value(&mut self, indent: usize, key: &str, default: &str) {
        self.path.retain(|(outer, _)| *outer < indent);
        self.path.push((indent, key.to_owned()));
        self.entries.push(Entry {
            path: self.path.iter().map(|(_, key)| key.clone()).collect(),
            default: default.to_owned(),
            comment: std::mem::take(&mut self.comment),
        });
    }
}
