//! The stages of units, and the time since the last progress of an update.

mod coherent;
mod component;
mod records;
mod rolling;
mod tally;
mod vacancies;

use api::GoDuration;
use api::conditions::{Reason, Status};
use api::podcliqueset::RollingUpdate;
use domain::Pod;
use domain::object::pod::{ContainerState, ContainerStatus, PodCondition, Terminated};
use domain::update::{self, Advance, Age, Stage, UnitMember, UnitReplica};
use jiff::SignedDuration;
use k8s_openapi::api::core::v1::Probe;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{after, pod, podclique};

/// `old`, `kept` or `new`, then what the pod shows; times in seconds, now is 100.
fn staged_pod(given: &str) -> (Pod, Age) {
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
    let is_outdated = !given.contains("new");
    (pod, Age::of(is_outdated, given.contains("kept")))
}

#[rstest]
#[case("old", Stage::OldUnplaced, None)]
#[case("old bound ready@50", Stage::OldAvailable, None)]
#[case("old bound started@10", Stage::OldDown, None)]
#[case("old bound started@10 unready@11", Stage::OldDown, None)]
#[case("old bound started@90 unready@92", Stage::OldDown, None)]
#[case("old bound started@90 unready@93", Stage::OldUnready, Some(123))]
#[case("old bound started@10 unready@80", Stage::OldUnready, Some(110))]
#[case("old bound started@10 unready@70", Stage::OldDown, None)]
#[case("old bound started@10 unready@80 failed", Stage::OldDown, None)]
#[case("old bound ready@50 leaving", Stage::Leaving, None)]
#[case("kept", Stage::KeptDown, None)]
#[case("kept bound started@10 unready@80", Stage::KeptDown, None)]
#[case("kept bound ready@99", Stage::KeptAvailable, None)]
#[case("kept bound ready@50 leaving", Stage::Leaving, None)]
#[case("new", Stage::NewUnplaced, None)]
#[case("new bound", Stage::Starting, None)]
#[case("new bound ready@85", Stage::Starting, Some(106))]
#[case("new bound ready@80", Stage::Starting, Some(101))]
#[case("new bound ready@79", Stage::Updated, None)]
#[case("new bound ready@80 ended@70", Stage::Starting, Some(140))]
#[case("new bound ready@70 ended@5", Stage::Starting, Some(130))]
#[case("new bound ready@30 ended@60", Stage::Starting, Some(120))]
#[case("new bound ready@39 ended@35", Stage::Updated, None)]
#[case("new bound unready@50", Stage::Starting, None)]
fn a_pod_is_in_one_stage(
    #[case] given: &str,
    #[case] stage: Stage,
    #[case] changes_at: Option<i64>,
) {
    let (pod, age) = staged_pod(given);
    let (min_ready, now) = (SignedDuration::from_secs(20), after(100));
    assert_eq!(
        update::stage_of_pod(&pod, age, min_ready, now),
        stage,
        "{given}"
    );
    let next = update::next_stage_at(&pod, age, min_ready, now);
    assert_eq!(next, changes_at.map(after), "{given}");
}

/// Condition times are cut to whole seconds. A pod that counts at once needs no more time.
#[rstest]
#[case::none(0, 0)]
#[case::a_second(1, 2)]
#[case::half_a_minute(30, 31)]
fn a_new_pod_counts_no_moment_too_early(#[case] min_ready: i64, #[case] seconds: i64) {
    let (pod, age) = staged_pod("new bound ready@50");
    let min_ready = SignedDuration::from_secs(min_ready);
    let counts = update::next_stage_at(&pod, age, min_ready, after(49)).unwrap();
    assert_eq!(counts, after(50 + seconds));
    // It became Ready in the last moment of the second that its condition names.
    let latest = after(51) - SignedDuration::from_nanos(1);
    assert!(min_ready.is_zero() || counts >= latest + min_ready);
}

