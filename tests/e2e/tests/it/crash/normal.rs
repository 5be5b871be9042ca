//! Objects without the parts that differ between two equal runs.

use serde_json::{Value, json};

use crate::harness::Seen;
use crate::harness::history::slot;
use crate::harness::seen::name;

/// Keys whose values depend on the API server, the scheduler or the clock.
const BY_CHANCE: [&str; 23] = [
    "clusterIP",
    "clusterIPs",
    "containerStatuses",
    "creationTimestamp",
    "generation",
    "hostIP",
    "hostIPs",
    "kubectl.kubernetes.io/last-applied-configuration",
    "lastReady",
    "lastScheduled",
    "lastTransitionTime",
    "managedFields",
    "node",
    "nodeName",
    "podIP",
    "podIPs",
    "resourceVersion",
    "startTime",
    "time",
    "uid",
    "volumeMounts",
    "volumes",
    "observedGeneration",
];

/// The objects of this set, renamed to those of a set `svc`, with pods named by their slots.
pub fn normal(seen: &Seen, set: &str) -> Vec<Value> {
    let mut text = json!(seen.everything()).to_string();
    for pod in seen.all("Pod") {
        text = text.replace(name(pod), &slot(pod));
    }
    for podclique in seen.names("PodClique") {
        text = without_gone_pods(&text, podclique);
    }
    let mut objects: Value = serde_json::from_str(&text.replace(set, "svc")).unwrap();
    strip(&mut objects);
    let mut objects = objects.as_array().cloned().unwrap();
    objects.sort_by_key(|object| format!("{} {}", object["kind"], name(object)));
    objects
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| !BY_CHANCE.contains(&key.as_str()));
            if fields
                .get("name")
                .is_some_and(|name| name == "GROVE_ATTEMPT")
            {
                fields.entry("value").and_modify(without_uid);
            }
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::String(text) => *text = without_nodes(&without_times(text)),
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
        rest.push_str(if is_name { "?" } else { "" });
        rest.push_str(&part[if is_name { LENGTH } else { 0 }..]);
    }
    rest
}

/// The attempt without its prefix, the uid of the set.
fn without_uid(attempt: &mut Value) {
    let text = attempt.as_str().unwrap_or_default();
    let number = text.rsplit_once('-').map_or(text, |(_, number)| number);
    *attempt = Value::from(number);
}

/// Numbers of the pods' nodes, such as in the message of a fence.
fn without_nodes(text: &str) -> String {
    const BEGIN: &str = " on node-";
    let mut parts = text.split(BEGIN);
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rest.push_str(BEGIN);
        rest.push('?');
        rest.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    rest
}

/// Times in texts, such as the message of a fence.
fn without_times(text: &str) -> String {
    const SHAPE: &str = "0000-00-00T00:00:00Z";
    let is_time = |part: &str| {
        part.chars().zip(SHAPE.chars()).all(|(c, like)| {
            if like == '0' {
                c.is_ascii_digit()
            } else {
                c == like
            }
        })
    };
    let mut rest = text.to_owned();
    let places = 0..text.len().saturating_sub(SHAPE.len() - 1);
    for at in places {
        let end = at + SHAPE.len();
        if text.is_char_boundary(at) && text.is_char_boundary(end) && is_time(&text[at..end]) {
            rest.replace_range(at..end, SHAPE);
        }
    }
    rest
}
