//! The metrics, and how they are served.

mod labels;
mod namespaces;
mod register;
mod usual;

use std::sync::atomic::{AtomicI64, AtomicU64};

use api::podcliqueset::ReplicaAttempt;
use api::{PodCliqueScalingGroup, PodCliqueSet};
use domain::plan::Kind;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use crate::work_queue::WorkQueue;
pub use labels::*;
pub(crate) use namespaces::Largest;
pub use namespaces::{MAX_NAMESPACES, Namespaces, OTHER};
pub use usual::{ByCode, ByLease, ByName, UsualMetrics};

/// The content type of the text of [`Metrics::encode`]. Prometheus reads the metadata of counters
/// only from a text that is announced as OpenMetrics.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The prefix of all own metrics.
const PREFIX: &str = "grove";
/// The possible results of a reconcile.
const RESULTS: [&str; 3] = ["ok", "conflict", "error"];

/// All counters and histograms of the operator.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Metrics {
    registry: Registry,
    usual_registry: Registry,
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
    pub unreadable: Family<ByKind, Gauge>,
    pub terminations: Family<ByCause, Counter>,
    pub waits: Family<ByMilestone, Histogram>,
    pub leads: Gauge,
    pub lease_failures: Counter,
    pub panics: Family<ByController, Counter>,
    pub ready: Gauge,
    /// The metrics that other operators have under the same names.
    pub usual: UsualMetrics,
    /// The namespaces that have their own label value in counters.
    pub namespaces: Namespaces,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix(PREFIX),
            usual_registry: Registry::default(),
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
            unreadable: Family::default(),
            terminations: Family::default(),
            // Half a second to two hours and a quarter.
            waits: Family::new_with_constructor(|| {
                Histogram::new(exponential_buckets(0.5, 2.0, 15))
            }),
            leads: Gauge::default(),
            lease_failures: Counter::default(),
            panics: Family::default(),
            ready: Gauge::default(),
            usual: UsualMetrics::default(),
            namespaces: Namespaces::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    /// The registry for metrics of other crates, under names of this operator.
    pub fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// The registry for metrics of other crates with names that all programs share.
    pub fn usual_registry(&mut self) -> &mut Registry {
        &mut self.usual_registry
    }

    /// Lets all counters of this controller begin at 0: if a counter appears with its first event,
    /// a query cannot see that anything happened.
    pub fn begin_controller(&self, controller: &'static str) {
        for result in RESULTS {
            let by = ByResult { controller, result };
            drop(self.reconciles.get_or_create(&by));
        }
        let by = ByController { controller };
        drop(self.durations.get_or_create(&by));
        drop(self.queue_waits.get_or_create(&by));
        drop(self.panics.get_or_create(&by));
        self.usual.begin_controller(controller);
        self.measure_queue(controller, &WorkQueue::default());
    }

    /// The same for the watch of this kind.
    pub fn begin_watch(&self, kind: &'static str) {
        drop(self.watch_restarts.get_or_create(&ByKind { kind }));
        drop(self.unreadable.get_or_create(&ByKind { kind }));
    }

    /// The same for the counters of workloads in this namespace.
    pub fn begin_namespace(&self, namespace: &str) {
        let groups = Kind::of::<PodCliqueScalingGroup>();
        for level in [Kind::of::<PodCliqueSet>().name(), groups.name()] {
            for reason in [
                ReplicaAttempt::BREACHED,
                ReplicaAttempt::PODCLIQUE_FAILED,
                ReplicaAttempt::REQUESTED,
            ] {
                let by = ByCause {
                    level,
                    namespace: self.namespaces.label(namespace),
                    reason: reason.to_owned(),
                };
                drop(self.terminations.get_or_create(&by));
            }
        }
    }

    /// The number of keys that wait in the controller's queue, and of those under way.
    pub fn measure_queue(&self, controller: &'static str, queue: &WorkQueue) {
        let by = ByController { controller };
        let depth = i64::try_from(queue.depth()).unwrap_or(i64::MAX);
        self.queue_depth.get_or_create(&by).set(depth);
        let longest = self.queue_longest_wait.get_or_create(&by);
        longest.set(queue.longest_wait().as_secs_f64());
        self.usual.measure_queue(controller, queue);
    }

    /// All metrics in the OpenMetrics text format, with the objects counted just now.
    pub fn encode(&self, census: &Registry) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = encode_registry(&mut text, &self.registry);
        let _ = encode_registry(&mut text, &self.usual_registry);
        let _ = encode_registry(&mut text, census);
        let _ = encode_eof(&mut text);
        text
    }
}
