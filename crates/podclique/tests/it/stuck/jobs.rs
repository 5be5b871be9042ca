//! A rank of a job is held for its old pod for longer where the pod's node is Ready: the process
//! may run on, and reach its peers (decision 116).

use std::collections::BTreeSet;
use std::sync::Arc;

use api::{PodClique, PodCliqueSet, WorkloadType, labels};
use domain::health::stuck::{StuckTimeout, StuckTimeouts};
use domain::{Node, Pod};
use engine::Caches;
use insta::assert_snapshot;
use jiff::{SignedDuration, Timestamp};
use podclique::decide::decide;
use podclique::observe::{SetFacts, observe};
use podclique::{PodCliqueReconciler, Snapshot};
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, podclique, set};

use crate::situation::situation;

const NODE: &str = "node-2";

fn worker(type_: WorkloadType) -> Arc<PodClique> {
    podclique("demo-0-worker")
        .with(|c| c.spec.workload_type = Some(type_))
        .build()
}

/// On `NODE`, terminating since `after(0)`.
fn hanging(clique: &PodClique) -> PodBuilder {
    let pod = pod(clique, 0).ready().terminating(0);
    pod.with(|p| p.spec.node_name = Some(NODE.into()))
}

fn detached(pod: PodBuilder) -> PodBuilder {
    pod.with(|p| {
        let labels = p.metadata.labels.as_mut().unwrap();
        labels.remove(labels::PCS_REPLICA_INDEX);
    })
}

/// A clique of one pod, which hangs.
fn hung(type_: WorkloadType, is_in_service: bool, timeouts: StuckTimeouts) -> Snapshot {
    let clique = worker(type_);
    let nodes: BTreeSet<String> = is_in_service.then(|| NODE.to_owned()).into_iter().collect();
    Snapshot {
        nodes_in_service: nodes,
        stuck_timeouts: timeouts,
        set: Some(SetFacts {
            name: "demo".into(),
            uid: "0123456789abcdef".into(),
            ..SetFacts::default()
        }),
        ..situation(&clique, vec![hanging(&clique)])
    }
}

fn timeouts(usual: StuckTimeout, on_ready_node: StuckTimeout) -> StuckTimeouts {
    StuckTimeouts {
        usual,
        on_ready_node,
    }
}

fn minutes(count: i64) -> StuckTimeout {
    StuckTimeout::After(SignedDuration::from_mins(count))
}

/// Whether the pod is removed from the headless Service at that moment.
fn is_given_up(snapshot: &Snapshot, now: Timestamp) -> bool {
    decide(snapshot, now)
        .to_string()
        .contains("stuck in Terminating")
}

use StuckTimeout::Never;
use WorkloadType::{Inference, Training};

#[rstest]
#[case::job_on_a_ready_node(Training, true, StuckTimeouts::default(), Some(600))]
#[case::job_on_a_lost_node(Training, false, StuckTimeouts::default(), Some(60))]
#[case::inference_on_a_ready_node(Inference, true, StuckTimeouts::default(), Some(60))]
#[case::inference_on_a_lost_node(Inference, false, StuckTimeouts::default(), Some(60))]
#[case::configured(Training, true, timeouts(minutes(2), minutes(3)), Some(180))]
#[case::configured_lost(Training, false, timeouts(minutes(2), minutes(3)), Some(120))]
#[case::never_on_ready(Training, true, timeouts(minutes(1), Never), None)]
#[case::never_on_ready_but_lost(Training, false, timeouts(minutes(1), Never), Some(60))]
#[case::never(Training, false, timeouts(Never, minutes(1)), None)]
#[case::never_of_inference(Inference, true, timeouts(Never, minutes(1)), None)]
fn a_slot_is_held_by_kind_and_node(
    #[case] type_: WorkloadType,
    #[case] is_in_service: bool,
    #[case] timeouts: StuckTimeouts,
    #[case] seconds: Option<i64>,
) {
    let snapshot = hung(type_, is_in_service, timeouts);
    let Some(seconds) = seconds else {
        assert!(!is_given_up(&snapshot, after(1_000_000)));
        return;
    };
    assert!(!is_given_up(&snapshot, after(seconds - 1)));
    let before = decide(&snapshot, after(seconds - 1));
    assert_eq!(before.wake_at, Some(after(seconds)));
    assert!(is_given_up(&snapshot, after(seconds)));
}

