//! What `/metrics` says of gangs.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use api::podgang::PodGangPhase;
use api::{PodCliqueSet, PodCliqueSetStatus, PodGang, PodGangStatus};
use domain::health::readiness;
use engine::metrics::{
    ByCause, ByController, ByDrop, ByKind, ByMilestone, ByRequest, ByResult, Metrics,
};
use engine::requests::Requests;
use engine::{Context, reconcile_log, state_metrics};
use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use podgang::PodGangReconciler;
use testkit::builders::{after, set, stored};
use webhook::metrics::{ByAnswer, ByConfiguration, ByField, ByWebhook};

/// The operator's context; it asks nobody.
fn context() -> Context {
    let nobody = tower::service_fn(|_: Request<Body>| async {
        Err::<Response<Body>, _>(std::io::Error::other("nobody"))
    });
    let metrics = Arc::new(Metrics::default());
    let requests = Requests::new(Client::new(nobody, "default"), metrics.clone());
    Context::new(requests, metrics, operator::run::controllers())
}

fn gang(is_scheduled: bool, seconds: i64) -> PodGang {
    let mut status = PodGangStatus {
        phase: PodGangPhase::Starting,
        ..PodGangStatus::default()
    };
    let scheduled = ConditionUpdate {
        type_: ConditionType::Scheduled,
        status: is_scheduled.into(),
        reason: Reason::GuaranteedPodsBound,
        message: String::new(),
    };
    let ready = readiness::ready_condition(false, Reason::CrashLoop, String::new());
    conditions::set(&mut status.conditions, scheduled, None, after(seconds));
    conditions::set(&mut status.conditions, ready, None, after(seconds));
    PodGang {
        metadata: stored("demo-0"),
        status: Some(status),
        ..PodGang::default()
    }
}

fn of_sets(ready: Option<Reason>) -> PodCliqueSet {
    let mut set = set("demo").build();
    let mut status = PodCliqueSetStatus::default();
    if let Some(reason) = ready {
        let verdict = readiness::ready_condition(true, reason, String::new());
        conditions::set(&mut status.conditions, verdict, None, after(0));
    }
    set.status = Some(status);
    set
}

/// Lines of these metrics that have a value.
fn lines(text: &str, names: &[&str]) -> String {
    let is_meant = |line: &&str| names.iter().any(|name| line.starts_with(name));
    let mut lines: Vec<&str> = text.lines().filter(is_meant).collect();
    lines.sort_unstable();
    lines.join("\n")
}

#[tokio::test]
async fn reports_how_many_objects_are_in_which_state_now() {
    let (context, metrics) = (context(), Metrics::default());
    context.caches.of::<PodGang>().apply(gang(false, 0));
    context
        .caches
        .of::<PodCliqueSet>()
        .apply(of_sets(Some(Reason::AllReady)));
    let names = ["grove_objects", "grove_podgangs"];
    insta::assert_snapshot!(lines(
        &metrics.encode(&state_metrics::registry(&context)),
        &names
    ));
    let mut later = of_sets(None);
    later.metadata.resource_version = Some("99".into());
    context.caches.of::<PodCliqueSet>().apply(later);
    let text = metrics.encode(&state_metrics::registry(&context));
    assert!(!text.contains("AllReady"), "a state that is gone: {text}");
}

#[tokio::test]
async fn times_how_long_a_gang_waited_once_each_time() {
    let metrics = Metrics::default();
    let status = |gang: PodGang| gang.status.unwrap();
    let (waiting, placed) = (gang(false, 10), gang(true, 40));
    reconcile_log::log_status::<PodGangReconciler>(
        &metrics,
        &waiting,
        &PodGangStatus::default(),
        &status(waiting.clone()),
    );
    reconcile_log::log_status::<PodGangReconciler>(
        &metrics,
        &placed,
        &status(waiting),
        &status(placed.clone()),
    );
    reconcile_log::log_status::<PodGangReconciler>(
        &metrics,
        &placed,
        &status(placed.clone()),
        &status(placed.clone()),
    );
    let text = metrics.encode(&state_metrics::registry(&context()));
    let names = [
        "grove_podgang_wait_seconds_sum",
        "grove_podgang_wait_seconds_count",
    ];
    insta::assert_snapshot!(lines(&text, &names));
}

