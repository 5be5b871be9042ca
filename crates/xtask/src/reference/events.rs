//! Reasons of events.

use anyhow::Context;
use api::conditions::Reason;
use api::events;
use strum::IntoEnumIterator as _;

use super::page::{code, fill, table, wrap};
use crate::output::Output;
use crate::source::{self, Item};

const FILE: &str = "crates/api/src/events.rs";

pub(super) fn page() -> anyhow::Result<Output> {
    let constants = source::constants(&source::parse(FILE)?);
    let rows: anyhow::Result<Vec<_>> = constants.iter().map(describe).collect();
    let head = ["Reason", "Type", "On", "What happened"];
    let places = [
        ("told", table(head, rows?)),
        ("writes", writes()),
        ("causes", causes()),
    ];
    fill("events", include_str!("events.md"), &places)
}

/// Of a comment such as `Warning on the set: a replica was terminated.`
fn describe(event: &Item) -> anyhow::Result<[String; 4]> {
    let parts = event.comment.split_once(": ").and_then(|(head, meaning)| {
        let (type_, on) = head.split_once(" on the ")?;
        let is_type = ["Normal", "Warning"].contains(&type_);
        is_type.then(|| [type_, on, meaning].map(str::to_owned))
    });
    let [type_, on, meaning] = parts.with_context(|| {
        let name = &event.name;
        format!("{FILE}: {name}: begin its comment with `Normal on the `, or `Warning on the `")
    })?;
    Ok([code(&event.value), type_, on, meaning])
}

fn writes() -> String {
    let rows = events::WRITES.iter().map(|write| {
        [
            write.kind.to_owned(),
            write.verbs.join(", "),
            code(write.success.as_str()),
            code(write.failure.as_str()),
        ]
    });
    let head = [
        "Kind",
        "Write",
        "Normal, if it succeeded",
        "Warning, if not",
    ];
    table(head, rows)
}

/// Reasons that need a fix, in the order in which they are reported.
fn causes() -> String {
    let mut causes: Vec<Reason> = Reason::iter().filter(|r| r.is_blocking()).collect();
    causes.sort_by_key(|reason| reason.priority());
    // It has an event of another name.
    causes.retain(|reason| *reason != Reason::NameTaken);
    let names: Vec<String> = causes.iter().map(|r| code(&r.to_string())).collect();
    wrap(&names.join(", "), "")
}
