//! Objects that the operator has not reconciled since they changed.

use super::*;

#[test]
fn a_set_that_was_never_reconciled_is_reported_so() {
    let mut workload = demo_with(&[], &[]);
    workload.set.status = None;
    let answer = explain(&workload, &[]);
    assert!(
        answer.cause.starts_with("no operator has reconciled"),
        "{answer:?}"
    );
}

/// The operator is down: the condition belongs to the previous spec.
#[test]
fn a_change_that_was_not_reconciled_is_not_ready() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    workload.set.metadata.generation = Some(3);
    let answer = explain(&workload, &[]);
    assert!(!answer.is_ready);
    assert_snapshot!(answer.cause, @"the operator has processed generation 1; generation 3 is newer; if it stays so, check that the operator runs and watches this namespace");
}

/// The operator is down, and a pod that it counted is not ready any more.
#[test]
fn a_pod_lost_since_the_last_reconcile_has_its_cause() {
    let mut workload = demo_with(&[ready(), ready()], &[]);
    let message = "0/20 nodes are available: 20 Insufficient cpu.";
    workload.pods = demo_with(&[ready(), unschedulable(message)], &[]).pods;
    let answer = explain(&workload, &[]);
    assert!(!answer.is_ready);
    assert_snapshot!(answer.cause, @"status says 1 available replica; by the pods 0 replicas are available now; if it stays so, check that the operator runs and watches this namespace");
    let remedy = answer.remedy.unwrap_or_default();
    assert_snapshot!(remedy, @"free or add nodes; `kubectl describe nodes` lists the requests on each node");
}
