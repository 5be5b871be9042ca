//! A good set, changed here and there, and what is told of it.

use admission::defaults::{DefaultsConfig, apply};
use admission::{FieldError, Rules, validate, validate_update};
use api::PodCliqueSet;
use serde_json::{Value, json};

/// A good set: a standalone clique and a group of two.
pub(crate) fn good() -> Value {
    let clique = |name: &str, replicas: i32| {
        json!({"name": name, "spec": {
            "roleName": name,
            "replicas": replicas,
            "podSpec": {"containers": [{"name": "main", "image": "llm:1"}]}
        }})
    };
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": "serve"},
        "spec": {
            "replicas": 1,
            "template": {
                "cliques": [clique("frontend", 2), clique("leader", 1), clique("worker", 3)],
                "podCliqueScalingGroups": [
                    {"name": "prefill", "cliqueNames": ["leader", "worker"], "replicas": 2}
                ]
            }
        }
    })
}

pub(crate) const CLIQUES: &str = "/spec/template/cliques";
pub(crate) const FRONTEND: &str = "/spec/template/cliques/0";
pub(crate) const GROUPS: &str = "/spec/template/podCliqueScalingGroups";
pub(crate) const GROUP: &str = "/spec/template/podCliqueScalingGroups/0";
pub(crate) const LONG: &str = "a-name-that-takes-up-more-room-than-there-is";

pub(crate) type Edit<'a> = (&'a str, Value);

/// The good set with other values in places given as JSON pointers; a place that ends in `-` is
/// the end of a list.
pub(crate) fn set(edits: &[Edit<'_>]) -> PodCliqueSet {
    let mut pcs = good();
    for (pointer, value) in edits {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        match pcs.pointer_mut(parent).unwrap() {
            Value::Object(object) => drop(object.insert(field.into(), value.clone())),
            Value::Array(items) if field == "-" => items.push(value.clone()),
            Value::Array(items) => items[field.parse::<usize>().unwrap()] = value.clone(),
            other => panic!("{parent} is {other}"),
        }
    }
    apply(
        &serde_json::from_value(pcs).unwrap(),
        &DefaultsConfig::default(),
    )
}

pub(crate) fn at(parent: &str, field: &str) -> String {
    format!("{parent}/{field}")
}

pub(crate) fn lines(errors: &[FieldError]) -> String {
    let lines: Vec<_> = errors.iter().map(|error| format!("  {error}")).collect();
    lines.join("\n")
}

pub(crate) fn words(pcs: &PodCliqueSet, rules: &Rules) -> String {
    lines(&validate(pcs, rules))
}

pub(crate) fn verdict(case: &str, words: &str) -> String {
    let words = if words.is_empty() {
        "  accepted"
    } else {
        words
    };
    format!("{case}\n{words}")
}

/// The errors of each case, under its name.
pub(crate) fn describe_errors(cases: &[(&str, &[Edit<'_>])]) -> String {
    let lines = cases
        .iter()
        .map(|(case, edits)| verdict(case, &words(&set(edits), &Rules::default())));
    lines.collect::<Vec<_>>().join("\n")
}

macro_rules! cases {
    ($($case:literal: $($pointer:expr => $value:tt),+;)+) => {
        describe_errors(&[$(($case, &[$(($pointer.as_ref(), json!($value))),+])),+])
    };
}

pub(crate) use cases;

pub(crate) fn changes_of(before: &PodCliqueSet, after: &PodCliqueSet) -> String {
    lines(&validate_update(before, after, &Rules::default()))
}
