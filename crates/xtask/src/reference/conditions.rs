//! Types and reasons of conditions, and codes of errors.

use anyhow::{Context, ensure};

use super::page::{code, fill, table};
use crate::output::Output;
use crate::source::{self, Item};

const FILE: &str = "crates/api/src/conditions.rs";

/// Uses of a reason.
struct ReasonUse {
    type_: String,
    status: String,
    kind: Option<String>,
}

pub(super) fn page() -> anyhow::Result<Output> {
    let items = source::parse(FILE)?;
    let types = source::variants(&items, "ConditionType")?;
    let reasons = source::variants(&items, "Reason")?;
    let reasons: anyhow::Result<Vec<_>> = reasons.iter().map(parse_reason).collect();
    let reasons = reasons?;
    for reason_use in reasons.iter().flat_map(|(_, uses, _)| uses) {
        let is_known = types.iter().any(|type_| type_.name == reason_use.type_);
        ensure!(
            is_known,
            "{FILE}: there is no condition {}",
            reason_use.type_
        );
    }
    let sections: Vec<String> = types.iter().map(|t| section(t, &reasons)).collect();
    let uses = [("types", sections.join("\n")), ("codes", codes()?)];
    fill("conditions", include_str!("conditions.md"), &uses)
}

/// A reason with its uses and its meaning, from a comment such as `Failed=True, Ready=False of a
/// PodCliqueSet: the job took too long.`
fn parse_reason(reason: &Item) -> anyhow::Result<(String, Vec<ReasonUse>, String)> {
    let expected = || {
        let name = &reason.name;
        format!(
            "{FILE}: Reason::{name}: begin its comment with `Type=Status: ` or `Type=Status of a Kind: `"
        )
    };
    let (uses, meaning) = reason.comment.split_once(": ").with_context(expected)?;
    let (uses, kind) = match uses.split_once(" of a ") {
        Some((uses, kind)) => (uses, Some(kind.to_owned())),
        None => (uses, None),
    };
    let uses = uses.split(", ").map(|reason_use| {
        let (type_, status) = reason_use.split_once('=')?;
        Some(ReasonUse {
            type_: type_.to_owned(),
            status: status.to_owned(),
            kind: kind.clone(),
        })
    });
    let uses: Option<Vec<ReasonUse>> = uses.collect();
    let uses = uses.with_context(expected)?;
    Ok((reason.name.clone(), uses, meaning.to_owned()))
}

fn section(type_: &Item, reasons: &[(String, Vec<ReasonUse>, String)]) -> String {
    let rows = reasons.iter().flat_map(|(reason, uses, meaning)| {
        let here = uses
            .iter()
            .filter(move |reason_use| reason_use.type_ == type_.name);
        here.map(move |reason_use| {
            let only = reason_use.kind.as_ref().map(|kind| format!("{kind}: "));
            let meaning = format!("{}{meaning}", only.unwrap_or_default());
            [code(reason), reason_use.status.clone(), meaning]
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
