//! The units that an update may take down, when its turn passes on, and the time since its last
//! progress.

use api::GoDuration;
use api::PodCliqueSetStatus;
use api::conditions::{Reason, Status};
use api::podcliqueset::{
    PcsUpdateProgress, ReplicaUpdateProgress, RollingUpdate, UpdateStrategyType,
};
use domain::Pod;
use domain::object::pod::{ContainerState, ContainerStatus, PodCondition, Terminated};
use domain::update::{self, Advance, Component, Limits, Stage, SurgeUnit, UnitMember};
use jiff::SignedDuration;
use k8s_openapi::api::core::v1::Probe;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{after, pod, podclique};

/// `desired/minimum`, `reached R`, `available A`, `max U`, `surge S` with the units of `units N/A`,
/// N surge units of which A are available; `from` is their first index.
fn component(given: &str) -> Component {
    let words: Vec<&str> = given.split_whitespace().collect();
    let number = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words[at + 1].parse::<i32>().ok()
    };
    let (desired, minimum) = words[0].split_once('/').unwrap();
    let (desired, minimum): (i32, i32) = (desired.parse().unwrap(), minimum.parse().unwrap());
    let units = words.iter().position(|word| *word == "units");
    let units = units.and_then(|at| words[at + 1].split_once('/'));
    let (surge, surge_available) = units.map_or((0, 0), |(all, available)| {
        (all.parse().unwrap(), available.parse().unwrap())
    });
    let rolling = RollingUpdate {
        max_unavailable: number("max"),
        max_surge: number("surge"),
        ..RollingUpdate::default()
    };
    Component {
        desired,
        minimum: minimum.min(desired),
        available: number("available").unwrap_or(0),
        old: number("old").unwrap_or(0),
        starting: number("starting").unwrap_or(0),
        reached: number("reached"),
        is_short_of_room: given.contains("short"),
        must_return: given.contains("returns"),
        surge,
        surge_available,
        limits: Limits::of_group(Some(&rolling), desired, minimum, number("from")),
        is_without_surge: given.contains("without"),
    }
}

#[rstest]
#[case::one_by_default("4/4 reached 4 available 4", 1)]
#[case::as_many_as_are_given("4/4 reached 4 available 4 max 3", 3)]
#[case::missing_units_use_it_up("4/4 reached 4 available 3 max 2", 1)]
#[case::nothing_is_left("4/4 reached 4 available 2 max 2", 0)]
#[case::units_that_never_had_room_do_not_count("8/2 reached 6 available 6", 1)]
#[case::the_minimum_stays("4/3 reached 4 available 4 max 2", 1)]
#[case::at_the_minimum("4/3 reached 4 available 3 max 2", 0)]
#[case::no_more_than_the_minimum_ran("4/3 reached 3 available 3", 1)]
#[case::without_slack("3/3 reached 3 available 3 max 3", 3)]
#[case::scaled_below_the_minimum("2/3 reached 2 available 2", 1)]
#[case::scaled_in_meanwhile("2/1 reached 5 available 2", 1)]
#[case::zero_counts_as_one("2/2 reached 2 available 2 max 0", 1)]
#[case::nothing_before_it_is_stored("4/4 available 4 max 4", 0)]
#[case::idle("0/1 reached 0 available 0", 0)]
#[case::surge_comes_first("1/1 reached 1 available 1 old 1 surge 1", 0)]
#[case::surge_serves("1/1 reached 1 available 2 old 1 surge 1 units 1/1", 1)]
#[case::its_successor_starts("1/1 reached 1 available 1 surge 1 units 1/1", 0)]
#[case::all_surge_units_are_needed("4/2 reached 4 available 5 old 4 surge 2 units 2/1", 0)]
#[case::as_many_as_there_are_surge_units("4/2 reached 4 available 6 old 4 surge 2 units 2/2", 2)]
#[case::without_surge("4/2 reached 4 available 4 old 4 max 2 surge 2 without", 2)]
#[case::no_surge_below_the_minimum("1/2 reached 1 available 1 old 1 surge 1", 1)]
#[case::a_rise_is_stored_first("10/1 reached 3 available 10 old 10", 0)]
#[case::surge_is_no_rise("4/2 reached 3 available 4 old 3 max 1 surge 1 units 1/1 without", 2)]
#[case::surge_begun_above_the_minimum("1/2 reached 2 available 1 old 1 surge 1 from 2", 0)]
fn the_budget_counts_from_the_most_that_ran(#[case] given: &str, #[case] deletable: usize) {
    assert_eq!(component(given).deletable(), deletable, "{given}");
}

