//! One field: type, default, limits, meaning.

use serde_json::Value;

use super::text;
use crate::reference::page::wrap;

const KUBERNETES: &str = "https://kubernetes.io/docs";

/// Fields with structures of Kubernetes: their names, and the pages that describe them.
const EMBEDDED: [(&str, &str, &str); 4] = [
    (
        "podSpec",
        "PodSpec",
        "reference/kubernetes-api/workload-resources/pod-v1/#PodSpec",
    ),
    (
        "metrics",
        "list of MetricSpec",
        "reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/",
    ),
    (
        "templateSpec",
        "ResourceClaimTemplateSpec",
        "concepts/scheduling-eviction/dynamic-resource-allocation/",
    ),
    ("conditions", "list of Condition", ""),
];

/// Whether Kubernetes documents the content of the field.
pub(super) fn is_embedded(name: &str) -> bool {
    EMBEDDED.iter().any(|(field, ..)| *field == name)
}

pub(super) fn join(path: &str, name: &str) -> String {
    format!("{path}.{name}")
}

/// The field at that path of the object `parent`, as an entry of a list.
pub(super) fn describe(kind: &str, path: &str, parent: &Value, field: &Value) -> String {
    let name = path.rsplit('.').next().unwrap_or(path);
    let mut facts = vec![type_of(kind, path, name, field)];
    let required = parent["required"].as_array();
    if required.is_some_and(|all| all.contains(&Value::from(name))) {
        facts.push("required".to_owned());
    }
    if !field["default"].is_null() {
        facts.push(format!("default `{}`", plain(&field["default"])));
    }
    facts.extend(limits(field));
    let meaning = text(&field["description"]);
    let entry = format!("- `{name}`: {}. {meaning}", facts.join(", "));
    format!("{}\n", wrap(&entry, "  "))
}

fn type_of(kind: &str, path: &str, name: &str, field: &Value) -> String {
    if let Some((_, type_, page)) = EMBEDDED.iter().find(|(embedded, ..)| *embedded == name) {
        return match *page {
            "" => format!("{type_}, see [conditions.md](conditions.md)"),
            page => format!("[{type_}]({KUBERNETES}/{page})"),
        };
    }
    let items = &field["items"];
    if items.is_object() {
        let inner = type_of(kind, &format!("{path}[]"), "", items);
        return format!("list of {inner}");
    }
    let values = &field["additionalProperties"];
    if values.is_object() {
        return format!("map of {}", text(&values["type"]));
    }
    if field["properties"].is_object() {
        return format!(
            "[{}](#{})",
            path.rsplit('.').next().unwrap_or(path),
            anchor(kind, path)
        );
    }
    simple(field)
}

fn simple(field: &Value) -> String {
    let values = field["enum"].as_array();
    if let Some(values) = values {
        let values: Vec<String> = values.iter().map(|v| format!("`{}`", plain(v))).collect();
        return values.join(" or ");
    }
    match text(&field["format"]) {
        "date-time" => "time".to_owned(),
        _ => text(&field["type"]).to_owned(),
    }
}

fn limits(field: &Value) -> Vec<String> {
    const LIMITS: [(&str, &str, &str); 5] = [
        ("minimum", "at least", ""),
        ("maximum", "at most", ""),
        ("maxItems", "at most", ""),
        ("maxProperties", "at most", ""),
        ("maxLength", "at most", " characters"),
    ];
    let stated = LIMITS.iter().filter_map(|(keyword, words, unit)| {
        let limit = field[*keyword].as_f64()?;
        Some(format!("{words} {limit}{unit}"))
    });
    stated.collect()
}

/// A text without its quotation marks.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Of the heading of an object.
fn anchor(kind: &str, path: &str) -> String {
    let heading = format!("{kind} {path}").to_lowercase();
    let kept = heading
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().replace(' ', "-")
}
