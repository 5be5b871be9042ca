//! The changes of a file, as text.

use super::heading;
use super::outline::draw_outline;
use super::steps::draw_steps;
use super::update::draw_update;
use crate::output;
use crate::plan::changes::{Action, Change, Difference, PlannedStep};
use crate::plan::checks::{PlannedAnswer, PlannedCheck};
use crate::plan::surge::PlannedSurge;

/// Steps that run at the same time.
const ORDER: &str = "Replicas of the set are updated one after the other; in one of them cliques \
                     and scaling groups go on at the same time.";

/// Longer values are cut.
const SHOWN: usize = 60;

pub(super) fn draw_change(change: &Change, is_wide: bool) -> String {
    let heading = heading(&change.name, &change.namespace);
    if change.is_new {
        let outline = draw_outline(&change.after, is_wide);
        let title =
            format!("{heading}\ndoes not exist in the cluster: the operator creates all of it\n");
        return format!("{title}\n{outline}");
    }
    let verdict = if change.is_changed {
        "differs from the file:"
    } else {
        "is as in the file"
    };
    let mut parts = vec![format!("{heading} {verdict}\n")];
    parts.extend(change.differences.iter().map(draw_difference));
    parts.extend(draw_checks(&change.checks));
    parts.extend(change.surge.iter().map(draw_surge));
    parts.extend(draw_notes(change));
    parts.extend(draw_what_follows(change, is_wide));
    parts.concat()
}

/// The accepted cliques in one line, each other one in its own.
fn draw_checks(checks: &[PlannedCheck]) -> Vec<String> {
    let is_accepted = |check: &&PlannedCheck| check.answer == PlannedAnswer::Accepted;
    let accepted: Vec<&str> = checks
        .iter()
        .filter(is_accepted)
        .map(|check| check.clique.as_str())
        .collect();
    let accepted = (!accepted.is_empty()).then(|| {
        let text = format!("{}: accepted by the API server", accepted.join(", "));
        output::indent("checked: ", &text)
    });
    let others = checks.iter().filter_map(|check| {
        let (word, message) = match &check.answer {
            PlannedAnswer::Accepted => return None,
            PlannedAnswer::Refused(words) => ("would be refused", words),
            PlannedAnswer::Unanswered(why) => ("not checked", why),
        };
        let first = format!("{} ", output::warn(&format!("{word}:")));
        Some(output::indent(
            &first,
            &format!("clique {}: {message}", check.clique),
        ))
    });
    accepted.into_iter().chain(others).collect()
}

/// The needs of the surge, and what follows if it finds no room.
fn draw_surge(surge: &PlannedSurge) -> String {
    let needs = surge.needs.iter();
    let needs: Vec<String> = needs
        .map(|(resource, amount)| format!("{amount} {resource}"))
        .collect();
    let needs = if needs.is_empty() {
        "no resources".to_owned()
    } else {
        needs.join(", ")
    };
    let pods = output::count(surge.pods, "pod");
    let reasons = surge.reasons.join("; ");
    let found = match surge.fits {
        Some(true) => format!("would fit now on {}", surge.nodes.join(", ")),
        Some(false) if surge.is_optional => {
            format!("finds no room now ({reasons}); after 60 s the update would go on without it")
        }
        Some(false) => format!("finds no room now ({reasons}); the update would wait for it"),
        None => format!("nobody knows whether it fits: {reasons}"),
    };
    let text = format!("{}: {pods} more, with {needs}; {found}", surge.component);
    output::indent("surge: ", &text)
}

fn draw_notes(change: &Change) -> Vec<String> {
    let notes = [
        ("warning:", &change.warnings[..]),
        ("assumed:", &change.after.assumptions[..]),
        ("not ready now:", change.now.as_slice()),
        ("remains:", &change.remains[..]),
    ];
    notes
        .iter()
        .flat_map(|(word, messages)| {
            let first = format!("{} ", output::warn(word));
            messages
                .iter()
                .map(move |message| output::indent(&first, message))
        })
        .collect()
}

fn draw_what_follows(change: &Change, is_wide: bool) -> Vec<String> {
    let (under_way, due): (Vec<_>, Vec<_>) = change.steps.iter().partition(|s| s.is_under_way);
    let mut parts = Vec::new();
    if change.is_changed && due.is_empty() {
        parts.push("\nNothing is created, restarted or removed for it.\n".to_owned());
    }
    let titles = [
        ("next steps of the operator", due),
        ("under way already, not because of the file", under_way),
    ];
    for (title, steps) in titles.iter().filter(|(_, steps)| !steps.is_empty()) {
        parts.push(format!("\n{}\n", output::bold(title)));
        parts.push(draw_steps(steps, is_wide));
    }
    let restarts = change.steps.iter().filter(|step| restarts_pods(step));
    if let Some(update) = &change.update {
        parts.push(draw_update(update));
    } else if restarts.count() > 1 {
        parts.push(output::indent("", ORDER));
    }
    parts
}

fn restarts_pods(step: &PlannedStep) -> bool {
    let is_replacement = step.kind == "Pod";
    [Action::Restart, Action::Recreate].contains(&step.action) && !is_replacement
}

/// A changed field: `path: before -> after`.
pub(crate) fn draw_difference(difference: &Difference) -> String {
    let value = |value: &serde_json::Value| {
        if value.is_null() {
            return "not set".to_owned();
        }
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        domain::object::text::cut_text(&text, SHOWN)
    };
    let (before, after) = (value(&difference.before), value(&difference.after));
    output::indent("  ", &format!("{}: {before} -> {after}", difference.path))
}
