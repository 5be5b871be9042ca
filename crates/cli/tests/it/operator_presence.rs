//! Whether the operator is there, by its Lease, and the marks of what its absence makes old.

use std::iter;

use chrono::Utc;
use cli::exit::Exit;
use cli::explain::{draw_explanation, search};
use cli::operator_presence::{OperatorLease, find_absence};
use cli::tree::{Branch, BranchKind, build_tree, draw_tree, mark_contradictions};
use k8s_openapi::api::coordination::v1::Lease;
use rstest::rstest;
use serde_json::json;
use testkit::builders::after;

use crate::read::{demo_with, now, on_node, plain, ready};

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
        "the operator is away: nobody has renewed Lease grove-system/grove-operator-leader-election",
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

/// The statuses are those of two Ready pods, and one is down.
#[test]
fn a_count_that_contradicts_the_pods_is_marked() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    let status = workload.podcliques[0].status.as_mut().unwrap();
    status.ready_replicas = 2;
    let mut tree = build_tree(&workload, now());
    mark_contradictions(&mut tree, &workload);
    let text = plain(&draw_tree(&tree, false));
    assert!(!text.contains("are ready now"), "{text}");

    let down = demo_with(
        &[ready(), on_node(&json!({"running": {}}), &json!({}), 0)],
        &[],
    );
    workload.pods = down.pods;
    let mut tree = build_tree(&workload, now());
    mark_contradictions(&mut tree, &workload);
    let text = plain(&draw_tree(&tree, false));
    let words = "its status has 2 ready pods, but 1 are ready now";
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

/// The status counts two Ready pods, and there are none: nothing above it is what its state says.
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
