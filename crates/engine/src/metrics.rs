//! What is counted, and how it is served.

use std::sync::atomic::{AtomicI64, AtomicU64};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// Labels of a controller's metrics.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByController {
    /// Its name.
    pub controller: &'static str,
}

/// Labels of reconciles.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByResult {
    /// Name of the controller.
    pub controller: &'static str,
    /// `ok`, `conflict` or `error`.
    pub result: &'static str,
}

/// Labels of actions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByAction {
    /// Kind of the object.
    pub kind: &'static str,
    /// What was done.
    pub action: &'static str,
    /// `ok`, `conflict` or `error`.
    pub result: &'static str,
}

/// Labels of API requests; watches are not among them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByRequest {
    /// `create`, `update`, `patch`, `delete`, `get`.
    pub verb: &'static str,
    /// Plural name.
    pub resource: String,
    /// `status` or empty.
    pub subresource: &'static str,
    /// HTTP status code; 0 if there was no answer.
    pub code: u16,
}

/// Labels of watches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByKind {
    /// Kind that is watched.
    pub kind: &'static str,
}

/// Labels of terminated replicas.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByCause {
    /// Kind of the object whose replica was terminated: `PodCliqueSet`, `PodCliqueScalingGroup`.
    pub level: &'static str,
    /// Why, as the fence says.
    pub reason: String,
}

/// Labels of what gangs get through.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByMilestone {
    /// `Scheduled` or `Ready`.
    pub milestone: &'static str,
}

/// Labels of events that were not told.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByDrop {
    /// Why: `Budget`.
    pub reason: &'static str,
}

/// All counters and histograms of the operator.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Metrics {
    registry: Registry,
    pub reconciles: Family<ByResult, Counter>,
    pub durations: Family<ByController, Histogram>,
    pub queue_depth: Family<ByController, Gauge<i64, AtomicI64>>,
    pub queue_longest_wait: Family<ByController, Gauge<f64, AtomicU64>>,
    pub queue_waits: Family<ByController, Histogram>,
    pub actions: Family<ByAction, Counter>,
    pub requests: Family<ByRequest, Counter>,
    pub events_dropped: Family<ByDrop, Counter>,
    pub watch_restarts: Family<ByKind, Counter>,
    pub watch_silence: Family<ByKind, Gauge<f64, AtomicU64>>,
    pub undecodable: Family<ByKind, Counter>,
    pub terminations: Family<ByCause, Counter>,
    pub waits: Family<ByMilestone, Histogram>,
    pub leads: Gauge,
    pub lease_failures: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("grove"),
            reconciles: Family::default(),
            durations: Family::new_with_constructor(|| {
                Histogram::new(exponential_buckets(0.000_1, 4.0, 10))
            }),
            queue_depth: Family::default(),
            queue_longest_wait: Family::default(),
            queue_waits: Family::new_with_constructor(|| {
                Histogram::new(exponential_buckets(0.001, 4.0, 9))
            }),
            actions: Family::default(),
            requests: Family::default(),
            events_dropped: Family::default(),
            watch_restarts: Family::default(),
            watch_silence: Family::default(),
            undecodable: Family::default(),
            terminations: Family::default(),
            // Half a second to two hours and a quarter.
            waits: Family::new_with_constructor(|| {
                Histogram::new(exponential_buckets(0.5, 2.0, 15))
            }),
            leads: Gauge::default(),
            lease_failures: Counter::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    /// Where others have their own metrics served with these.
    pub fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    fn register(&mut self) {
        self.register_controllers();
        self.register_watches();
        self.register_gangs();
        self.register_leadership();
    }

    fn register_controllers(&mut self) {
        let r = &mut self.registry;
        r.register(
            "reconciles",
            "Reconciles by controller and result",
            self.reconciles.clone(),
        );
        r.register(
            "reconcile_duration_seconds",
            "How long a reconcile took, writes included",
            self.durations.clone(),
        );
        r.register(
            "queue_depth",
            "Objects that are due and wait for a slot of their controller",
            self.queue_depth.clone(),
        );
        r.register(
            "queue_longest_wait_seconds",
            "How long the first of them has been waiting",
            self.queue_longest_wait.clone(),
        );
        r.register(
            "queue_wait_seconds",
            "How long objects waited for a slot of their controller",
            self.queue_waits.clone(),
        );
        r.register(
            "actions",
            "Planned writes by kind, action and result",
            self.actions.clone(),
        );
        r.register(
            "api_requests",
            "Requests to the API server but for watches",
            self.requests.clone(),
        );
        r.register(
            "events_dropped",
            "Events that were not told: routine ones, beyond the budget of their namespace",
            self.events_dropped.clone(),
        );
    }

    fn register_watches(&mut self) {
        let r = &mut self.registry;
        r.register(
            "watch_restarts",
            "Watches that failed and were restarted",
            self.watch_restarts.clone(),
        );
        r.register(
            "watch_last_progress_seconds",
            "For how long nothing was heard of the watch of a kind, bookmarks included",
            self.watch_silence.clone(),
        );
        r.register(
            "undecodable_objects",
            "Objects that could not be decoded and were left alone",
            self.undecodable.clone(),
        );
    }

    fn register_gangs(&mut self) {
        let r = &mut self.registry;
        r.register(
            "replica_terminations",
            "Replicas terminated as a gang, by level and reason",
            self.terminations.clone(),
        );
        r.register(
            "podgang_wait_seconds",
            "How long PodGangs waited until they were scheduled, or ready",
            self.waits.clone(),
        );
    }

    fn register_leadership(&mut self) {
        let r = &mut self.registry;
        r.register(
            "leader",
            "1 if this operator leads, 0 if it stands by",
            self.leads.clone(),
        );
        r.register(
            "lease_failures",
            "Requests for the lease that failed; who cannot renew it ends",
            self.lease_failures.clone(),
        );
    }

    /// All metrics in the OpenMetrics text format, with what was counted just now.
    pub fn encode(&self, census: &Registry) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = encode_registry(&mut text, &self.registry);
        let _ = encode_registry(&mut text, census);
        let _ = encode_eof(&mut text);
        text
    }
}
