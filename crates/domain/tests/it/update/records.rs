//! When records of an update are kept.

use api::PodCliqueSetStatus;
use api::podcliqueset::{PcsUpdateProgress, ReplicaUpdateProgress, UpdateStrategyType};
use domain::update;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
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
