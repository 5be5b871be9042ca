//! Times of an update without room, and of a job that waits for quota.

use super::*;

/// The clock of a job stops for a suspension, and for the wait for quota.
#[test]
fn a_job_whose_clock_has_stopped_says_why() {
    let mut workload = job(0);
    let status = workload.set.status.as_mut().unwrap();
    status.suspension = Some(Suspension {
        since: Some(Time(after(200))),
        total: None,
    });
    let text = next_of(&explain(&workload, &[]));
    let words = "- maxRuntime does not count while no gang has quota\n";
    assert!(text.contains(words), "{text}");
    let verdict = ConditionUpdate {
        type_: ConditionType::Suspended,
        status: Status::True,
        reason: Reason::Suspended,
        message: "the last pods are ending".to_owned(),
    };
    let status = workload.set.status.as_mut().unwrap();
    set(&mut status.conditions, verdict, Some(1), after(200));
    let text = next_of(&explain(&workload, &[]));
    let words = "- maxRuntime does not count while the set is suspended\n";
    assert!(text.contains(words), "{text}");
}
/// Two sets that update on a full cluster would wait for each other for ever.
#[test]
fn an_update_without_room_ends_with_a_termination() {
    let mut workload = breached(Some("10m"));
    let turn = ReplicaUpdateProgress {
        without_room_since: Some(Time(after(100))),
        ..ReplicaUpdateProgress::begin(0, Time(after(40)))
    };
    workload.set.status.as_mut().unwrap().update_progress = Some(PcsUpdateProgress {
        total_pod_cliques_count: 1,
        currently_updating: vec![turn],
        ..PcsUpdateProgress::begin(Time(after(40)))
    });
    let steps = next_of(&explain(&workload, &[]));
    assert!(
        steps.contains("(in 6m): the operator terminates replica 0"),
        "{steps}"
    );
    assert!(!steps.contains("does not terminate"), "{steps}");
}