#[rstest]
#[case::all_while_an_old_one_is_left("2/1 reached 2 available 3 old 1 surge 1 units 1/1", vec![])]
#[case::until_the_others_are_back("2/1 reached 2 available 2 surge 1 units 1/1", vec![])]
#[case::none_afterwards("2/1 reached 2 available 3 surge 1 units 1/1", vec![4])]
#[case::also_those_that_never_served("2/1 reached 2 available 2 surge 1 units 1/0", vec![4])]
#[case::without_room_first_those_that_do_not_serve(
    "4/1 reached 4 available 5 old 3 surge 2 units 2/1 without", vec![5, 4])]
#[case::those_that_are_needed_serve_on(
    "4/1 reached 4 available 4 old 3 surge 2 units 2/1 without", vec![5])]
#[case::more_than_max_surge("4/1 reached 4 available 6 old 3 surge 1 units 2/2", vec![5])]
#[case::more_than_max_surge_that_are_needed("4/1 reached 4 available 4 old 3 surge 1 units 2/2", vec![])]
#[case::max_surge_is_removed("4/1 reached 4 available 5 old 3 units 2/1", vec![5, 4])]
#[case::max_surge_is_removed_and_it_is_needed("4/1 reached 4 available 4 old 3 units 1/1", vec![])]
#[case::the_last_one_finds_no_room("1/1 reached 1 available 1 surge 1 units 1/1 short", vec![])]
#[case::others_find_no_room("4/1 reached 4 available 4 surge 2 units 2/2 short", vec![5])]
#[case::others_start("4/1 reached 4 available 4 surge 2 units 2/2 short starting 1", vec![])]
fn surge_units_go_when_they_are_not_needed(#[case] given: &str, #[case] expected: Vec<i32>) {
    let component = component(given);
    let available = component.surge_available;
    let units = (0..component.surge).map(|k| SurgeUnit {
        index: 4 + k,
        is_available: k < available,
    });
    let (gone, rest) = component.release_surge(units.collect());
    let to_i32 = |count| i32::try_from(count).unwrap();
    let served = to_i32(gone.iter().filter(|unit| unit.is_available).count());
    assert_eq!(gone.iter().map(|u| u.index).collect::<Vec<_>>(), expected);
    let left = Component {
        available: component.available - served,
        surge: component.surge - to_i32(gone.len()),
        surge_available: available - served,
        ..component
    };
    assert_eq!(rest, left);
}

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
    let mut set = testkit::builders::set("demo").build();
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

#[rstest]
#[case::there_is_room("2/1 reached 2 available 2 old 2 surge 1", false)]
#[case::there_is_none("2/1 reached 2 available 2 old 2 surge 1 short", true)]
#[case::it_stays_so("2/1 reached 2 available 2 old 2 surge 1 without", true)]
#[case::nothing_may_be_missing("2/1 reached 2 available 2 old 2 surge 1 max 0 short", false)]
#[case::nothing_is_old("2/1 reached 2 available 1 surge 1 short", false)]
#[case::it_has_none("2/1 reached 2 available 2 old 2 short", false)]
fn without_room_surge_is_given_up(#[case] given: &str, #[case] expected: bool) {
    assert_eq!(component(given).gives_surge_up(), expected, "{given}");
}

#[rstest]
#[case::beyond_all_that_exist(None, 3, &[0, 1, 4], 5)]
#[case::beyond_replicas(None, 3, &[0], 3)]
#[case::it_is_kept(Some(5), 3, &[0, 1, 7], 5)]
#[case::it_follows_replicas(Some(5), 6, &[0, 1], 6)]
fn surge_begins_above_all_indexes(
    #[case] stored: Option<i32>,
    #[case] desired: i32,
    #[case] indexes: &[i32],
    #[case] expected: i32,
) {
    let indexes = indexes.iter().copied();
    assert_eq!(update::next_surge_from(stored, desired, indexes), expected);
}

