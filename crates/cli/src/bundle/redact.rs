//! Redacts an object before it is written: everything that is not known to be harmless is hidden.

mod annotations;
mod arguments;
mod counts;
mod fields;
mod labels;
mod messages;
mod names;
mod places;
mod shown;
mod text;

use serde_json::{Map, Value};

use crate::output::count;

pub use counts::Counts;
pub use messages::{hide_in_line, hide_unknown_words};
pub use shown::Shown;
pub use text::mask_text;

/// Replaces a value that is a secret by its place, or that looks like one.
pub const REDACTED: &str = "REDACTED";

/// An object without its secrets.
#[derive(Clone, Debug, PartialEq)]
pub struct Redacted {
    /// The redacted value.
    pub value: Value,
    /// Numbers of redacted values.
    pub counts: Counts,
}

/// Removes from an object, wherever they occur: values of environment variables (their names stay,
/// and so do values that the operator sets), headers of probes, contents of Secrets,
/// `managedFields`, the manifest that kubectl keeps in an annotation, and every other text except
/// names, images, times, quantities, labels and the words of Kubernetes' own enumerations.
///
/// With arguments: text that looks like a secret, instead of every other text.
pub fn redact(mut value: Value, shown: &Shown) -> Redacted {
    let mut redaction = Redaction {
        shown,
        counts: Counts::default(),
    };
    redaction.visit("", &mut value);
    let counts = redaction.counts;
    Redacted { value, counts }
}

/// Replaces a text that is not known to be harmless.
pub fn hidden(text: &str) -> String {
    format!("<hidden: {}>", count(text.chars().count(), "character"))
}

struct Redaction<'a> {
    shown: &'a Shown,
    counts: Counts,
}

impl Redaction<'_> {
    /// Visits a value under that key of an object, or in a list there.
    fn visit(&mut self, key: &str, value: &mut Value) {
        match (key, value) {
            ("env", value) => self.visit_env(value),
            ("args" | "command", Value::Array(list)) => {
                arguments::hide(list, self.shown, &mut self.counts);
            }
            ("httpHeaders", Value::Array(list)) => places::hide_headers(list, &mut self.counts),
            ("data" | "stringData", Value::Object(map)) => {
                places::hide_all(map, &mut self.counts.others);
            }
            ("annotations" | "userAnnotations", Value::Object(map)) => self.visit_annotations(map),
            ("volumeAttributes" | "options" | "parameters", Value::Object(map)) => {
                self.visit_free_map(map);
            }
            ("labels", Value::Object(map)) => self.visit_labels(map),
            ("matchLabels" | "nodeSelector" | "selector", Value::Object(map))
                if map.values().all(Value::is_string) =>
            {
                self.visit_selector(map);
            }
            (key, Value::Object(map)) if fields::QUANTITIES.contains(&key) => {
                map.values_mut().for_each(|v| self.visit_quantity(v));
            }
            (key, Value::Object(map)) => self.visit_map(key, map),
            (_, Value::Array(list)) => list.iter_mut().for_each(|item| self.visit(key, item)),
            (_, Value::String(text)) => self.visit_text(key, text),
            _ => (),
        }
    }

    fn visit_map(&mut self, parent: &str, map: &mut Map<String, Value>) {
        if parent == "metadata" && map.remove("managedFields").is_some() {
            self.counts.managed_fields += 1;
        }
        let label = map.get("key").and_then(Value::as_str).map(str::to_owned);
        let is_condition = ["type", "status"].iter().all(|key| map.contains_key(*key));
        for (key, value) in map {
            match (&**key, &label, value) {
                ("value" | "values", Some(label), value) => self.visit_selected(label, value),
                ("type", _, value) if is_condition => self.visit("reason", value),
                ("message", _, Value::String(text)) if fields::OF_WORKLOADS.contains(&parent) => {
                    self.hide_text(text);
                }
                (_, _, value) => self.visit(key, value),
            }
        }
    }

    fn visit_text(&mut self, key: &str, text: &mut String) {
        if self.shown.with_arguments {
            if !fields::IMAGES.contains(&key) {
                self.counts.others += mask(text);
            }
        } else if fields::MESSAGES.contains(&key) {
            self.counts.others += messages::hide_in(text, self.shown);
        } else if !self.shown.contains(text) && !fields::is_harmless(key, text) {
            self.counts.others += hide_as_unknown(text);
        }
    }

    /// Text that a workload wrote.
    fn hide_text(&mut self, text: &mut String) {
        self.counts.others += if self.shown.with_arguments {
            mask(text)
        } else {
            hide_as_unknown(text)
        };
    }

    fn visit_quantity(&mut self, value: &mut Value) {
        match value {
            Value::String(text) if fields::is_quantity(text) || fields::is_harmless("", text) => (),
            Value::String(text) => self.hide_text(text),
            other => self.visit("", other),
        }
    }

    /// Free text under free names, such as attributes of volumes.
    fn visit_free_map(&mut self, map: &mut Map<String, Value>) {
        for (key, value) in map {
            if names::is_sensitive(key) {
                self.counts.others += places::hide(value);
            } else {
                self.visit("", value);
            }
        }
    }
}

/// Hides text that looks like a secret, and returns the number of replacements.
fn mask(text: &mut String) -> usize {
    let (masked, hidden) = mask_text(text);
    *text = masked;
    hidden
}

/// Hides the text, and returns the number of hidden texts: 1, or 0 for an empty one.
fn hide_as_unknown(text: &mut String) -> usize {
    let is_shown = text.is_empty() || text == REDACTED || fields::is_mark(text);
    if !is_shown {
        *text = hidden(text);
    }
    usize::from(!is_shown)
}
