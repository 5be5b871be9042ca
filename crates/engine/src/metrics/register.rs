//! The names of the metrics, and their help texts.

use super::{ByDrop, Metrics};

impl Metrics {
    /// Registers all metrics.
    pub(super) fn register(&mut self) {
        drop(
            self.events_dropped
                .get_or_create(&ByDrop { reason: "Budget" }),
        );
        self.usual.register(&mut self.usual_registry);
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
            "Objects that are due and wait for a free slot of their controller",
            self.queue_depth.clone(),
        );
        r.register(
            "queue_longest_wait_seconds",
            "How long the first of them has been waiting",
            self.queue_longest_wait.clone(),
        );
        r.register(
            "queue_wait_seconds",
            "How long objects waited for a free slot of their controller",
            self.queue_waits.clone(),
        );
        r.register(
            "actions",
            "Planned writes by kind, action and result",
            self.actions.clone(),
        );
        r.register(
            "api_requests",
            "Requests to the API server, except watches",
            self.requests.clone(),
        );
        r.register(
            "events_dropped",
            "Events dropped: routine events beyond the budget of their namespace",
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
            "Time since the last message from the watch of a kind, bookmarks included",
            self.watch_silence.clone(),
        );
        r.register(
            "unreadable_objects",
            "Objects that cannot be decoded at present; the operator does not act on them",
            self.unreadable.clone(),
        );
    }

    fn register_gangs(&mut self) {
        let r = &mut self.registry;
        r.register(
            "replica_terminations",
            "Replicas terminated as a gang, by level, namespace and reason",
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
            "Failed requests for the lease; a leader that cannot renew it ends",
            self.lease_failures.clone(),
        );
        r.register(
            "ready",
            "1 if /readyz reports this operator as ready, else 0",
            self.ready.clone(),
        );
        r.register(
            "panics",
            "Reconciles that panicked; each one is a bug",
            self.panics.clone(),
        );
    }
}
