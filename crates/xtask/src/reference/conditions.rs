//! Types and reasons of conditions, and codes of errors.

use anyhow::{Context, ensure};

use super::page::{code, fill, table};
use crate::output::Output;
use crate::source::{self, Item};

const FILE: &str = "crates/api/src/conditions.rs";

/// Uses of a reason.
struct Place {
    type_: String,
    status: String,
    kind: Option<String>,
}

pub(super) fn page() -> anyhow::Result<Output> {
    let items = source::parse(FILE)?;
    let types = source::variants(&items, "ConditionType")?;
    let reasons = source::variants(&items, "Reason")?;
    let reasons: anyhow::Result<Vec<_>> = reasons.iter().map(place).collect();
    let reasons = reasons?;
    for place in reasons.iter().flat_map(|(_, places, _)| places) {
        let is_known = types.iter().any(|type_| type_.name == place.type_);
        ensure!(is_known, "{FILE}: there is no condition {}", place.type_);
    }
    let sections: Vec<String> = types.iter().map(|t| section(t, &reasons)).collect();
    let places = [("types", sections.join("\n")), ("codes", codes()?)];
    fill("conditions", include_str!("conditions.md"), &places)
}

/// A reason with its uses and its meaning, from a comment such as `Failed=True, Ready=False of a
/// PodCliqueSet: the job took too long.`
fn place(reason: &Item) -> anyhow::Result<(String, Vec<Place>, String)> {
    let expected = || {
        let name = &reason.name;
        format!(
            "{FILE}: Reason::{name}: begin its comment with `Type=Status: ` or `Type=Status of a Kind: `"
        )
    };
    let (places, meaning) = reason.comment.split_once(": ").with_context(expected)?;
    let (places, kind) = match places.split_once(" of a ") {
        Some((places, kind)) => (places, Some(kind.to_owned())),
        None => (places, None),
    };
    let places = places.split(", ").map(|place| {
        let (type_, status) = place.split_once('=')?;
        Some(Place {
            type_: type_.to_owned(),
            status: status.to_owned(),
            kind: kind.clone(),
        })
    });
    let places: Option<Vec<Place>> = places.collect();
    let places = places.with_context(expected)?;
    Ok((reason.name.clone(), places, meaning.to_owned()))
}

fn section(type_: &Item, reasons: &[(String, Vec<Place>, String)]) -> String {
    let rows = reasons.iter().flat_map(|(reason, places, meaning)| {
        let here = places.iter().filter(move |place| place.type_ == type_.name);
        here.map(move |place| {
            let only = place.kind.as_ref().map(|kind| format!("{kind}: "));
            let meaning = format!("{}{meaning}", only.unwrap_or_default());
            [code(reason), place.status.clone(), meaning]
        })
    });
    let rows: Vec<_> = rows.collect();
    let comment = link(&type_.comment);
    let mut text = format!("### {}\n\n{comment}\n", type_.name);
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table(["Reason", "Status", "Meaning"], rows));
    }
    text
}

/// Comments name the rules from the root of the repository.
fn link(comment: &str) -> String {
    comment.replace("docs/semantics.md", "[semantics.md](../semantics.md)")
}

fn codes() -> anyhow::Result<String> {
    let codes = source::constants(&source::parse("crates/api/src/codes.rs")?);
    let rows = codes.into_iter().map(|c| [code(&c.value), c.comment]);
    Ok(table(["Code", "Meaning"], rows))
}
