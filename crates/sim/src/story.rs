//! The events of a run, for people.

use crate::store::{Record, Store};
use crate::view;
use serde_json::Value;

/// Facts that a log does not show: refusals, lost answers, crashes. Each has the length of the log
/// at that time.
pub type Notes = Vec<(usize, String)>;

/// The last lines of the log.
pub fn tell(store: &Store, notes: &Notes, lines: usize) -> String {
    let mut told: Vec<(usize, String)> = notes
        .iter()
        .map(|(at, text)| (2 * at, format!("                -- {text}")))
        .collect();
    let began = testkit::builders::after(0);
    told.extend(store.log.iter().enumerate().map(|(at, r)| {
        let time = r.time.duration_since(began).as_secs_f64();
        let line = format!(
            "{time:8.2}s {:>4} {:<17} {} {}",
            r.version,
            r.actor,
            r.id,
            what(r)
        );
        (2 * at + 1, line)
    }));
    told.sort_by_key(|(at, _)| *at);
    let from = told.len().saturating_sub(lines);
    let lines: Vec<String> = told
        .split_off(from)
        .into_iter()
        .map(|(_, line)| line)
        .collect();
    lines.join("\n")
}

fn what(record: &Record) -> String {
    let uid = view::uid(&record.last);
    match (&record.before, &record.after) {
        (None, _) => format!("created as {uid}"),
        (_, None) => format!("gone ({uid})"),
        (Some(before), Some(after)) => {
            let mut changes = Vec::new();
            differences("", before, after, &mut changes);
            let text = changes.join(", ");
            text.chars().take(400).collect()
        }
    }
}

fn differences(path: &str, before: &Value, after: &Value, into: &mut Vec<String>) {
    const DULL: [&str; 3] = ["resourceVersion", "lastTransitionTime", "containerStatuses"];
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a
                .keys()
                .chain(b.keys().filter(|k| !a.contains_key(*k)))
                .filter(|k| !DULL.contains(&k.as_str()))
            {
                let (x, y) = (
                    a.get(key).unwrap_or(&Value::Null),
                    b.get(key).unwrap_or(&Value::Null),
                );
                if x != y {
                    differences(&format!("{path}/{key}"), x, y, into);
                }
            }
        }
        _ => into.push(format!("{path}: {before} -> {after}")),
    }
}
