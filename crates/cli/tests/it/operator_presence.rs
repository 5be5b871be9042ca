//! Whether the operator is there, by its Lease, and the marks of what its absence makes old.

use std::iter;
use std::time::Instant;

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, set};
use chrono::Utc;
use cli::exit::Exit;
use cli::explain::{draw_explanation, search};
use cli::format::Format;
use cli::operator_presence::{INTERVAL, OperatorLease, PresenceWatch, find_absence, read_absence};
use cli::tree::{
    Branch, BranchKind, TreeArgs, build_tree, build_tree_by, draw_tree, draw_warned_tree,
    mark_contradictions, read_overview, summarize,
};
use cli::workload::Workload;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use serde_json::json;
use testkit::builders::after;

use crate::read::{demo, demo_with, now, on_node, plain, ready};
use crate::server::Server;

/// Renewed so many seconds after the epoch, for 15 s; without a holder it was given back.
fn lease(namespace: &str, renewed: i64, holder: &str) -> OperatorLease {
    let lease: Lease = serde_json::from_value(json!({
        "metadata": {"name": "grove-operator-leader-election", "namespace": namespace},
        "spec": {
            "holderIdentity": holder, "leaseDurationSeconds": 15,
            "renewTime": after(renewed).to_string(),
        },
    }))
    .unwrap();
    OperatorLease {
        namespace: namespace.to_owned(),
        lease,
    }
}

fn held(renewed: i64) -> OperatorLease {
    lease("grove-system", renewed, "pod-a")
}

#[rstest]
#[case::renewed_a_moment_ago(vec![held(298)], None)]
#[case::a_clock_that_differs(vec![held(256)], None)]
#[case::not_renewed_for_long(vec![held(200)], Some("nobody has renewed Lease grove-system/"))]
#[case::of_the_future(vec![held(400)], None)]
#[case::given_back(
    vec![lease("grove-system", 299, "")],
    Some("nobody holds Lease grove-system/")
)]
#[case::no_lease_is_known(vec![], None)]
#[case::another_operator_is_there(vec![held(10), lease("b", 299, "pod-b")], None)]
#[case::both_are_away(
    vec![held(10), lease("b", 20, "pod-b")],
    Some("nobody has renewed Lease b/")
)]
fn the_lease_shows_an_absence(#[case] leases: Vec<OperatorLease>, #[case] words: Option<&str>) {
    let found = find_absence(&leases, after(300));
    let text = found.map(|absence| absence.describe(after(300)));
    assert_eq!(text.is_some(), words.is_some(), "{text:?}");
    let text = text.unwrap_or_default();
    assert!(text.contains(words.unwrap_or_default()), "{text}");
}

#[test]
fn the_sentence_has_the_lease_and_a_command() {
    let absence = find_absence(&[held(200)], after(300)).unwrap();
    let words = absence.describe(after(300));
    for part in [
        "the operator is away: nobody has renewed Lease grove-system/grove-operator-leader-election \
         for 100s. The states below are old: the operator wrote them before it went,",
        "`kubectl -n grove-system get pods -l app.kubernetes.io/name=grove-operator`",
    ] {
        assert!(words.contains(part), "{words}");
    }
}

/// The cause may be right or not: nobody has looked.
#[test]
fn an_answer_without_an_operator_begins_with_that() {
    let workload = demo_with(&[ready(), ready()], &[]);
    let podcliques = workload.observe();
    let found = search(&workload, &podcliques, None, now()).unwrap();
    let mut answer = found.explain(&[]);
    answer.operator_absence = find_absence(&[held(200)], after(300));
    let text = plain(&draw_explanation(&answer, now(), &Utc));
    assert!(text.starts_with("the operator is away: "), "{text}");
    assert!(text.contains("\n\ndemo is ready: "), "{text}");
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["operatorAbsence"]["namespace"], "grove-system");
    answer.operator_absence = None;
    let text = plain(&draw_explanation(&answer, now(), &Utc));
    assert!(text.starts_with("demo is ready: "), "{text}");
}

