//! When records of an update are kept, and what holds on in the next one.

use api::PodCliqueSetStatus;
use api::podclique::{PclqUpdateProgress, WaitingPod};
use api::podcliquescalinggroup::PcsgUpdateProgress;
use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress, UpdateStrategyType};
use domain::update::{self, Record};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use rstest::rstest;
use testkit::builders::{after, set};

#[rstest]
#[case::no_update("", false)]
#[case::it_has_ended("ended", false)]
#[case::in_a_turn("turn", false)]
#[case::between_turns("runs", true)]
#[case::paused_in_a_turn("turn paused", true)]
#[case::not_accepted("turn unchecked", true)]
#[case::paused_after_the_end("ended paused", false)]
#[case::on_delete("runs on-delete", false)]
fn records_are_kept_while_an_update_that_gives_turns_waits(
    #[case] given: &str,
    #[case] is_kept: bool,
) {
    const NEWEST: &str = "r1aaaaaaaaaaaaaa";
    let mut set = set("demo").build();
    let strategy = set.spec.update_strategy.get_or_insert_default();
    strategy.paused = given.contains("paused");
    if given.contains("on-delete") {
        strategy.type_ = UpdateStrategyType::OnDelete;
    }
    let mut progress = PcsUpdateProgress::begin(Time(after(0)));
    progress.update_ended_at = given.contains("ended").then(|| Time(after(10)));
    if given.contains("turn") {
        let turn = ReplicaUpdateProgress::begin(0, Time(after(0)));
        progress.currently_updating.push(turn);
    }
    let accepted = if given.contains("unchecked") {
        "r1cbthl27ncwgh9c"
    } else {
        NEWEST
    };
    set.status = Some(PodCliqueSetStatus {
        current_generation_hash: Some(accepted.into()),
        update_progress: (!given.is_empty()).then_some(progress),
        ..PodCliqueSetStatus::default()
    });
    assert_eq!(update::keeps_records(&set, NEWEST), is_kept, "{given}");
}

/// A record about an older template with all numbers. The turn began at 20.
fn record(ended: Option<i64>, waits: bool) -> PclqUpdateProgress {
    let waiting = WaitingPod {
        uid: "uid-of-the-waiting".into(),
        since: Time(after(0)),
    };
    PclqUpdateProgress {
        update_ended_at: ended.map(|at| Time(after(at))),
        reached: Some(4),
        surge_from: Some(6),
        without_surge: Some("no room".into()),
        waiting_since: waits.then_some(waiting),
        ..PclqUpdateProgress::begin("r1older".into(), "r1older".into(), Time(after(0)))
    }
}

#[rstest]
#[case::all_were_available(Some(30), Some(4))]
#[case::in_the_moment_of_the_begin(Some(20), Some(4))]
#[case::in_an_earlier_turn(Some(19), None)]
fn the_most_that_ran_in_a_turn_holds_for_a_newer_template(
    #[case] ended: Option<i64>,
    #[case] reached: Option<i32>,
) {
    let turn = Time(after(20));
    let record = record(ended, false);
    let expected = Record {
        reached,
        ..Record::default()
    };
    let passed = Record::from(&record).pass_on(Some(&turn), 2, false);
    assert_eq!(passed, expected);
}

/// Units for which there is no room would keep the newer template from ever beginning.
#[rstest]
#[case::there_was_room(false, false, 2, Some(4))]
#[case::a_pod_waits(true, false, 2, Some(2))]
#[case::a_quota_refuses_one(false, true, 2, Some(2))]
#[case::more_are_required_than_ran(true, false, 9, Some(4))]
fn units_that_had_no_room_do_not_hold_for_a_newer_template(
    #[case] waits: bool,
    #[case] is_over_quota: bool,
    #[case] minimum: i32,
    #[case] reached: Option<i32>,
) {
    let turn = Time(after(20));
    let record = record(Some(30), waits);
    let passed = Record::from(&record).pass_on(Some(&turn), minimum, is_over_quota);
    assert_eq!(passed.reached, reached);
}

#[test]
fn a_record_that_has_not_ended_passes_all_on() {
    let record = record(None, true);
    let record = Record::from(&record);
    assert_eq!(record.pass_on(None, 2, true), record);
}

#[test]
fn outside_of_a_turn_a_record_that_has_ended_passes_nothing_on() {
    let record = record(Some(30), false);
    let passed = Record::from(&record).pass_on(None, 2, false);
    assert_eq!(passed, Record::default());
}

#[rstest]
#[case::it_runs(None, "r1newest", true)]
#[case::it_ended_in_the_turn(Some(30), "r1newest", true)]
#[case::it_ended_before(Some(10), "r1newest", false)]
#[case::it_is_about_an_older_template(None, "r1older", false)]
fn a_record_belongs_to_the_turn_in_which_it_ends(
    #[case] ended: Option<i64>,
    #[case] generation: &str,
    #[case] is_of_turn: bool,
) {
    let record = PcsgUpdateProgress {
        update_ended_at: ended.map(|at| Time(after(at))),
        ..PcsgUpdateProgress::begin(generation.into(), Time(after(0)))
    };
    let turn = Time(after(20));
    let record = Record::from(&record);
    assert_eq!(record.is_of_turn("r1newest", Some(&turn)), is_of_turn);
}

/// The turn began at 20. A termination recreates all PodCliques of the replica, also one that never
/// had room: only those that ran have to return.
#[rstest]
#[case::created_before(&[], Some(10), (false, false))]
#[case::created_in_the_turn(&[], Some(21), (false, true))]
#[case::not_created_yet(&[], None, (false, false))]
#[case::it_ran_before_a_termination(&["web"], Some(30), (true, false))]
#[case::it_has_yet_to_be_created(&["web"], None, (true, false))]
#[case::only_another_one_ran(&["other"], Some(30), (false, false))]
fn what_lost_its_record_in_the_turn_is_known(
    #[case] listed: &[&str],
    #[case] created: Option<i64>,
    #[case] expected: (bool, bool),
) {
    let turn = ReplicaUpdateProgress {
        must_return: listed.iter().map(|name| (*name).to_owned()).collect(),
        ..ReplicaUpdateProgress::begin(0, Time(after(20)))
    };
    let object = ObjectMeta {
        creation_timestamp: created.map(|at| Time(after(at))),
        ..ObjectMeta::default()
    };
    let found = (
        update::must_return(&turn, "web"),
        update::is_recreated(&turn, &object),
    );
    assert_eq!(found, expected);
}