#[rstest]
#[case::all_are_up(&["old bound ready"], &["old bound ready"], Stage::OldAvailable)]
#[case::half_of_it_is_new(&["new bound ready"], &["old bound ready"], Stage::OldAvailable)]
#[case::one_is_not_ready_yet(&["old bound ready"], &["old bound started@10 unready@90"], Stage::OldUnready)]
#[case::one_is_down(&["old bound ready"], &["old bound started@10 unready@20"], Stage::OldDown)]
#[case::one_has_no_pod(&["old bound ready"], &[], Stage::OldDown)]
#[case::one_waits_for_a_node(&["old bound ready"], &["old"], Stage::OldDown)]
#[case::both_wait(&["old"], &["old"], Stage::OldUnplaced)]
#[case::kept(&["kept bound ready"], &["kept bound ready"], Stage::KeptAvailable)]
#[case::half_of_it_is_kept(&["new bound ready"], &["kept bound ready"], Stage::KeptAvailable)]
#[case::a_kept_one_is_down(&["kept bound ready"], &["kept"], Stage::KeptDown)]
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
        let is_old = given.iter().any(|given| !given.contains("new"));
        (is_old || given.is_empty(), pods.collect::<Vec<_>>())
    });
    let members = cliques.iter().map(|(is_old, pods)| UnitMember {
        is_old: *is_old,
        is_terminating: false,
        minimum: 1,
        pods: pods.iter().collect(),
    });
    let mut given = leader.iter().chain(worker);
    let replica = UnitReplica {
        members: members.collect(),
        wanted: 2,
        is_below_partition: given.any(|given| given.contains("kept")),
        is_surge: false,
    };
    let (min_ready, now) = (SignedDuration::from_secs(20), after(100));
    assert_eq!(update::stage_of_replica(&replica, min_ready, now), stage);
}

/// The PodCliques that are left of a group replica: `old` or `new`, and `leaving`. Of one that is replaced
/// those with the newest template may be the last to go: counted as a new unit, it would be new, gone and new
/// again in the report.
#[rstest]
#[case::the_first_goes(&["old", "new leaving"], false, Stage::Leaving)]
#[case::the_old_one_is_gone(&["new leaving"], false, Stage::Leaving)]
#[case::all_of_a_new_one_goes(&["new leaving", "new leaving"], false, Stage::Leaving)]
#[case::a_part_of_a_new_one_goes(&["new", "new leaving"], false, Stage::NewUnplaced)]
#[case::the_turn_waits_for_surge(&["new leaving"], true, Stage::NewUnplaced)]
fn a_group_replica_that_goes_is_no_new_one(
    #[case] given: &[&str],
    #[case] is_surge: bool,
    #[case] stage: Stage,
) {
    let members = given.iter().map(|given| UnitMember {
        is_old: given.contains("old"),
        is_terminating: given.contains("leaving"),
        minimum: 1,
        pods: Vec::new(),
    });
    let replica = UnitReplica {
        members: members.collect(),
        wanted: 2,
        is_below_partition: false,
        is_surge,
    };
    let stage_now = update::stage_of_replica(&replica, SignedDuration::ZERO, after(100));
    assert_eq!(stage_now, stage);
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

/// The deadlines and `minReadySeconds` of two parts that are not done, beside one without limits.
#[rstest]
#[case::without_limits([(None, None), (None, None)], Some(610))]
#[case::new_units_have_to_be_ready_for_a_while([(None, Some(30)), (None, Some(90))], Some(700))]
#[case::a_deadline_counts_instead([(None, None), (Some("1h"), None)], None)]
#[case::a_deadline_that_makes_no_sense([(None, None), (Some("-1m"), None)], Some(610))]
fn an_update_without_a_deadline_stands_still_after_ten_minutes(
    #[case] given: [(Option<&str>, Option<i32>); 2],
    #[case] seconds: Option<i64>,
) {
    let limits = given.map(|(deadline, min_ready)| RollingUpdate {
        progress_deadline: deadline.map(|d| GoDuration(d.into())),
        min_ready_seconds: min_ready,
        ..RollingUpdate::default()
    });
    let left = limits.iter().map(Some).chain([None]);
    assert_eq!(update::stands_at(left, after(10)), seconds.map(after));
    assert_eq!(update::stands_at([], after(10)), Some(after(610)));
}