/// Without the operator no other remedy helps, and "none" would be wrong.
#[test]
fn the_operator_is_the_first_remedy_while_it_is_away() {
    let absence = || find_absence(&[held(200)], after(300));
    let first = "bring the operator back first: `kubectl -n grove-system get pods -l \
                 app.kubernetes.io/name=grove-operator` shows its pods";
    let explained = |workload: &Workload| {
        let podcliques = workload.observe();
        let found = search(workload, &podcliques, None, now()).unwrap();
        found.explain(&[])
    };
    let mut leaving = demo_with(&[ready(), ready()], &[]);
    leaving.set.metadata.deletion_timestamp = Some(Time(after(200)));
    let mut created = demo_with(&[ready()], &[]);
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::False,
        reason: Reason::PodsBeingCreated,
        message: "replica 0: clique worker 1/2 pods created".to_owned(),
    };
    let status = created.set.status.as_mut().unwrap();
    set(&mut status.conditions, verdict, Some(1), after(5));
    for (workload, reason) in [(leaving, "Terminating"), (created, "PodsBeingCreated")] {
        let answer = explained(&workload);
        assert_eq!(answer.reason, reason);
        let answer = answer.with_absence(absence());
        assert_eq!(answer.remedy.as_deref(), Some(first), "{reason}");
        let text = plain(&draw_explanation(&answer, now(), &Utc));
        assert!(
            text.contains("\nNext, once the operator is back\n"),
            "{text}"
        );
    }
    let crash = on_node(
        &json!({"waiting": {"reason": "CrashLoopBackOff"}}),
        &json!({}),
        4,
    );
    let broken = demo_with(&[ready(), crash], &[]);
    let answer = explained(&broken).with_absence(absence());
    let remedy = answer.remedy.unwrap();
    let lead = format!("{first}; then ");
    assert!(remedy.starts_with(&lead), "{remedy}");
    let runs = explained(&demo_with(&[ready(), ready()], &[])).with_absence(absence());
    assert_eq!(runs.remedy, None);
}

/// The statuses are those of two Ready pods, and one is down.
#[test]
fn a_count_that_contradicts_the_pods_is_marked() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    let status = workload.podcliques[0].status.as_mut().unwrap();
    status.ready_replicas = 2;
    let mut tree = build_tree(&workload, now());
    mark_contradictions(&mut tree, &workload);
    let text = plain(&draw_tree(&tree, false));
    assert!(!text.contains("ready now"), "{text}");

    let down = demo_with(
        &[ready(), on_node(&json!({"running": {}}), &json!({}), 0)],
        &[],
    );
    workload.pods = down.pods;
    let mut tree = build_tree(&workload, now());
    mark_contradictions(&mut tree, &workload);
    let text = plain(&draw_tree(&tree, false));
    let words = "status says 2 ready pods; 1 pod is ready now";
    assert!(text.contains(words), "{text}");
}

fn branch(kind: BranchKind, name: &str, state: &str, children: Vec<Branch>) -> Branch {
    Branch {
        kind,
        name: name.to_owned(),
        state: state.to_owned(),
        is_good: (state == "AllReady").then_some(true),
        children,
        ..Branch::default()
    }
}

/// Set, replica, group and group replica above these PodCliques, and a second replica.
fn above(cliques: Vec<Branch>) -> Branch {
    let replica = |children| branch(BranchKind::Replica, "0", "AllReady", children);
    let group_replica = branch(BranchKind::GroupReplica, "0", "", cliques);
    let group = branch(BranchKind::Group, "g", "AllReady", vec![group_replica]);
    let replicas = vec![replica(vec![group]), replica(Vec::new())];
    branch(BranchKind::Set, "demo", "AllReady", replicas)
}

/// The branches from the set to the first PodClique.
fn path(set: &Branch) -> Vec<&Branch> {
    iter::successors(Some(set), |branch| branch.children.first()).collect()
}

