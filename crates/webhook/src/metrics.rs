//! What is counted of admission.

use admission::FieldError;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// Labels of answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByAnswer {
    /// What was asked, e.g. `validate-podcliqueset`.
    pub webhook: &'static str,
    /// `create`, `update`, `delete`, `connect`.
    pub operation: &'static str,
    /// `allowed`, `refused` or `failed`.
    pub result: &'static str,
}

/// Labels of refusals.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByField {
    /// What was asked.
    pub webhook: &'static str,
    /// The field that was wrong, without indices and keys.
    pub field: String,
}

/// Labels of durations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByWebhook {
    /// What was asked.
    pub webhook: &'static str,
}

/// All counters and histograms of admission.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Metrics {
    pub answers: Family<ByAnswer, Counter>,
    pub refusals: Family<ByField, Counter>,
    pub durations: Family<ByWebhook, Histogram>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            answers: Family::default(),
            refusals: Family::default(),
            durations: Family::new_with_constructor(|| {
                Histogram::new(exponential_buckets(0.000_25, 2.0, 14))
            }),
        }
    }
}

impl Metrics {
    /// Has them served with these.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "admission_requests",
            "Questions of the API server by webhook, operation and result",
            self.answers.clone(),
        );
        registry.register(
            "admission_refusals",
            "What was wrong with refused objects, by webhook and field",
            self.refusals.clone(),
        );
        registry.register(
            "admission_duration_seconds",
            "How long questions took, from their last byte to the answer",
            self.durations.clone(),
        );
    }

    pub(crate) fn count_refusals(&self, webhook: &'static str, errors: &[FieldError]) {
        for error in errors {
            let field = name_field(&error.path);
            let labels = ByField { webhook, field };
            self.refusals.get_or_create(&labels).inc();
        }
    }
}

/// The path without indices and keys, which anybody may choose: there are as many names as fields.
fn name_field(path: &str) -> String {
    let mut depth = 0_usize;
    let mut name = String::new();
    for c in path.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => name.push(c),
            _ => {}
        }
    }
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    if is_plain { name } else { "other".into() }
}
