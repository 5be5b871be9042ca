//! What nobody else should see is taken out of an object before it is written down.

mod arguments;
mod counts;
mod names;
mod text;

use api::labels::{LAST_APPLIED, env, operator_env};
use serde_json::{Map, Value};

pub use counts::Counts;
pub use text::mask_text;

/// What is written instead.
pub const REDACTED: &str = "REDACTED";

/// Environment variables that an operator of this API sets: names and numbers of objects.
const OUR_VARIABLES: [&str; 12] = [
    env::PCS_NAME,
    env::PCS_INDEX,
    env::PCLQ_NAME,
    env::HEADLESS_SERVICE,
    env::PCLQ_POD_INDEX,
    env::ATTEMPT,
    env::PCSG_NAME,
    env::PCSG_TEMPLATE_NUM_PODS,
    env::PCSG_INDEX,
    env::PCSG_POD_INDEX,
    operator_env::INIT_CONTAINER_IMAGE,
    operator_env::SERVICE_ACCOUNT_NAME,
];
/// Annotations of these say nothing of a workload's secrets, however long they are.
const KNOWN_ANNOTATIONS: [&str; 3] = ["grove.io/", "kubernetes.io/", "k8s.io/"];
/// Others that are longer hold whole manifests, packed in one way or another.
const LONGEST_ANNOTATION: usize = 1024;

/// An object without its secrets.
#[derive(Clone, Debug, PartialEq)]
pub struct Redacted {
    /// What is left.
    pub value: Value,
    /// What was taken out.
    pub counts: Counts,
}

/// Takes out of an object, wherever they are in it: values of environment variables (their names
/// stay, and so do the values that the operator sets), arguments and other text that look like
/// secrets, headers of probes, contents of Secrets, `managedFields` and the manifest that kubectl
/// keeps in an annotation.
pub fn redact(mut value: Value) -> Redacted {
    let mut counts = Counts::default();
    visit("", &mut value, &mut counts);
    Redacted { value, counts }
}

fn visit(key: &str, value: &mut Value, counts: &mut Counts) {
    match (key, value) {
        ("env", value) => hide_env(value, counts),
        ("args" | "command", Value::Array(list)) => arguments::hide(list, counts),
        ("httpHeaders", Value::Array(list)) => hide_headers(list, counts),
        ("annotations", Value::Object(map)) => hide_annotations(map, counts),
        ("data" | "stringData", Value::Object(map)) => hide_all(map, &mut counts.others),
        ("volumeAttributes" | "options" | "parameters", Value::Object(map)) => {
            hide_by_name(map, counts);
        }
        // A tag looks like a value: `registry.local/token:1.2`.
        ("image" | "imageID", Value::String(_)) => (),
        (_, Value::Object(map)) => {
            if key == "metadata" && map.remove("managedFields").is_some() {
                counts.managed_fields += 1;
            }
            for (key, value) in map {
                visit(key, value, counts);
            }
        }
        (_, Value::Array(list)) => list.iter_mut().for_each(|item| visit(key, item, counts)),
        (_, Value::String(text)) => counts.others += mask(text),
        _ => (),
    }
}

/// Returns how much was hidden in the text.
fn mask(text: &mut String) -> usize {
    let (masked, hidden) = mask_text(text);
    *text = masked;
    hidden
}

/// A list of names and values, or, in kinds that are not Kubernetes' own, a map.
fn hide_env(env: &mut Value, counts: &mut Counts) {
    match env {
        Value::Array(list) => {
            for entry in list {
                let Value::Object(entry) = entry else {
                    counts.env_values += hide(entry);
                    continue;
                };
                let name = entry.get("name").and_then(Value::as_str);
                let is_ours = name.is_some_and(|name| OUR_VARIABLES.contains(&name));
                if let Some(value) = entry.get_mut("value").filter(|_| !is_ours) {
                    counts.env_values += hide(value);
                }
            }
        }
        Value::Object(map) => hide_all(map, &mut counts.env_values),
        other => counts.env_values += hide(other),
    }
}

fn hide_headers(headers: &mut [Value], counts: &mut Counts) {
    let values = headers.iter_mut().filter_map(|h| h.get_mut("value"));
    values.for_each(|value| counts.others += hide(value));
}

fn hide_annotations(annotations: &mut Map<String, Value>, counts: &mut Counts) {
    if annotations.remove(LAST_APPLIED).is_some() {
        counts.annotations += 1;
    }
    for (key, value) in annotations {
        let Value::String(text) = value else { continue };
        let is_known = KNOWN_ANNOTATIONS.iter().any(|domain| key.contains(domain));
        let is_manifest = text.len() > LONGEST_ANNOTATION || text.contains('\n');
        match serde_json::from_str::<Value>(text) {
            _ if names::is_sensitive(key) => counts.annotations += hide(value),
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => {
                let mut redacted = redact(inner);
                hide_named(&mut redacted.value, &mut redacted.counts.others);
                if redacted.counts != Counts::default() {
                    *text = redacted.value.to_string();
                    *counts += redacted.counts;
                }
            }
            _ if is_manifest && !is_known => counts.annotations += hide(value),
            _ => counts.others += mask(text),
        }
    }
}

/// Free text by free names, as drivers of volumes have it.
fn hide_by_name(map: &mut Map<String, Value>, counts: &mut Counts) {
    for (key, value) in map {
        if names::is_sensitive(key) {
            counts.others += hide(value);
        } else {
            visit("", value, counts);
        }
    }
}

/// In what is not Kubernetes' own every name may be that of a secret, however deep it is.
fn hide_named(value: &mut Value, count: &mut usize) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if names::is_sensitive(key) && !value.is_boolean() {
                    *count += hide(value);
                } else {
                    hide_named(value, count);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| hide_named(item, count)),
        _ => {}
    }
}

fn hide_all(map: &mut Map<String, Value>, count: &mut usize) {
    map.values_mut().for_each(|value| *count += hide(value));
}

/// Returns 1, or 0 if there was nothing to hide.
fn hide(value: &mut Value) -> usize {
    let is_empty = value.is_null() || value == "" || value == REDACTED;
    if !is_empty {
        *value = Value::from(REDACTED);
    }
    usize::from(!is_empty)
}