/// The status counts two Ready pods, and there are none: no state above it is right.
#[test]
fn all_that_is_above_a_contradiction_is_marked() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    workload.pods.clear();
    let status = workload.podcliques[0].status.as_mut().unwrap();
    status.ready_replicas = 2;
    let clique = |name: &str| branch(BranchKind::Clique, name, "AllReady", Vec::new());
    let mut set = above(vec![clique("demo-0-worker"), clique("demo-0-other")]);
    assert!(mark_contradictions(&mut set, &workload));
    let path = path(&set);
    assert_eq!(path.len(), 5);
    for branch in &path {
        assert_eq!(branch.is_good, Some(false), "{branch:?}");
        assert!(branch.cause.is_some(), "{branch:?}");
    }
    let words = "status says 2 ready pods; 0 pods are ready now";
    assert_eq!(path[4].cause.as_deref(), Some(words));
    assert!(!set.is_ready());
    assert_eq!(set.children[1].is_good, Some(true), "another replica");
    assert_eq!(path[3].children[1].is_good, Some(true), "another PodClique");
}

/// A set whose counts are right stays as it is.
#[test]
fn a_set_without_a_contradiction_is_not_marked() {
    let workload = demo_with(&[], &[]);
    let clique = branch(BranchKind::Clique, "demo-0-worker", "AllReady", Vec::new());
    let before = above(vec![clique]);
    let mut set = before.clone();
    assert!(!mark_contradictions(&mut set, &workload));
    assert_eq!(set, before);
}

/// A PodClique that does not exist contradicts `AllReady` only: a set that starts lacks some.
#[rstest]
#[case::all_ready("AllReady", Some(false))]
#[case::starts("PodsStarting", None)]
fn a_missing_podclique_contradicts_a_set_that_is_ready(
    #[case] state: &str,
    #[case] is_good: Option<bool>,
) {
    let missing = branch(BranchKind::Clique, "demo-0-gone", "Missing", Vec::new());
    let replica = branch(BranchKind::Replica, "0", "", vec![missing]);
    let mut set = branch(BranchKind::Set, "demo", state, vec![replica]);
    mark_contradictions(&mut set, &demo_with(&[], &[]));
    assert_eq!(set.is_good, is_good);
    assert_eq!(set.cause.is_some(), is_good.is_some());
}

/// Nobody knows whether a set is ready without an operator.
#[rstest]
#[case::ready(true, 298, Exit::Ok)]
#[case::not_ready(false, 298, Exit::Finding)]
#[case::ready_by_an_old_status(true, 200, Exit::Finding)]
#[case::both(false, 200, Exit::Finding)]
fn the_exit_code_is_1_without_an_operator(
    #[case] is_ready: bool,
    #[case] renewed: i64,
    #[case] exit: Exit,
) {
    let absence = find_absence(&[held(renewed)], after(300));
    assert_eq!(Exit::of_readiness(is_ready, absence.as_ref()), exit);
}

/// The text for people begins with it, the value for programs has it.
#[test]
fn a_tree_without_an_operator_begins_with_that() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    let status = workload.podcliques[0].status.as_mut().unwrap();
    status.ready_replicas = 2;
    let absence = find_absence(&[held(200)], after(300));
    let tree = build_tree_by(&workload, absence, after(300));
    let text = plain(&draw_warned_tree(&tree, after(300), Some(80)));
    assert!(text.starts_with("the operator is away: "), "{text}");
    assert!(text.contains("\n\nNAME "), "{text}");
    assert_eq!(json!(tree)["operatorAbsence"]["since"], json!(after(200)));
    assert!(tree.is_ready(), "nothing contradicts it: {text}");

    let tree = build_tree_by(&workload, None, after(300));
    let text = plain(&draw_warned_tree(&tree, after(300), Some(80)));
    assert!(text.starts_with("NAME "), "{text}");
    assert!(json!(tree).get("operatorAbsence").is_none(), "{text}");
}

