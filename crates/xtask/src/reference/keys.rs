//! Labels, annotations, finalizers and gates.

use anyhow::Context;

use super::page::{code, fill, table};
use crate::output::Output;
use crate::source::{self, Item};

/// Beginnings of the comments of keys.
const SORTS: [&str; 5] = [
    "Label or annotation of ",
    "Label of ",
    "Annotation of ",
    "Finalizer of ",
    "Scheduling gate of ",
];
/// Constants beside that are no keys.
const OTHERS: [&str; 3] = ["Value of ", "Selects ", "Prefix of "];

const FILE: &str = "crates/api/src/labels.rs";

/// A key, as its comment describes it.
struct Key {
    sort: &'static str,
    name: String,
    on: String,
    meaning: String,
}

/// `docs/reference/labels.md`
pub(super) fn labels() -> anyhow::Result<Output> {
    let keys = read()?;
    let items = source::parse(FILE)?;
    let components = source::constants(source::module(&items, "component")?);
    let rows = components.into_iter().map(|i| [code(&i.value), i.comment]);
    let places = [
        ("labels", list(&keys, &["Label of ", "Label or "])),
        ("components", table(["Value", "Object"], rows)),
    ];
    fill("labels", include_str!("labels.md"), &places)
}

/// `docs/reference/annotations.md`
pub(super) fn annotations() -> anyhow::Result<Output> {
    let keys = read()?;
    let (yours, ours): (Vec<Key>, Vec<Key>) = keys
        .into_iter()
        .partition(|key| key.on.ends_with(", set by you"));
    let places = [
        ("yours", list(&yours, &["Annotation of ", "Label or "])),
        ("ours", list(&ours, &["Annotation of ", "Label or "])),
        ("finalizers", list(&ours, &["Finalizer of "])),
        ("gates", list(&ours, &["Scheduling gate of "])),
    ];
    fill("annotations", include_str!("annotations.md"), &places)
}

/// The text of every key.
pub fn names() -> anyhow::Result<Vec<String>> {
    Ok(read()?.into_iter().map(|key| key.name).collect())
}

fn list(keys: &[Key], sorts: &[&str]) -> String {
    let meant = |key: &&Key| sorts.iter().any(|sort| key.sort.starts_with(sort));
    let rows = keys.iter().filter(meant).map(|key| {
        let on = key.on.trim_end_matches(", set by you").to_owned();
        [code(&key.name), on, key.meaning.clone()]
    });
    table(["Key", "On", "Meaning"], rows)
}

fn read() -> anyhow::Result<Vec<Key>> {
    let items = source::constants(&source::parse(FILE)?);
    let is_key = |item: &&Item| !OTHERS.iter().any(|other| item.comment.starts_with(other));
    items.iter().filter(is_key).map(describe).collect()
}

fn describe(item: &Item) -> anyhow::Result<Key> {
    let expected = || {
        let name = &item.name;
        format!("{FILE}: {name}: begin its comment with one of {SORTS:?}, the kind, and a colon")
    };
    let sort = SORTS
        .into_iter()
        .find(|sort| item.comment.starts_with(sort))
        .with_context(expected)?;
    let rest = item.comment.strip_prefix(sort).unwrap_or_default();
    let (on, meaning) = rest.split_once(": ").with_context(expected)?;
    Ok(Key {
        sort,
        name: item.value.clone(),
        on: on.to_owned(),
        meaning: meaning.to_owned(),
    })
}
