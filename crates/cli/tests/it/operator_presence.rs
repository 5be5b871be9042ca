//! Whether the operator is there, by its Lease, and the marks of what its absence makes old.

use chrono::Utc;
use cli::explain::{draw_explanation, search};
use cli::operator_presence::{OperatorLease, find_absence};
use cli::tree::{build_tree, draw_tree, mark_contradictions};
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
