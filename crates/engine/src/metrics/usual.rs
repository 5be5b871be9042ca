//! The metrics that other operators have, under the names that dashboards for any operator query:
//! those of client-go and controller-runtime.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use super::ByResult;
use crate::work_queue::WorkQueue;

/// The controller-runtime names of our results: a conflict is retried and is no error.
const RESULTS: [(&str, &str); 3] = [
    ("ok", "success"),
    ("conflict", "requeue"),
    ("error", "error"),
];

/// Labels of a work queue; both are the controller's name, as some dashboards ask for either.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByName {
    /// Name of the queue.
    pub name: &'static str,
    /// Name of its controller.
    pub controller: &'static str,
}

impl ByName {
    fn of(controller: &'static str) -> Self {
        let name = controller;
        Self { name, controller }
    }
}

/// Labels of requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByCode {
    /// HTTP status code; `<error>` if there was no answer.
    pub code: String,
    /// HTTP method.
    pub method: &'static str,
}

/// Labels of leadership.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByLease {
    /// Name of the Lease.
    pub name: String,
}

type Seconds = Family<ByName, Gauge<f64, AtomicU64>>;

/// Counters, gauges and histograms of any operator.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct UsualMetrics {
    pub reconciles: Family<ByResult, Counter>,
    pub depth: Family<ByName, Gauge>,
    pub adds: Family<ByName, Counter>,
    pub retries: Family<ByName, Counter>,
    pub waits: Family<ByName, Histogram>,
    pub work: Family<ByName, Histogram>,
    pub unfinished: Seconds,
    pub longest_running: Seconds,
    pub requests: Family<ByCode, Counter>,
    pub leads: Family<ByLease, Gauge>,
}

impl Default for UsualMetrics {
    fn default() -> Self {
        // The buckets of client-go: each ten times as long as the one before, from 10 ns there,
        // from 10 us here.
        let of_queue = || Histogram::new(exponential_buckets(0.000_01, 10.0, 8));
        Self {
            reconciles: Family::default(),
            depth: Family::default(),
            adds: Family::default(),
            retries: Family::default(),
            waits: Family::new_with_constructor(of_queue),
            work: Family::new_with_constructor(of_queue),
            unfinished: Family::default(),
            longest_running: Family::default(),
            requests: Family::default(),
            leads: Family::default(),
        }
    }
}

impl UsualMetrics {
    pub(super) fn begin_controller(&self, controller: &'static str) {
        for (_, result) in RESULTS {
            let by = ByResult { controller, result };
            drop(self.reconciles.get_or_create(&by));
        }
        let by = ByName::of(controller);
        drop(self.retries.get_or_create(&by));
        drop(self.waits.get_or_create(&by));
        drop(self.work.get_or_create(&by));
    }

    /// A key got its turn after this wait.
    pub fn note_wait(&self, controller: &'static str, seconds: f64) {
        let by = ByName::of(controller);
        self.waits.get_or_create(&by).observe(seconds);
    }

    /// A reconcile had this result and duration.
    pub fn note_reconcile(&self, controller: &'static str, result: &'static str, seconds: f64) {
        let by = ByName::of(controller);
        self.work.get_or_create(&by).observe(seconds);
        if result != "ok" {
            self.retries.get_or_create(&by).inc();
        }
        let result = RESULTS
            .iter()
            .find(|(ours, _)| *ours == result)
            .map_or(result, |(_, usual)| usual);
        let by = ByResult { controller, result };
        self.reconciles.get_or_create(&by).inc();
    }

    /// A request was answered with this code; 0 for no answer.
    pub fn note_request(&self, verb: &str, code: u16) {
        let method = match verb {
            "create" => "POST",
            "update" => "PUT",
            "patch" => "PATCH",
            "delete" => "DELETE",
            _ => "GET",
        };
        let code = match code {
            0 => "<error>".to_owned(),
            code => code.to_string(),
        };
        self.requests.get_or_create(&ByCode { code, method }).inc();
    }

    pub(super) fn measure_queue(&self, controller: &'static str, queue: &WorkQueue) {
        let by = ByName::of(controller);
        let depth = i64::try_from(queue.depth()).unwrap_or(i64::MAX);
        self.depth.get_or_create(&by).set(depth);
        let adds = self.adds.get_or_create(&by);
        adds.inc_by(queue.added().saturating_sub(adds.get()));
        let work = queue.work_under_way();
        let unfinished = self.unfinished.get_or_create(&by);
        unfinished.set(work.total.as_secs_f64());
        let longest = self.longest_running.get_or_create(&by);
        longest.set(work.longest.as_secs_f64());
    }

    pub(super) fn register(&self, r: &mut Registry) {
        r.register(
            "controller_runtime_reconcile",
            "Reconciles by controller and result",
            self.reconciles.clone(),
        );
        r.register(
            "rest_client_requests",
            "Requests to the API server, except watches, by code and method",
            self.requests.clone(),
        );
        r.register(
            "leader_election_master_status",
            "1 if this operator holds the Lease, else 0",
            self.leads.clone(),
        );
        self.register_queues(r);
        self.register_work(r);
    }

    fn register_queues(&self, r: &mut Registry) {
        r.register(
            "workqueue_depth",
            "Objects that are due and wait for a free slot of their controller",
            self.depth.clone(),
        );
        r.register(
            "workqueue_adds",
            "How often an object became due",
            self.adds.clone(),
        );
        r.register(
            "workqueue_retries",
            "Reconciles that failed or met a conflict and are tried again",
            self.retries.clone(),
        );
        r.register(
            "workqueue_queue_duration_seconds",
            "How long objects waited for a free slot of their controller",
            self.waits.clone(),
        );
    }

    fn register_work(&self, r: &mut Registry) {
        r.register(
            "workqueue_work_duration_seconds",
            "How long a reconcile took, writes included",
            self.work.clone(),
        );
        r.register(
            "workqueue_unfinished_work_seconds",
            "How long the reconciles that are under way have taken, together",
            self.unfinished.clone(),
        );
        r.register(
            "workqueue_longest_running_processor_seconds",
            "How long the longest of them has taken",
            self.longest_running.clone(),
        );
    }
}