#[rstest]
#[case::begins_with_an_old_unit("4/2 available 3 old 3", Some(3))]
#[case::not_without_one("4/2 available 3", None)]
#[case::nothing_ran("4/2 old 4", Some(0))]
#[case::rises("4/2 reached 3 available 4", Some(4))]
#[case::never_falls("4/2 reached 3 available 1", Some(3))]
#[case::but_for_a_scale_in("2/2 reached 3 available 1", Some(2))]
#[case::surplus_is_not_counted("2/2 reached 2 available 3", Some(2))]
#[case::nor_is_surge("4/2 reached 2 available 3 units 1/1", Some(2))]
fn the_most_that_ran_is_stored(#[case] given: &str, #[case] reached: Option<i32>) {
    assert_eq!(component(given).next_reached(), reached, "{given}");
}

#[rstest]
#[case::all_are_back("4/2 reached 4 available 4", true)]
#[case::one_is_old("4/2 reached 4 available 4 old 1", false)]
#[case::one_is_missing("4/2 reached 4 available 3", false)]
#[case::one_has_no_room("4/2 reached 4 available 3 short", true)]
#[case::one_has_no_room_and_one_starts("4/2 reached 4 available 3 short starting 1", false)]
#[case::too_few_have_room("4/2 reached 4 available 1 short", false)]
#[case::more_are_wanted_than_ran("8/2 reached 6 available 6", true)]
#[case::fewer_ran_than_are_needed("4/3 reached 1 available 2", false)]
#[case::fewer_ran_and_there_is_no_room("4/3 reached 1 available 1 short", true)]
#[case::nothing_ran_before("2/2 reached 0 available 0", false)]
#[case::it_had_no_old_unit("2/2 available 0", true)]
#[case::scaled_to_zero("0/2 reached 2 available 0", true)]
#[case::a_surge_unit_is_left("2/2 reached 2 available 3 units 1/1", false)]
#[case::it_has_to_return("2/2 available 1 returns", false)]
#[case::it_has_to_return_and_finds_no_room("2/2 available 1 short returns", false)]
#[case::it_has_returned("2/2 available 2 returns", true)]
fn a_turn_passes_on_when_all_that_ran_runs_again(#[case] given: &str, #[case] is_done: bool) {
    assert_eq!(component(given).is_done(), is_done, "{given}");
}

#[rstest]
#[case::the_only_engine("1/1 reached 1 available 0 short", true)]
#[case::it_starts("1/1 reached 1 available 0 short starting 1", false)]
#[case::optional_units("4/2 reached 4 available 2 short", false)]
#[case::nothing_ran_before("1/1 reached 0 available 0 short", false)]
#[case::it_was_terminated_meanwhile("1/1 available 0 short returns", true)]
fn what_has_to_run_finds_no_room(#[case] given: &str, #[case] lacks_room: bool) {
    assert_eq!(component(given).lacks_room(), lacks_room, "{given}");
}

/// `old` or `new`, then what the pod shows; times in seconds, now is 100.
fn staged_pod(given: &str) -> (Pod, bool) {
    let clique = podclique("demo-0-web").size(1, 1).build();
    let mut pod = (*pod(&clique, 0).ungated().build()).clone();
    for word in given.split_whitespace() {
        let (name, at) = word.split_once('@').unwrap_or((word, "0"));
        let at = Time(after(at.parse().unwrap()));
        let condition = |type_: &str, status: &str| PodCondition {
            type_: type_.into(),
            status: status.into(),
            last_transition_time: Some(at.clone()),
            ..PodCondition::default()
        };
        let status = &mut pod.status;
        match name {
            "bound" => pod.spec.node_name = Some("node".into()),
            "started" => status.start_time = Some(at),
            "ready" => status.conditions.push(condition("Ready", "True")),
            "unready" => status.conditions.push(condition("Ready", "False")),
            "failed" => status.phase = Some("Failed".into()),
            "ended" => status.container_statuses.push(ContainerStatus {
                last_state: ContainerState {
                    terminated: Some(Terminated {
                        finished_at: Some(at),
                        ..Terminated::default()
                    }),
                    ..ContainerState::default()
                },
                ..ContainerStatus::default()
            }),
            "leaving" => pod.metadata.deletion_timestamp = Some(at),
            _ => {}
        }
    }
    (pod, given.contains("old"))
}

