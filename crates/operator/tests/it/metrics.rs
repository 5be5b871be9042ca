//! The metrics of sets and gangs.

mod documented;
mod updates;

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress};
use api::podgang::PodGangPhase;
use api::{PodCliqueSet, PodCliqueSetStatus, PodGang, PodGangStatus};
use domain::health::readiness;
use domain::update;
use engine::metrics::{MAX_NAMESPACES, Metrics, OTHER};
use engine::requests::Requests;
use engine::{Context, reconcile_log, state_metrics};
use http::{Request, Response};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::Client;
use kube::client::Body;
use podgang::PodGangReconciler;
use testkit::builders::{after, set, stored};

/// The operator's context; it sends no requests.
pub fn context() -> Context {
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

/// A set whose update runs.
fn of_update() -> PodCliqueSet {
    let mut set = set("updated").build();
    let status = set.status.get_or_insert_default();
    let running = update::verdict("0/1 replicas updated", None, after(0));
    conditions::set(&mut status.conditions, running, None, after(0));
    status.update_progress = Some(PcsUpdateProgress {
        total_pod_cliques_count: 1,
        currently_updating: vec![ReplicaUpdateProgress::begin(0, Time(after(0)))],
        ..PcsUpdateProgress::begin(Time(after(0)))
    });
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

/// Sets in this many namespaces, in each one more than in the one before.
fn of_namespaces(context: &Context, count: usize) {
    for number in 0..count {
        for copy in 0..=number {
            let mut set = of_sets(Some(Reason::AllReady));
            set.metadata.namespace = Some(format!("team-{number:03}"));
            set.metadata.name = Some(format!("set-{copy}"));
            set.metadata.uid = Some(format!("uid-{number}-{copy}"));
            context.caches.of::<PodCliqueSet>().apply(set);
        }
    }
}

#[tokio::test]
async fn reports_the_largest_namespaces_singly_and_no_others() {
    let context = context();
    of_namespaces(&context, MAX_NAMESPACES + 2);
    let text = Metrics::default().encode(&state_metrics::registry(&context));
    let of = |namespace: &str| {
        let label = format!(r#"namespace="{namespace}""#);
        let mut lines = text.lines().filter(|l| l.starts_with("grove_objects{"));
        lines
            .find(|l| l.contains(&label))
            .and_then(|l| l.rsplit(' ').next())
    };
    assert_eq!((of("team-000"), of("team-001")), (None, None));
    assert_eq!(of(OTHER), Some("3"), "one and two");
    assert_eq!(of("team-002"), Some("3"));
    let namespaces = engine::metrics::Namespaces::default();
    let labels = (0..MAX_NAMESPACES + 2).map(|n| namespaces.label(&n.to_string()));
    let labels: Vec<String> = labels.collect();
    assert_eq!(labels.iter().filter(|l| *l == OTHER).count(), 2);
    assert_eq!(namespaces.label("0"), "0", "once listed, always");
}

/// An object that is not ready has waited since it became so; a suspended set, a job that failed for
/// good and a ready object do not wait.
#[tokio::test]
async fn reports_how_long_the_first_has_waited() {
    let context = context().with_clock(Arc::new(|| after(100)));
    let unready = |seconds: i64, type_: ConditionType| {
        let verdict = readiness::ready_condition(false, Reason::CrashLoop, String::new());
        let failed = ConditionUpdate {
            type_,
            status: true.into(),
            reason: Reason::MaxRestartsExceeded,
            message: String::new(),
        };
        let mut status = PodCliqueSetStatus::default();
        conditions::set(&mut status.conditions, verdict, None, after(seconds));
        conditions::set(&mut status.conditions, failed, None, after(seconds));
        status
    };
    let suspended = {
        let verdict = readiness::ready_condition(false, Reason::Suspended, String::new());
        let mut status = PodCliqueSetStatus::default();
        conditions::set(&mut status.conditions, verdict, None, after(1));
        status
    };
    let sets = [
        ("suspended", Some(suspended)),
        ("old", Some(unready(10, ConditionType::UpdateInProgress))),
        ("new", Some(unready(90, ConditionType::UpdateInProgress))),
        ("failed", Some(unready(1, ConditionType::Failed))),
        ("ready", of_sets(Some(Reason::AllReady)).status),
        ("unseen", None),
    ];
    for (name, status) in sets {
        let mut set = of_sets(None);
        set.metadata = stored(name);
        set.status = status;
        context.caches.of::<PodCliqueSet>().apply(set);
    }
    context.caches.of::<PodGang>().apply(gang(false, 40));
    let text = Metrics::default().encode(&state_metrics::registry(&context));
    let names = [
        "grove_not_ready_oldest_seconds",
        "grove_podgang_pending_oldest_seconds",
    ];
    insta::assert_snapshot!(lines(&text, &names));
}
