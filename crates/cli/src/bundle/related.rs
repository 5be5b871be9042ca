//! Events and lines of the operator's log about the set.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::json;

/// The events about these objects and about deleted objects of the set, the oldest first.
pub fn events_of(mut events: Vec<Value>, set: &str, objects: &[&Value]) -> Vec<Value> {
    let uids: BTreeSet<&str> = objects
        .iter()
        .map(|object| json::text(object, "/metadata/uid"))
        .filter(|uid| !uid.is_empty())
        .collect();
    events.retain(|event| {
        let about = |field: &str| json::text(event, &format!("/involvedObject/{field}"));
        uids.contains(about("uid")) || is_of_set(about("name"), set)
    });
    events.sort_by_key(|event| {
        (
            time_of(event),
            json::text(event, "/metadata/name").to_owned(),
        )
    });
    events
}

/// The time of the last occurrence.
fn time_of(event: &Value) -> String {
    let places = [
        "/lastTimestamp",
        "/eventTime",
        "/metadata/creationTimestamp",
    ];
    let time = places
        .iter()
        .map(|place| json::text(event, place))
        .find(|time| !time.is_empty());
    time.unwrap_or_default().to_owned()
}

/// Whether an object of that name is the set, or is named after one of its replicas.
fn is_of_set(name: &str, set: &str) -> bool {
    let rest = name.strip_prefix(set);
    rest.is_some_and(is_end_of_name)
}

/// Whether the name of the set ends here: no longer name goes on, or a replica's index follows.
fn is_end_of_name(rest: &str) -> bool {
    match rest.strip_prefix('-') {
        Some(index) => index.starts_with(|c: char| c.is_ascii_digit()),
        None => !rest.starts_with(is_of_name),
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '.'
}

/// Whether a line of the operator's log is about the set: it contains the set's name or a name that
/// begins with it. Sets of the same name in other namespaces are excluded if the line has
/// `<namespace>/<name>`, as most lines do.
pub fn names_set(line: &str, namespace: &str, set: &str) -> bool {
    let mut is_named = false;
    let mut is_elsewhere = false;
    for (at, _) in line.match_indices(set) {
        let (before, rest) = line.split_at_checked(at).unwrap_or_default();
        let is_whole = rest.strip_prefix(set).is_some_and(is_end_of_name);
        if !is_whole || before.ends_with(is_of_name) {
            continue;
        }
        match before.strip_suffix('/') {
            None => is_named = true,
            Some(place) => {
                let begin = place.rfind(|c| !is_of_name(c)).map_or(0, |i| i + 1);
                if place.get(begin..) == Some(namespace) {
                    return true;
                }
                is_elsewhere = true;
            }
        }
    }
    is_named && !is_elsewhere
}
