//! Changes of sets that the Go operator created have the same effect as changes of our sets.

use serde_json::Value;

use super::adopted::expect_podcliques;
use super::any_set::leave;
use super::stopped;
use crate::harness::lane::Lane;
use crate::harness::{Namespace, Seen};
use crate::idle::ten_times;
use crate::updates::{self, interrupted, on_delete, rolling, without_restart, workload};

/// A namespace in which this set of the Go operator is adopted.
fn adopted<'a>(
    lane: &'a Lane,
    set: &Value,
    runs: impl Fn(&Seen) -> Result<(), String>,
) -> Namespace<'a> {
    let ns = lane.namespace();
    leave(&ns, set);
    lane.operator.start_again().unwrap();
    ns.until("all is adopted", |seen| {
        expect_podcliques(seen)?;
        runs(seen)
    });
    ns
}

fn with_workload(purpose: &str, change: impl FnOnce(&Lane, &Namespace<'_>)) {
    let lane = stopped(purpose);
    let ns = adopted(&lane, &workload("1"), |seen| updates::runs(seen, "1", 3));
    change(&lane, &ns);
}

#[test]
fn takes_down_one_pod_at_a_time_by_default() {
    with_workload("adopt-roll-unset", |_, ns| rolling::roll(ns, None, 3));
}

#[test]
fn takes_down_one_pod_at_a_time_if_configured() {
    with_workload("adopt-roll-one", |_, ns| rolling::roll(ns, Some(1), 3));
}

#[test]
fn never_goes_below_min_available_where_there_is_slack() {
    with_workload("adopt-roll-two", |_, ns| rolling::roll(ns, Some(2), 3));
}

#[test]
fn five_templates_within_seconds_end_at_the_last() {
    with_workload("adopt-five", |_, ns| interrupted::apply_five_templates(ns));
}

#[test]
fn scaling_in_the_middle_is_kept() {
    with_workload("adopt-scaled", |_, ns| interrupted::scale_in_the_middle(ns));
}

#[test]
fn a_switch_to_on_delete_ends_it_and_back_again_ends_at_the_newest() {
    with_workload("adopt-switch", |_, ns| interrupted::switch_strategy(ns));
}

#[test]
fn a_set_that_is_deleted_in_the_middle_goes() {
    with_workload("adopt-deleted", |_, ns| {
        interrupted::delete_in_the_middle(ns);
    });
}

#[test]
fn an_operator_that_is_killed_goes_on_where_it_was() {
    with_workload("adopt-turns", interrupted::kill_in_each_turn);
}

#[test]
fn a_deleted_pod_comes_back_with_the_new_template_and_a_switch_rolls_the_rest() {
    with_workload("adopt-on-delete", |_, ns| {
        on_delete::delete_one_then_switch(ns);
    });
}

#[test]
fn counts_delays_and_budgets_restart_nothing() {
    with_workload("adopt-no-restart", |_, ns| {
        without_restart::patch_six_times(ns);
    });
}

#[test]
fn every_wake_starts_whole_and_the_frontend_keeps_its_pods() {
    let lane = stopped("adopt-ten-times");
    let ns = adopted(&lane, &ten_times::service(), ten_times::runs);
    ten_times::scale_again_and_again(&ns);
}