/// Its processes have ended; something else keeps the object.
#[test]
fn a_pod_that_has_ended_is_waited_for_as_ever() {
    let mut snapshot = hung(Training, true, StuckTimeouts::default());
    snapshot.pods = vec![hanging(&snapshot.podclique).phase("Failed").build()];
    assert!(is_given_up(&snapshot, after(60)));
}

/// `never` is for slots: a PodClique that is deleted goes after the usual time.
#[rstest]
#[case::ready(true, 600)]
#[case::lost(false, 60)]
fn a_finalizer_is_not_held_without_end(#[case] is_in_service: bool, #[case] seconds: i64) {
    let mut snapshot = hung(Training, is_in_service, timeouts(Never, Never));
    let clique = Arc::make_mut(&mut snapshot.podclique);
    clique.metadata.deletion_timestamp = snapshot.pods[0].metadata.deletion_timestamp.clone();
    assert!(!is_given_up(&snapshot, after(seconds - 1)));
    assert!(is_given_up(&snapshot, after(seconds)));
    snapshot.pods = vec![detached(hanging(&snapshot.podclique)).build()];
    let plan = decide(&snapshot, after(seconds));
    assert!(plan.to_string().contains("finalizer"), "{plan}");
}

/// The next attempt's PodClique waits for the pods that the former one left, and only for those.
#[test]
fn without_end_the_old_pod_holds_the_rank_of_the_next_attempt() {
    let former = podclique("demo-0-worker").with(|c| c.metadata.uid = Some("former".into()));
    let mut snapshot = hung(Training, true, timeouts(minutes(1), Never));
    snapshot.pods = vec![];
    snapshot.predecessors = vec![detached(hanging(&former.build())).build()];
    let creates = |snapshot: &Snapshot| {
        decide(snapshot, after(900))
            .to_string()
            .contains("create Pod")
    };
    assert!(!creates(&snapshot));
    snapshot.nodes_in_service.clear();
    assert!(
        creates(&snapshot),
        "its node is lost, for more than the usual time"
    );
    snapshot.predecessors.clear();
    assert!(creates(&snapshot));
}

fn events(snapshot: &Snapshot, now: Timestamp) -> Vec<String> {
    let posted = decide(snapshot, now).events;
    posted
        .iter()
        .map(|e| format!("{} {e:?}", e.reason))
        .collect()
}

#[test]
fn an_event_reports_a_rank_started_beside_its_old_pod() {
    let snapshot = hung(Training, false, StuckTimeouts::default());
    assert_eq!(events(&snapshot, after(59)), Vec::<String>::new());
    assert_snapshot!(events(&snapshot, after(60)).join("\n"));
}

/// No pod is started beside it, or it is no rank of a job.
#[rstest]
#[case::inference(|s: &mut Snapshot| s.podclique = worker(Inference))]
#[case::job_is_over(|s: &mut Snapshot| s.may_create = false)]
#[case::ended(|s: &mut Snapshot| s.pods = vec![hanging(&s.podclique).phase("Failed").build()])]
#[case::not_selected(|s: &mut Snapshot| s.pods = vec![detached(hanging(&s.podclique)).build()])]
fn otherwise_no_event_is_posted(#[case] change: fn(&mut Snapshot)) {
    let mut snapshot = hung(Training, false, StuckTimeouts::default());
    change(&mut snapshot);
    assert_eq!(events(&snapshot, after(60)), Vec::<String>::new());
}

/// A restart deletes the PodClique; the job goes on.
#[rstest]
#[case::restart(|_: &mut SetFacts| {}, true)]
#[case::job_is_over(|s: &mut SetFacts| s.is_over = true, false)]
#[case::set_goes(|s: &mut SetFacts| s.is_terminating = true, false)]
fn a_restart_reports_it_too(#[case] change: fn(&mut SetFacts), #[case] is_reported: bool) {
    let mut snapshot = hung(Training, false, StuckTimeouts::default());
    let clique = Arc::make_mut(&mut snapshot.podclique);
    clique.metadata.deletion_timestamp = snapshot.pods[0].metadata.deletion_timestamp.clone();
    change(snapshot.set.as_mut().unwrap());
    assert_eq!(!events(&snapshot, after(60)).is_empty(), is_reported);
}

