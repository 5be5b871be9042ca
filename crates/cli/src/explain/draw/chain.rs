//! The objects from the set down to the cause, one line each.

use crate::explain::answer::Link;
use crate::output::{self, Table, legible};

/// Draws the objects: their kinds in full, or as kubectl abbreviates them where that is too wide; where
/// the states do not fit either, they are below their objects.
pub(super) fn draw_chain(links: &[Link]) -> String {
    let full = draw_table(links, |kind| kind);
    if fits(&full) {
        return full;
    }
    let short = draw_table(links, abbreviate);
    if fits(&short) {
        return short;
    }
    links.iter().map(draw_apart).collect()
}

fn fits(text: &str) -> bool {
    let plain = anstream::adapter::strip_str(text).to_string();
    let width = output::prose_width();
    plain.lines().all(|line| line.chars().count() <= width)
}

fn draw_table(links: &[Link], name_kind: fn(&'static str) -> &'static str) -> String {
    let mut table = Table::default();
    for link in links {
        let state = output::of_state(&link.state, link.is_good);
        let (kind, name) = (name_kind(link.kind), legible(&link.name));
        table.row(vec![format!("  {kind}"), name.into_owned(), state]);
    }
    table.print()
}

fn draw_apart(link: &Link) -> String {
    let state = output::of_state(&link.state, link.is_good);
    let (kind, name) = (abbreviate(link.kind), legible(&link.name));
    format!("  {kind:<4}   {name}\n         {state}\n")
}

/// The short name that kubectl accepts.
fn abbreviate(kind: &'static str) -> &'static str {
    match kind {
        "PodCliqueSet" => "pcs",
        "PodCliqueScalingGroup" => "pcsg",
        "PodClique" => "pclq",
        "PodGang" => "pg",
        "Pod" => "pod",
        other => other,
    }
}