#[rstest]
#[case("old", Stage::OldUnplaced, None)]
#[case("old bound ready@50", Stage::OldAvailable, None)]
#[case("old bound started@10", Stage::OldDown, None)]
#[case("old bound started@10 unready@11", Stage::OldDown, None)]
#[case("old bound started@10 unready@80", Stage::OldUnready, Some(110))]
#[case("old bound started@10 unready@70", Stage::OldDown, None)]
#[case("old bound started@10 unready@80 failed", Stage::OldDown, None)]
#[case("old bound ready@50 leaving", Stage::Leaving, None)]
#[case("new", Stage::NewUnplaced, None)]
#[case("new bound", Stage::Starting, None)]
#[case("new bound ready@85", Stage::Starting, Some(105))]
#[case("new bound ready@80", Stage::Updated, None)]
#[case("new bound ready@80 ended@70", Stage::Starting, Some(130))]
#[case("new bound ready@45 ended@40", Stage::Updated, None)]
#[case("new bound unready@50", Stage::Starting, None)]
fn a_pod_is_in_one_stage(
    #[case] given: &str,
    #[case] stage: Stage,
    #[case] changes_at: Option<i64>,
) {
    let (pod, is_old) = staged_pod(given);
    let (min_ready, now) = (SignedDuration::from_secs(20), after(100));
    assert_eq!(
        update::stage_of_pod(&pod, is_old, min_ready, now),
        stage,
        "{given}"
    );
    let next = update::next_stage_at(&pod, is_old, min_ready, now);
    assert_eq!(next, changes_at.map(after), "{given}");
}

#[rstest]
#[case::all_are_up(&["old bound ready"], &["old bound ready"], Stage::OldAvailable)]
#[case::half_of_it_is_new(&["new bound ready"], &["old bound ready"], Stage::OldAvailable)]
#[case::one_is_not_ready_yet(&["old bound ready"], &["old bound started@10 unready@90"], Stage::OldUnready)]
#[case::one_is_down(&["old bound ready"], &["old bound started@10 unready@20"], Stage::OldDown)]
#[case::one_has_no_pod(&["old bound ready"], &[], Stage::OldDown)]
#[case::one_waits_for_a_node(&["old bound ready"], &["old"], Stage::OldDown)]
#[case::both_wait(&["old"], &["old"], Stage::OldUnplaced)]
#[case::new(&["new bound ready"], &["new bound ready"], Stage::Updated)]
#[case::one_is_new_for_too_short(&["new bound ready"], &["new bound ready@99"], Stage::Starting)]
#[case::new_and_waiting(&["new"], &["new"], Stage::NewUnplaced)]
fn a_group_replica_is_in_one_stage(
    #[case] leader: &[&str],
    #[case] worker: &[&str],
    #[case] stage: Stage,
) {
    let cliques = [leader, worker].map(|given| {
        let pods = given.iter().map(|given| staged_pod(given).0);
        let is_old = given.iter().any(|given| given.contains("old"));
        (is_old || given.is_empty(), pods.collect::<Vec<_>>())
    });
    let members = cliques.iter().map(|(is_old, pods)| UnitMember {
        is_old: *is_old,
        is_terminating: false,
        minimum: 1,
        pods: pods.iter().collect(),
    });
    let members: Vec<_> = members.collect();
    let (min_ready, now) = (SignedDuration::from_secs(20), after(100));
    assert_eq!(update::stage_of_replica(&members, 2, min_ready, now), stage);
}

