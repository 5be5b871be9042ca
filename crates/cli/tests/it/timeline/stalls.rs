//! An update that makes no progress is shown once.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, set};
use cli::timeline::{Moment, collect_moments};
use cli::workload::Workload;
use rstest::rstest;
use testkit::builders::after;

use super::{SET, running};
use crate::read::event;

const STALL: &str =
    "no progress within progressDeadline: 1 of 3 PodCliques (demo-0-worker); 0/1 updated";

/// The set is Ready since 60 s, and its update stands still since 200 s.
fn stalled() -> Workload {
    let mut workload = running();
    let conditions = &mut workload.set.status.as_mut().unwrap().conditions;
    let update = ConditionUpdate {
        type_: ConditionType::UpdateInProgress,
        status: Status::Unknown,
        reason: Reason::ProgressDeadlineExceeded,
        message: STALL.to_owned(),
    };
    set(conditions, update, Some(1), after(200));
    let verdict = ConditionUpdate {
        type_: ConditionType::Ready,
        status: Status::True,
        reason: Reason::UpdateStalled,
        message: format!("1/1 replicas available; {STALL}"),
    };
    set(conditions, verdict, Some(1), after(200));
    workload
}

/// Its event may have older numbers than the condition.
#[rstest]
#[case::of_the_change(201, STALL)]
#[case::with_older_numbers(201, "no progress within progressDeadline: 2 of 3 PodCliques")]
#[case::later(260, STALL)]
fn a_stall_is_shown_once(#[case] reported: i64, #[case] message: &str) {
    let told = event(
        SET,
        ("Warning", "UpdateStalled"),
        message,
        (reported, reported, 1),
    );
    let moments = collect_moments(&stalled(), &[told]);
    let tells = |m: &&Moment| m.text.contains("no progress");
    let found: Vec<&Moment> = moments.iter().filter(tells).collect();
    assert_eq!(found.len(), 1, "{moments:?}");
    assert_eq!(found[0].text, message);
    let is_ready = |m: &&Moment| m.kind == "podcliqueset" && m.text == "1/1 replicas available";
    assert_eq!(moments.iter().filter(is_ready).count(), 1, "{moments:?}");
}

/// Most clusters keep events for an hour.
#[test]
fn a_stall_without_an_event_is_that_of_the_condition() {
    let moments = collect_moments(&stalled(), &[]);
    let tells = |m: &&Moment| m.text.contains("no progress");
    let found: Vec<&Moment> = moments.iter().filter(tells).collect();
    assert_eq!(found.len(), 1, "{moments:?}");
    let (at, reason) = (found[0].at, found[0].reason.as_str());
    assert_eq!((at, reason), (after(200), "ProgressDeadlineExceeded"));
}
