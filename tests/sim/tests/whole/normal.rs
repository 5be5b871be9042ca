//! The store without the parts that differ between two equal runs.

use std::collections::BTreeSet;

use serde_json::Value;
use sim::{Resource, Store, view};

use crate::slots::slot;

/// Keys whose values depend on the order of events or the time, or on the nodes that a scheduler chose.
const BY_CHANCE: [&str; 11] = [
    "containerStatuses",
    "deletionGracePeriodSeconds",
    "generation",
    "grove.io/pinned",
    "nodeName",
    "nodeSelector",
    "observedGeneration",
    "placementScore",
    "placements",
    "resourceVersion",
    "uid",
];

/// All objects except events, in order, with pods named by their slots.
pub fn normal(store: &Store) -> Vec<Value> {
    let objects = store
        .objects()
        .filter(|(id, _)| id.resource != Resource::Event);
    let numbers: BTreeSet<i64> = store
        .all(Resource::ControllerRevision)
        .map(|(_, revision)| view::number(revision, "/revision"))
        .collect();
    let objects: Vec<Value> = objects
        .map(|(_, object)| with_rank(with_claims(object), &numbers))
        .collect();
    let mut text = serde_json::to_string(&objects).unwrap();
    for (_, pod) in store.all(Resource::Pod) {
        text = text.replace(view::name(pod), &format!("?{}", slot(pod)));
    }
    for (id, _) in store.all(Resource::PodClique) {
        text = without_gone_pods(&text, &id.name);
    }
    let mut objects: Value = serde_json::from_str(&text).unwrap();
    strip(&mut objects);
    let mut objects = objects.as_array().cloned().unwrap();
    objects.sort_by_key(|object| format!("{} {}", object["kind"], view::name(object)));
    objects
}

/// The observed generation is random; whether it is the present one is not.
fn with_claims(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(observed) = object.pointer("/status/observedGeneration").cloned() {
        let is_present = observed == object["metadata"]["generation"];
        object["status"]["isPresent"] = is_present.into();
    }
    let start = object.pointer_mut("/metadata/annotations/grove.io~1start");
    if let Some(start) = start.filter(|start| is_repeated(start)) {
        *start = "now".into();
    }
    object
}

/// The order of revisions counts, not their numbers: an operator that read an old set numbers them
/// once more.
fn with_rank(mut object: Value, numbers: &BTreeSet<i64>) -> Value {
    if object["kind"] == "ControllerRevision" {
        let own = view::number(&object, "/revision");
        object["revision"] = numbers.range(..own).count().into();
    }
    object
}

/// The number of start signals is random; whether there was one is not.
fn is_repeated(start: &Value) -> bool {
    let count = start.as_str().and_then(|count| count.parse::<u32>().ok());
    count.is_some_and(|count| count > 0)
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| !BY_CHANCE.contains(&key.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::String(text) => *text = without_domains(&without_times(text)),
        _ => (),
    }
}

/// Names of pods that no longer exist, such as those of failures.
fn without_gone_pods(text: &str, podclique: &str) -> String {
    const LETTERS: &str = "bcdfghjklmnpqrstvwxz2456789";
    const LENGTH: usize = 5;
    let begin = format!("{podclique}-");
    let mut parts = text.split(&begin);
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = part.chars().take_while(|c| LETTERS.contains(*c)).count() == LENGTH;
        rest.push_str(&begin);
        rest.push_str(if is_name { "?" } else { part });
        rest.push_str(if is_name { &part[LENGTH..] } else { "" });
    }
    rest
}

/// The numbers of domains in the message of a PodGang: the scheduler chose the nodes.
fn without_domains(text: &str) -> String {
    match text.split_once("; domains: ") {
        Some((before, _)) => before.to_owned(),
        None => text.to_owned(),
    }
}

/// Times, also in texts such as the message of a fence.
fn without_times(text: &str) -> String {
    const SHAPE: &str = "0000-00-00T00:00:00Z";
    let is_time = |part: &[u8]| {
        let mut pairs = part.iter().zip(SHAPE.bytes());
        part.len() == SHAPE.len()
            && pairs.all(|(is, like)| match like {
                b'0' => is.is_ascii_digit(),
                _ => *is == like,
            })
    };
    let Some(at) = text.as_bytes().windows(SHAPE.len()).position(is_time) else {
        return text.to_owned();
    };
    let (before, after) = (&text[..at], &text[at + SHAPE.len()..]);
    format!("{before}TIME{}", without_times(after))
}

/// The differences in words; empty without any.
pub fn difference(is: &[Value], should: &[Value]) -> String {
    let name = |o: &Value| format!("{} {}", o["kind"], view::name(o));
    let (mut lines, mut missing) = (Vec::new(), should.to_vec());
    for object in is {
        match missing.iter().position(|other| name(other) == name(object)) {
            None => lines.push(format!("{} is there", name(object))),
            Some(at) => compare(&name(object), object, &missing.remove(at), &mut lines),
        }
    }
    lines.extend(missing.iter().map(|o| format!("{} is missing", name(o))));
    lines.join("\n")
}

fn compare(path: &str, is: &Value, should: &Value, lines: &mut Vec<String>) {
    match (is, should) {
        (Value::Object(a), Value::Object(b)) => {
            let more = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(more) {
                compare(&format!("{path}/{key}"), &is[key], &should[key], lines);
            }
        }
        _ if is == should => {}
        _ => lines.push(format!("{path} is {is}, {should} is right")),
    }
}
