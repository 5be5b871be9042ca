//! Annotations: those of the operator and of Kubernetes are known; all others are hidden.

use api::labels::{LAST_APPLIED, RESTART_REPLICA};
use serde_json::{Map, Value};

use super::labels::is_of;
use super::{Redaction, fields, hide_as_unknown, mask, messages, names, places, redact};

const KNOWN_DOMAINS: [&str; 3] = ["grove.io", "kubernetes.io", "k8s.io"];
/// The command line that changed the object, and the reason of a user.
const FREE_TEXTS: [&str; 2] = ["kubernetes.io/change-cause", RESTART_REPLICA];
/// Longer ones hold whole manifests, often compressed.
const LONGEST_ANNOTATION: usize = 1024;

impl Redaction<'_> {
    pub(super) fn visit_annotations(&mut self, annotations: &mut Map<String, Value>) {
        if annotations.remove(LAST_APPLIED).is_some() {
            self.counts.annotations += 1;
        }
        for (key, value) in annotations {
            let Value::String(text) = value else { continue };
            let is_known = is_of(key, &KNOWN_DOMAINS) && !FREE_TEXTS.contains(&key.as_str());
            if names::is_sensitive(key) {
                self.counts.annotations += places::hide(value);
            } else if is_known || self.shown.with_arguments {
                self.visit_known(text, is_known);
            } else {
                self.counts.annotations += hide_as_unknown(text);
            }
        }
    }

    fn visit_known(&mut self, text: &mut String, is_known: bool) {
        let is_manifest = text.len() > LONGEST_ANNOTATION || text.contains('\n');
        match serde_json::from_str::<Value>(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => {
                let mut redacted = redact(inner, self.shown);
                hide_named(&mut redacted.value, &mut redacted.counts.others);
                if redacted.counts != super::Counts::default() {
                    *text = redacted.value.to_string();
                    self.counts += redacted.counts;
                }
            }
            _ if is_manifest && !is_known => self.counts.annotations += hide_as_unknown(text),
            _ if self.shown.with_arguments => self.counts.others += mask(text),
            _ if fields::has_form_of_name(text) => (),
            _ => self.counts.others += messages::hide_in(text, self.shown),
        }
    }
}

/// In a foreign structure any name may be that of a secret, however deep it is.
fn hide_named(value: &mut Value, count: &mut usize) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if names::is_sensitive(key) && !value.is_boolean() {
                    *count += places::hide(value);
                } else {
                    hide_named(value, count);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| hide_named(item, count)),
        _ => {}
    }
}
