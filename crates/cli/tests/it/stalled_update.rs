//! An update that stands still, in the tree, in the list of sets and in the answer of `explain`.

use std::slice;

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, set};
use api::podclique::PclqUpdateProgress;
use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress, RollingUpdate};
use chrono::Utc;
use cli::exit::Exit;
use cli::explain::{draw_explanation, search};
use cli::tree::{build_tree, draw_tree, summarize};
use cli::workload::Workload;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use serde_json::json;
use testkit::builders::after;

use crate::read::{breach, demo_with, now, on_node, plain, ready};

/// It is Ready for this reason.
fn running(reason: Reason) -> Workload {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    let status = workload.set.status.get_or_insert_default();
    let update = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::True,
        reason,
        message: "1/1 replicas available; it waits for somebody".to_owned(),
    };
    set(&mut status.conditions, update, Some(1), after(100));
    workload
}

#[rstest]
#[case::runs(Reason::Updating, true, false)]
#[case::stands(Reason::UpdateStalled, false, true)]
#[case::is_refused(Reason::UpdateRefused, false, true)]
#[case::is_paused(Reason::UpdatePaused, true, true)]
#[case::rests(Reason::UpdatePartitioned, true, true)]
fn the_tree_has_the_state_and_the_cause(
    #[case] reason: Reason,
    #[case] is_good: bool,
    #[case] tells_cause: bool,
) {
    let workload = running(reason);
    let tree = build_tree(&workload, now());
    assert_eq!(tree.is_good, Some(is_good));
    let text = plain(&draw_tree(&tree, false));
    let first = text.lines().nth(1).unwrap();
    assert!(first.contains(&reason.to_string()), "{text}");
    assert_eq!(
        text.contains("it waits for somebody"),
        tells_cause,
        "{text}"
    );
    let line = &summarize(&[workload.set], None, now())[0];
    assert_eq!(line.is_good, Some(is_good));
}

/// `tree` and `explain` end with the same exit code, and `explain` does not merely call it ready.
#[rstest]
#[case::runs(Reason::Updating, "demo is ready: Updating", Exit::Ok)]
#[case::stands(
    Reason::UpdateStalled,
    "demo is ready, but its update is stuck: UpdateStalled",
    Exit::Finding
)]
#[case::is_refused(
    Reason::UpdateRefused,
    "demo is ready, but its update is stuck: UpdateRefused",
    Exit::Finding
)]
#[case::is_paused(Reason::UpdatePaused, "demo is ready: UpdatePaused", Exit::Ok)]
#[case::rests(
    Reason::UpdatePartitioned,
    "demo is ready: UpdatePartitioned",
    Exit::Ok
)]
fn all_commands_judge_an_update_alike(
    #[case] reason: Reason,
    #[case] headline: &str,
    #[case] exit: Exit,
) {
    let workload = running(reason);
    let podcliques = workload.observe();
    let found = search(&workload, &podcliques, None, now()).unwrap();
    let answer = found.explain(&[]);
    assert!(answer.is_ready, "its minimum runs");
    let text = plain(&draw_explanation(&answer, now(), &Utc));
    assert_eq!(text.lines().next(), Some(headline), "{text}");
    let tree = build_tree(&workload, now());
    let line = &summarize(slice::from_ref(&workload.set), None, now())[0];
    for is_good in [answer.is_good(), tree.is_ready(), line.is_ready()] {
        assert_eq!(Exit::of_readiness(is_good, None), exit);
    }
    assert_eq!(answer.chain[0].is_good, tree.is_good, "{answer:?}");
}

/// The report is in the past: it must not be announced.
#[test]
fn explain_does_not_announce_a_deadline_that_is_over() {
    let broken = on_node(&json!({"running": {}}), &json!({}), 0);
    let mut workload = demo_with(&[ready(), broken], &[]);
    breach(&mut workload.podcliques[0], 240);
    workload.set.spec.template.cliques[0].rolling_update = Some(RollingUpdate {
        progress_deadline: Some("30s".into()),
        ..RollingUpdate::default()
    });
    workload.set.status.as_mut().unwrap().update_progress = Some(PcsUpdateProgress {
        currently_updating: vec![ReplicaUpdateProgress::begin(0, Time(after(100)))],
        ..PcsUpdateProgress::begin(Time(after(100)))
    });
    let status = workload.podcliques[0].status.as_mut().unwrap();
    let progress = PclqUpdateProgress::begin("r1".into(), "r1".into(), Time(after(150)));
    status.update_progress = Some(progress);
    let podcliques = workload.observe();
    let answer = search(&workload, &podcliques, None, now()).unwrap();
    let text = plain(&draw_explanation(&answer.explain(&[]), now(), &Utc));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "the update of demo-0-worker has made no progress since 2026-01-01T00:02:30Z; it \
                    continues once the cause is fixed";
    assert!(words.contains(expected), "{text}");
    assert!(!words.contains("unless its update"), "{text}");
}
