//! Metrics of admission.

use admission::FieldError;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use crate::certificates::Serving;

/// Labels of answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByAnswer {
    /// The webhook, e.g. `validate-podcliqueset`.
    pub webhook: &'static str,
    /// `create`, `update`, `delete`, `connect`.
    pub operation: &'static str,
    /// `allowed`, `refused` or `failed`.
    pub result: &'static str,
}

impl ByAnswer {
    /// A request without an answer; its content is unknown.
    pub(crate) fn failed(webhook: &'static str) -> Self {
        Self {
            webhook,
            operation: "unknown",
            result: "failed",
        }
    }
}

/// Labels of refusals.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByField {
    /// The webhook.
    pub webhook: &'static str,
    /// The field that was wrong, without indices and keys.
    pub field: String,
}

/// Labels of durations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByWebhook {
    /// The webhook.
    pub webhook: &'static str,
}

/// Labels of foreign changes to a configuration of webhooks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByConfiguration {
    /// Its kind and name.
    pub configuration: String,
}

/// All counters, gauges and histograms of admission.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Metrics {
    pub answers: Family<ByAnswer, Counter>,
    pub refusals: Family<ByField, Counter>,
    pub durations: Family<ByWebhook, Histogram>,
    pub connections_cut: Counter,
    pub bundle_rewrites: Family<ByConfiguration, Counter>,
    pub certificate_not_before: Gauge,
    pub certificate_not_after: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            answers: Family::default(),
            refusals: Family::default(),
            durations: Family::new_with_constructor(|| {
                Histogram::new(exponential_buckets(0.000_25, 2.0, 14))
            }),
            connections_cut: Counter::default(),
            bundle_rewrites: Family::default(),
            certificate_not_before: Gauge::default(),
            certificate_not_after: Gauge::default(),
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
            "Errors of refused objects, by webhook and field",
            self.refusals.clone(),
        );
        registry.register(
            "admission_duration_seconds",
            "How long questions took, from their last byte to the answer",
            self.durations.clone(),
        );
        registry.register(
            "webhook_connections_cut",
            "Connections that were closed because others waited and these were the slowest",
            self.connections_cut.clone(),
        );
        self.register_certificates(registry);
    }

    fn register_certificates(&self, registry: &mut Registry) {
        registry.register(
            "webhook_ca_bundle_rewrites",
            "Changes of the caBundle by other writers after the operator wrote it",
            self.bundle_rewrites.clone(),
        );
        registry.register(
            "webhook_certificate_not_before_seconds",
            "Since when the certificate that is served is valid, in seconds since 1970; 0 for none",
            self.certificate_not_before.clone(),
        );
        registry.register(
            "webhook_certificate_not_after_seconds",
            "When the certificate that is served ends, in seconds since 1970; 0 for none",
            self.certificate_not_after.clone(),
        );
    }

    /// Starts the metrics of this webhook's alerts at 0: a series that begins with its first event
    /// shows no increase.
    pub(crate) fn begin(&self, webhook: &'static str) {
        drop(self.answers.get_or_create(&ByAnswer::failed(webhook)));
        drop(self.durations.get_or_create(&ByWebhook { webhook }));
    }

    /// The same of a configuration of webhooks, named by its kind and name.
    pub fn begin_configuration(&self, configuration: String) {
        let by = ByConfiguration { configuration };
        drop(self.bundle_rewrites.get_or_create(&by));
    }

    /// This certificate is served.
    pub(crate) fn show_certificate(&self, serving: &Serving) {
        let (from, until) = (serving.not_before, serving.not_after);
        self.certificate_not_before.set(from.as_second());
        self.certificate_not_after.set(until.as_second());
    }

    pub(crate) fn count_refusals(&self, webhook: &'static str, errors: &[FieldError]) {
        for error in errors {
            let field = name_field(&error.path);
            let labels = ByField { webhook, field };
            self.refusals.get_or_create(&labels).inc();
        }
    }
}

/// The path without indices and keys, which users choose: there are as many names as fields. A
/// key of labels or annotations is the end of its path, and may have brackets in it.
fn name_field(path: &str) -> String {
    let end = [".labels[", ".annotations["]
        .into_iter()
        .filter_map(|map| path.find(map)?.checked_add(map.len()))
        .min();
    let path = end.and_then(|end| path.get(..end)).unwrap_or(path);
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