/// Every name of a metric in the text, without what Prometheus adds to it.
fn named(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_lowercase() || c == '_';
    let words = text
        .split(|c| !is_part(c))
        .filter(|w| w.starts_with("grove_"));
    let suffixes = ["_bucket", "_sum", "_count", "_total"];
    words
        .map(|w| suffixes.iter().find_map(|s| w.strip_suffix(s)).unwrap_or(w))
        .collect()
}

/// Metrics with one value of each.
fn whole() -> String {
    let (context, mut metrics) = (context(), Metrics::default());
    of_webhook().register(metrics.registry());
    context.caches.of::<PodGang>().apply(gang(false, 0));
    let (controller, kind, result) = ("podclique", "Pod", "ok");
    let milestone = "Ready";
    let by = ByController { controller };
    metrics.durations.get_or_create(&by).observe(0.1);
    metrics.queue_depth.get_or_create(&by).set(1);
    metrics.queue_longest_wait.get_or_create(&by).set(1.0);
    metrics.queue_waits.get_or_create(&by).observe(0.1);
    metrics
        .waits
        .get_or_create(&ByMilestone { milestone })
        .observe(1.0);
    let by = ByKind { kind };
    metrics.watch_restarts.get_or_create(&by).inc();
    metrics.watch_silence.get_or_create(&by).set(1.0);
    metrics.undecodable.get_or_create(&by).inc();
    let by = ByDrop { reason: "Budget" };
    metrics.events_dropped.get_or_create(&by).inc();
    let by = ByResult { controller, result };
    metrics.reconciles.get_or_create(&by).inc();
    let by = ByCause {
        level: kind,
        reason: "GangTerminated".to_owned(),
    };
    metrics.terminations.get_or_create(&by).inc();
    let by = ByRequest {
        verb: "get",
        resource: "pods".to_owned(),
        subresource: "",
        code: 200,
    };
    metrics.requests.get_or_create(&by).inc();
    metrics.encode(&state_metrics::registry(&context))
}

/// The webhook's, with one value of each.
fn of_webhook() -> webhook::metrics::Metrics {
    let metrics = webhook::metrics::Metrics::default();
    let webhook = "validate-podcliqueset";
    let by = ByAnswer {
        webhook,
        operation: "create",
        result: "failed",
    };
    metrics.answers.get_or_create(&by).inc();
    let by = ByWebhook { webhook };
    metrics.durations.get_or_create(&by).observe(0.1);
    let field = "spec.replicas".to_owned();
    let by = ByField { webhook, field };
    metrics.refusals.get_or_create(&by).inc();
    let configuration = "MutatingWebhookConfiguration any".to_owned();
    let by = ByConfiguration { configuration };
    metrics.bundle_rewrites.get_or_create(&by).inc();
    metrics
}

#[tokio::test]
async fn the_dashboard_and_the_alerts_ask_for_metrics_that_exist() {
    let text = whole();
    let types = text.lines().filter_map(|l| l.strip_prefix("# TYPE "));
    let known: BTreeSet<&str> = types.filter_map(|l| l.split(' ').next()).collect();
    for file in [
        include_str!("../../../../charts/grove/dashboards/grove.json"),
        include_str!("../../../../charts/grove/alerts/grove.yaml"),
        include_str!("../../../../docs/operations.md"),
    ] {
        let unknown: Vec<&str> = named(file).difference(&known).copied().collect();
        assert!(named(file).len() > 3 && unknown.is_empty(), "{unknown:?}");
    }
}
