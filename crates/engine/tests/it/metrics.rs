//! `/metrics` before anything happens.

use prometheus_client::registry::Registry;

use crate::server::context;

/// A counter that appears with its first event has not increased by it.
#[tokio::test]
async fn metrics_of_alerts_are_there_from_the_start() {
    let (context, _) = context(Vec::new());
    context.expect::<api::PodClique>();
    context.metrics.begin_namespace("default");
    context.measure();
    let text = context.metrics.encode(&Registry::default());
    for line in [
        r#"grove_reconciles_total{controller="podclique",result="ok"} 0"#,
        r#"grove_reconciles_total{controller="podclique",result="error"} 0"#,
        r#"grove_panics_total{controller="podclique"} 0"#,
        r#"grove_queue_depth{controller="podclique"} 0"#,
        r#"grove_queue_longest_wait_seconds{controller="podclique"} 0.0"#,
        r#"grove_watch_restarts_total{kind="PodClique"} 0"#,
        r#"grove_unreadable_objects{kind="PodClique"} 0"#,
        r#"grove_events_dropped_total{reason="Budget"} 0"#,
        r#"grove_replica_terminations_total{level="PodCliqueSet",namespace="default",reason="MinAvailableBreached"} 0"#,
        "grove_ready 0",
        "grove_leader 0",
        "grove_lease_failures_total 0",
        r#"workqueue_adds_total{name="podclique",controller="podclique"} 0"#,
        r#"workqueue_longest_running_processor_seconds{name="podclique",controller="podclique"} 0.0"#,
        r#"controller_runtime_reconcile_total{controller="podclique",result="success"} 0"#,
    ] {
        assert!(
            text.contains(&format!("\n{line}\n")),
            "no {line} in\n{text}"
        );
    }
}
