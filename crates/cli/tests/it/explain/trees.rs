//! A replica that its scheduler places as one tree.

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status, set};
use testkit::builders::after;

use super::{draw, explain};
use crate::read::{demo_with, ready};

#[test]
fn the_requirements_of_the_tree_are_evidence() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    let answer = explain(&workload, &[]);
    assert!(!draw(&answer).contains("Scheduled=True"));
    let status = workload.gangs[0].status.get_or_insert_default();
    let verdict = ConditionUpdate {
        type_: ConditionType::Scheduled,
        status: Status::True,
        reason: Reason::GuaranteedPodsBound,
        message: "demo-0-worker 2/2 scheduled; tree satisfied: 3 of 3 required (replicas 1,2,3); \
                  24 pods non-preemptible"
            .to_owned(),
    };
    set(&mut status.conditions, verdict, Some(1), after(5));
    let text = draw(&explain(&workload, &[]));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("podgang/demo-0 Scheduled=True since 2026-01-01 00:00:05 (4m ago), now"),
        "{text}"
    );
    let words = "tree satisfied: 3 of 3 required (replicas 1,2,3); 24 pods non-preemptible";
    assert!(text.contains(words), "{text}");
}