fn node(spec: &str, ready: &str) -> Node {
    let text = format!(
        r#"{{"metadata": {{"name": "{NODE}"}}, "spec": {spec}, "status": {{"conditions": [
            {{"type": "MemoryPressure", "status": "False"}},
            {{"type": "Ready", "status": "{ready}"}}]}}}}"#
    );
    serde_json::from_str(&text).unwrap()
}

const TAINTED: &str = r#"{"taints": [{"key": "node.kubernetes.io/out-of-service",
    "value": "nodeshutdown", "effect": "NoExecute"}]}"#;
const CORDONED: &str = r#"{"taints": [{"key": "node.kubernetes.io/unschedulable",
    "effect": "NoSchedule"}]}"#;

#[rstest]
#[case::ready(Some(node("{}", "True")), true)]
#[case::cordoned(Some(node(CORDONED, "True")), true)]
#[case::not_ready(Some(node("{}", "False")), false)]
#[case::not_reporting(Some(node("{}", "Unknown")), false)]
#[case::out_of_service(Some(node(TAINTED, "True")), false)]
#[case::gone(None, false)]
fn which_nodes_end_their_pods_is_read(#[case] node: Option<Node>, #[case] is_in_service: bool) {
    let caches = Caches::default();
    let clique = worker(Training);
    caches
        .of::<PodCliqueSet>()
        .apply(set("demo").clique("worker", |c| c).build());
    caches
        .of::<Pod>()
        .apply((*hanging(&clique).build()).clone());
    if let Some(node) = node {
        caches.of::<Node>().apply(node);
    }
    let seen = observe(&clique, &caches, &PodCliqueReconciler::default());
    assert_eq!(seen.nodes_in_service.contains(NODE), is_in_service);
}

/// Only where a slot may be held without end, and only terminating pods of PodCliques of its name.
#[rstest]
#[case::by_default(StuckTimeouts::default(), 0)]
#[case::without_end(timeouts(minutes(1), Never), 1)]
fn pods_left_by_former_podcliques_are_read(
    #[case] stuck_timeouts: StuckTimeouts,
    #[case] count: usize,
) {
    let caches = Caches::default();
    let clique = worker(Training);
    let former = podclique("demo-0-worker").with(|c| c.metadata.uid = Some("former".into()));
    let other = podclique("demo-0-other").build();
    let former = former.build();
    let rename = |pod: PodBuilder, name: &str| {
        let name = Some(name.to_owned());
        (*pod.with(|p| p.metadata.name = name).build()).clone()
    };
    let pods = [
        rename(hanging(&clique), "own"),
        rename(hanging(&former), "left"),
        rename(pod(&former, 1).ready(), "stays"),
        rename(hanging(&other), "other"),
    ];
    caches
        .of::<PodCliqueSet>()
        .apply(set("demo").clique("worker", |c| c).build());
    for pod in pods {
        caches.of::<Pod>().apply(pod);
    }
    let rules = PodCliqueReconciler {
        stuck_timeouts,
        ..PodCliqueReconciler::default()
    };
    let seen = observe(&clique, &caches, &rules);
    let names: Vec<&str> = seen.predecessors.iter().map(|p| p.name()).collect();
    assert_eq!(names, ["left"].into_iter().take(count).collect::<Vec<_>>());
}

#[rstest]
#[case::of_a_job(Training, 0, Some("01234567-0"))]
#[case::restarted(Training, 2, Some("01234567-2"))]
#[case::of_inference(Inference, 2, None)]
fn containers_of_a_job_know_their_attempt(
    #[case] type_: WorkloadType,
    #[case] attempt: i64,
    #[case] expected: Option<&str>,
) {
    let mut snapshot = hung(type_, false, StuckTimeouts::default());
    snapshot.pods = vec![];
    let clique = Arc::make_mut(&mut snapshot.podclique);
    let labels = clique.metadata.labels.get_or_insert_default();
    labels.insert(labels::ATTEMPT.into(), attempt.to_string());
    let plan = decide(&snapshot, after(60));
    let mut all = plan.waves.iter().flatten();
    let pod = all.find_map(|a| a.written::<k8s_openapi::api::core::v1::Pod>());
    let container = &pod.unwrap().spec.as_ref().unwrap().containers[0];
    let mut env = container.env.iter().flatten();
    let variable = env.find(|v| v.name == "GROVE_ATTEMPT");
    assert_eq!(variable.and_then(|v| v.value.as_deref()), expected);
}
