//! Labels, and selectors of them.

use serde_json::{Map, Value};

use super::{Redaction, fields, hide_as_unknown, names, text};

/// Labels of these domains describe a machine or an object.
const KNOWN_DOMAINS: [&str; 10] = [
    "grove.io",
    "kubernetes.io",
    "k8s.io",
    "kai.scheduler",
    "run.ai",
    "volcano.sh",
    "nvidia.com",
    "amd.com",
    "karpenter.sh",
    "cloud.google.com",
];
const LONGEST_LABEL: usize = 63;

impl Redaction<'_> {
    /// Labels of an object are shown, except labels with the name of a secret.
    pub(super) fn visit_labels(&mut self, labels: &mut Map<String, Value>) {
        for (key, value) in labels {
            if let Value::String(value) = value
                && !is_plain(key, value)
            {
                self.counts.others += hide_as_unknown(value);
            }
        }
    }

    /// Labels that something else has to have.
    pub(super) fn visit_selector(&mut self, selector: &mut Map<String, Value>) {
        for (key, value) in selector {
            self.visit_selected(key, value);
        }
    }

    /// One value of a label that something else has to have, or several.
    pub(super) fn visit_selected(&mut self, label: &str, value: &mut Value) {
        match value {
            Value::Array(list) => list
                .iter_mut()
                .for_each(|value| self.visit_selected(label, value)),
            Value::String(value) => {
                let is_known = is_of(label, &KNOWN_DOMAINS) || self.shown.contains(value);
                let may_be_shown = self.shown.with_arguments || is_known;
                if !(may_be_shown && is_plain(label, value)) {
                    self.counts.others += hide_as_unknown(value);
                }
            }
            _ => (),
        }
    }
}

fn is_plain(key: &str, value: &str) -> bool {
    let has_form = value.len() <= LONGEST_LABEL && fields::is_name(value);
    value.is_empty() || (has_form && !names::is_sensitive(key) && !text::is_token(value))
}

/// Whether a label or an annotation is of one of these domains, or of one below it.
pub fn is_of(key: &str, domains: &[&str]) -> bool {
    let Some((domain, _)) = key.split_once('/') else {
        return false;
    };
    domains.iter().any(|known| {
        domain
            .strip_suffix(known)
            .is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}