#[test]
fn a_clique_is_short_of_room_when_a_pod_has_waited_for_a_minute() {
    let pods = [staged_pod("old").0];
    let first = update::next_waiting(None, &pods, after(10)).unwrap();
    assert_eq!(first.since, Time(after(10)));
    let same = update::next_waiting(Some(&first), &pods, after(50));
    assert_eq!(same.as_ref(), Some(&first));
    assert!(!update::is_short(same.as_ref(), &[], after(69)));
    assert!(update::is_short(same.as_ref(), &[], after(70)));
    assert_eq!(update::next_waiting(Some(&first), [], after(50)), None);
}

#[rstest]
#[case::without_a_node("demo", (true, true))]
#[case::behind_its_gate("gated", (false, true))]
#[case::on_a_node("bound", (false, false))]
#[case::terminating("terminating", (false, false))]
fn a_pod_waits_for_a_node_and_surge_also_behind_its_gate(
    #[case] given: &str,
    #[case] waits: (bool, bool),
) {
    let clique = podclique("demo-0-web").size(1, 1).build();
    let pod = match given {
        "gated" => pod(&clique, 0),
        "bound" => pod(&clique, 0).bound(),
        "terminating" => pod(&clique, 0).ungated().terminating(0),
        _ => pod(&clique, 0).ungated(),
    };
    let pod = pod.build();
    let seen = (update::waits_for_node(&pod), update::waits(&pod));
    assert_eq!(seen, waits);
}

#[rstest]
#[case::without_a_probe(None, false, 10)]
#[case::with_one(None, true, 0)]
#[case::as_given(Some(3), false, 3)]
#[case::an_explicit_zero(Some(0), false, 0)]
fn a_new_pod_has_to_stay_ready(
    #[case] given: Option<i32>,
    #[case] has_probe: bool,
    #[case] seconds: i64,
) {
    let rolling = RollingUpdate {
        min_ready_seconds: given,
        ..RollingUpdate::default()
    };
    let mut set = testkit::builders::set("demo").clique("web", |c| c).build();
    let clique = &mut set.spec.template.cliques[0];
    if has_probe {
        clique.spec.pod_spec.containers[0].readiness_probe = Some(Probe::default());
    }
    let time = update::min_ready(Some(&rolling), [&*clique]);
    assert_eq!(time, SignedDuration::from_secs(seconds));
}

#[rstest]
#[case::nothing_new((1, 1), 10)]
#[case::one_more_has_the_template((2, 1), 60)]
#[case::one_more_is_ready((1, 2), 60)]
#[case::one_crashed((1, 0), 10)]
#[case::replaced_and_crashed((2, 0), 60)]
fn a_rising_count_is_progress(#[case] now: (i32, i32), #[case] seconds: i64) {
    let before = Advance {
        updated: 1,
        ready: 1,
    };
    let present = Advance {
        updated: now.0,
        ready: now.1,
    };
    let last = present.last_progress(before, Some(&Time(after(10))), after(60));
    assert_eq!(last.0, after(seconds));
}

#[rstest]
#[case::in_time(Some("10m"), 609, Status::True, Reason::Progressing)]
#[case::at_the_very_moment(Some("10m"), 610, Status::Unknown, Reason::ProgressDeadlineExceeded)]
#[case::without_a_deadline(None, 100_000, Status::True, Reason::Progressing)]
#[case::one_that_makes_no_sense(Some("-1m"), 100_000, Status::True, Reason::Progressing)]
fn a_deadline_is_reported_and_nothing_else(
    #[case] deadline: Option<&str>,
    #[case] seconds: i64,
    #[case] status: Status,
    #[case] reason: Reason,
) {
    let rolling = RollingUpdate {
        progress_deadline: deadline.map(|d| GoDuration(d.into())),
        ..RollingUpdate::default()
    };
    let due = update::deadline_at(Some(&rolling), Some(&Time(after(10))));
    let verdict = update::verdict("1/3 pods updated and ready", due, after(seconds));
    assert_eq!((verdict.status, verdict.reason), (status, reason));
    assert!(verdict.message.ends_with("1/3 pods updated and ready"));
}