/// In a list for programs each set has it: the list has no other place.
#[test]
fn each_set_of_a_list_has_the_absence() {
    let absence = find_absence(&[held(200)], after(300));
    let lines = json!(summarize(&[demo()], absence.as_ref(), after(300)));
    assert_eq!(lines[0]["operatorAbsence"]["namespace"], "grove-system");
    let lines = json!(summarize(&[demo()], None, after(300)));
    assert!(lines[0].get("operatorAbsence").is_none(), "{lines}");
}

const LEASE: &str = "/apis/coordination.k8s.io/v1/namespaces/grove-system/leases/\
                     grove-operator-leader-election";
/// By the machine's clock.
const LONG_AGO: &str = "2000-01-01T00:00:00.000000Z";
const IN_FUTURE: &str = "2100-01-01T00:00:00.000000Z";

/// A cluster with an operator whose Lease was renewed at that time.
fn cluster_with_operator(renewed: &str) -> Server {
    let server = Server::default();
    let labels = json!({"app.kubernetes.io/name": "grove-operator"});
    let meta = json!({"name": "grove-operator", "namespace": "grove-system", "labels": labels});
    let deployment = json!({"metadata": meta, "spec": {"selector": {}, "template": {}}});
    server.put("/apis/apps/v1/deployments", deployment);
    renew(&server, renewed);
    server
}

fn renew(server: &Server, at: &str) {
    let lease = json!({
        "metadata": {"name": "grove-operator-leader-election", "namespace": "grove-system"},
        "spec": {"holderIdentity": "pod-a", "leaseDurationSeconds": 15, "renewTime": at},
    });
    server.answer(LEASE, 200, &lease.to_string());
}

/// The list of sets, with one that is ready.
#[rstest]
#[case::away(LONG_AGO, "the operator is away: ", Exit::Finding)]
#[case::there(IN_FUTURE, "NAME ", Exit::Ok)]
#[tokio::test]
async fn an_overview_begins_with_the_absence(
    #[case] renewed: &str,
    #[case] beginning: &str,
    #[case] exit: Exit,
) {
    let server = cluster_with_operator(renewed);
    let workload = demo_with(&[ready(), ready()], &[]);
    let sets = "/apis/grove.io/v1alpha1/namespaces/ml/podcliquesets";
    server.put(sets, json!(workload.set));
    let cluster = server.cluster();
    let args = TreeArgs {
        name: None,
        all_namespaces: false,
        selector: None,
        output: Format::Text,
        not_ready: false,
        watch: false,
    };
    let absence = read_absence(&cluster).await;
    let overview = read_overview(&cluster, &args, absence).await.unwrap();
    let text = plain(&overview.draw(&args));
    assert!(text.starts_with(beginning), "{text}");
    assert!(text.contains("1 set, 0 not ready"), "{text}");
    assert_eq!(overview.exit(), exit);
}

/// `tree -w` sees within ten seconds that the operator has gone, or is back, and reads no more often.
#[tokio::test]
async fn a_command_that_goes_on_reads_the_lease_every_ten_seconds() {
    let server = cluster_with_operator(IN_FUTURE);
    let begin = Instant::now();
    let mut presence = PresenceWatch::begin(&server.cluster()).await;
    assert_eq!(presence.absence(), None);
    renew(&server, LONG_AGO);
    let asked = server.asked().len();
    assert!(!presence.refresh(begin).await);
    assert_eq!(server.asked().len(), asked, "it is too early");

    let due = Instant::now() + INTERVAL;
    assert!(presence.refresh(due).await, "it has gone");
    assert!(presence.absence().is_some());
    assert_eq!(server.asked().len(), asked * 2);
    assert!(!presence.refresh(due + INTERVAL).await, "it is still away");
    assert_eq!(server.asked().len(), asked * 3);
    renew(&server, IN_FUTURE);
    assert!(presence.refresh(due + INTERVAL * 2).await, "it is back");
    assert_eq!(presence.absence(), None);
}
