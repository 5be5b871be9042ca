//! The timeline as text.

use chrono::DateTime;
use jiff::Timestamp;

use super::moment::{Moment, What, is_undated};
use crate::output::{self, Zone, local_time, wrap};

/// Names that are listed.
const MOST: usize = 8;
/// Columns of the longest word of [`What`].
const WORD: usize = 10;
/// Extra columns for a line with a name that does not fit after time and word.
const DEEP: usize = 4;

/// Draws the moments, with times of that zone.
pub fn draw_timeline<Z: Zone>(moments: &[Moment], zone: &Z) -> String {
    if moments.is_empty() {
        return "No event is known.\n".to_owned();
    }
    let last = moments.iter().rfind(|m| !is_undated(&m.at));
    let last = last.map_or(0, |m| m.at.as_second());
    let utc = DateTime::from_timestamp(last, 0).unwrap_or_default();
    let offset = utc.with_timezone(zone).format("%:z").to_string();
    let time = format!("TIME ({offset})");
    let heading = format!("{time:<19}  {:<WORD$}  OBJECT AND DETAILS", "EVENT");
    let mut text = format!("{}\n", output::bold(&heading));
    for moment in moments {
        text.push_str(&draw_moment(moment, zone));
    }
    text
}

fn draw_moment<Z: Zone>(moment: &Moment, zone: &Z) -> String {
    let word = moment.what.to_string();
    let missing = " ".repeat(WORD.saturating_sub(word.len()));
    let word = output::of_state(&word, is_good(moment.what));
    let time = if is_undated(&moment.at) {
        "(no time is kept)".to_owned()
    } else {
        local_time(moment.at, zone)
    };
    let lead = format!("{time:<19}  {word}{missing}  ");
    let (text, repeated) = (explain(moment), repetitions(moment, zone));
    let colon = if text.is_empty() { "" } else { ": " };
    let subject = subject(moment);
    lay(&lead, &format!("{subject}{colon}{text}{repeated}"))
}

/// After the lead, or below it if a word is too long.
fn lay(lead: &str, body: &str) -> String {
    let columns = anstream::adapter::strip_str(lead)
        .to_string()
        .chars()
        .count();
    let longest = body
        .split_whitespace()
        .map(|word| word.chars().count())
        .max();
    let width = output::prose_width();
    if longest.unwrap_or(0) <= width.saturating_sub(columns) {
        return output::indent(lead, body);
    }
    let lines = wrap(body, width.saturating_sub(DEEP));
    let below = lines
        .iter()
        .map(|line| format!("{}{line}\n", " ".repeat(DEEP)));
    format!("{}\n{}", lead.trim_end(), below.collect::<String>())
}

fn is_good(what: What) -> Option<bool> {
    match what {
        What::Ready | What::Done | What::Scheduled => Some(true),
        What::Failed
        | What::Terminated
        | What::Restarted
        | What::Breached
        | What::Warning
        | What::NotReady
        | What::Disrupted => Some(false),
        _ => None,
    }
}

/// "pod/a", "replica 0", "3 pods (a, b, c)".
fn subject(moment: &Moment) -> String {
    let names = &moment.names;
    if let [name] = names.as_slice() {
        let is_replica = moment.kind.ends_with("replica");
        let between = if is_replica { " " } else { "/" };
        return format!("{}{between}{name}", moment.kind);
    }
    let shown: Vec<&str> = names.iter().take(MOST).map(String::as_str).collect();
    let more = match names.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (count, kind, shown) = (names.len(), &moment.kind, shown.join(", "));
    format!("{count} {kind}s ({shown}{more})")
}

/// Reason and text, with "now" if they may be newer than the moment.
fn explain(moment: &Moment) -> String {
    let text = join(moment);
    if moment.is_present && !text.is_empty() {
        return format!("now {text}");
    }
    text
}

/// Reason and text; a reason that equals the word is left out.
fn join(moment: &Moment) -> String {
    let has_reason = matches!(
        moment.what,
        What::Event | What::Warning | What::NotReady | What::Breached | What::Disrupted
    );
    let reason = if has_reason { &*moment.reason } else { "" };
    match (reason, moment.text.as_str()) {
        ("", text) => text.to_owned(),
        (reason, "") => reason.to_owned(),
        (reason, text) => format!("{reason}: {text}"),
    }
}

/// "(3 times, last at 2026-01-01 12:00:00)".
fn repetitions<Z: Zone>(moment: &Moment, zone: &Z) -> String {
    if moment.count <= 1 {
        return String::new();
    }
    let last: Option<Timestamp> = moment.until;
    let last = last.map(|at| format!(", last at {}", local_time(at, zone)));
    format!(" ({} times{})", moment.count, last.unwrap_or_default())
}
