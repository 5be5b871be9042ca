//! Suspensions as they are stored, and the time that they take from a job (docs/semantics.md §15).

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::podcliqueset::{PodCliqueSetPhase, Suspension, TrainingSpec};
use api::{GoDuration, PodCliqueSet, PodCliqueSetStatus, WorkloadType};
use domain::health::{suspension, training};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::{after, pod, podclique, set};

fn milliseconds(at: i64) -> Timestamp {
    after(0) + SignedDuration::from_millis(at)
}

fn started(at: Option<i64>) -> PodCliqueSetStatus {
    PodCliqueSetStatus {
        start_time: at.map(|at| Time(after(at))),
        ..PodCliqueSetStatus::default()
    }
}

/// As the API server stores it: in whole seconds.
fn stored(status: &PodCliqueSetStatus) -> PodCliqueSetStatus {
    serde_json::from_str(&serde_json::to_string(status).unwrap()).unwrap()
}

fn begin(status: &PodCliqueSetStatus, at: Timestamp) -> PodCliqueSetStatus {
    let mut next = status.clone();
    suspension::begin(&mut next, Some(1), at);
    stored(&next)
}

fn end(status: &PodCliqueSetStatus, at: Timestamp) -> PodCliqueSetStatus {
    let mut next = status.clone();
    suspension::end(&mut next, Some(2), at);
    stored(&next)
}

/// A job with `maxRuntime: 30s`.
fn job(status: PodCliqueSetStatus) -> PodCliqueSet {
    let mut job = set("demo").clique("w", |c| c).build();
    job.spec.workload_type = Some(WorkloadType::Training);
    job.spec.training_spec = Some(TrainingSpec {
        max_runtime: Some("30s".into()),
        ..TrainingSpec::default()
    });
    job.status = Some(status);
    job
}

fn deadline(status: &PodCliqueSetStatus) -> Option<Timestamp> {
    training::deadline(&job(status.clone()))
}

/// A pod that was created at this second, in a set that was resumed at 10.
#[rstest]
#[case::ended_before(0, "Succeeded", Some(10), true)]
#[case::failed_before(9, "Failed", Some(10), true)]
#[case::created_since(10, "Failed", Some(10), false)]
#[case::has_not_ended(0, "Running", Some(10), false)]
#[case::never_resumed(0, "Succeeded", None, false)]
fn a_pod_that_ended_is_of_before_by_the_time_of_its_creation(
    #[case] created: i64,
    #[case] phase: &str,
    #[case] resumed: Option<i64>,
    #[case] is_of_before: bool,
) {
    let clique = podclique("demo-0-w").build();
    let pod = pod(&clique, 0)
        .created(created)
        .bound()
        .phase(phase)
        .build();
    assert_eq!(
        suspension::is_of_before(&pod, resumed.map(after)),
        is_of_before
    );
}

#[test]
fn the_condition_says_whether_and_since_when() {
    let never = PodCliqueSetStatus::default();
    assert!(!suspension::is_suspended(Some(&never)));
    assert_eq!(suspension::resumed_at(Some(&never)), None);
    let suspended = begin(&never, milliseconds(10_900));
    assert!(suspension::is_suspended(Some(&suspended)));
    assert_eq!(suspension::since(&suspended), Some(after(10)));
    assert_eq!(suspension::resumed_at(Some(&suspended)), None);
    let resumed = end(&suspended, after(70));
    assert!(!suspension::is_suspended(Some(&resumed)));
    assert_eq!(suspension::since(&resumed), None);
    assert_eq!(suspension::resumed_at(Some(&resumed)), Some(after(70)));
    assert_eq!(resumed.suspension, None, "no job lost time");
}

/// A write of which the answer is lost is decided again.
#[test]
fn a_suspension_that_begins_twice_has_begun_once() {
    let once = begin(&PodCliqueSetStatus::default(), after(10));
    let twice = begin(&once, after(20));
    assert_eq!(suspension::since(&twice), Some(after(10)));
}

/// The job started then, and was suspended from and until these times, in milliseconds.
#[rstest]
#[case::while_it_ran(Some(0), 10_000, 70_000, Some("1m0s"))]
#[case::parts_of_seconds(Some(0), 10_900, 70_300, Some("1m0s"))]
#[case::within_a_second(Some(0), 10_100, 10_150, Some("0s"))]
#[case::since_before_it_started(Some(40), 10_000, 70_000, Some("30s"))]
#[case::it_started_after_all(Some(80), 10_000, 70_000, Some("0s"))]
#[case::it_never_started(None, 10_000, 70_000, None)]
#[case::the_clock_went_back(Some(0), 70_000, 10_000, Some("0s"))]
fn the_total_counts_from_the_start(
    #[case] start: Option<i64>,
    #[case] from: i64,
    #[case] until: i64,
    #[case] total: Option<&str>,
) {
    let suspended = begin(&started(start), milliseconds(from));
    let resumed = end(&suspended, milliseconds(until));
    let found = resumed.suspension.and_then(|s| s.total);
    let wanted = total.map(|text| GoDuration::from(text).parse().unwrap());
    assert_eq!(found.map(|text| text.parse().unwrap()), wanted);
}

#[test]
fn suspensions_add_up() {
    let mut status = started(Some(0));
    for (from, until) in [(5, 65), (70, 100), (110, 110)] {
        status = end(&begin(&status, after(from)), after(until));
    }
    assert_eq!(suspension::total(&status), SignedDuration::from_secs(90));
    assert_eq!(deadline(&status), Some(after(120)));
}

/// `maxRuntime: 30s`, started at 0. Suspended from then, and for how long before.
#[rstest]
#[case::never(None, None, Some(30))]
#[case::before(None, Some("1m"), Some(90))]
#[case::now(Some(10), None, None)]
#[case::now_and_before(Some(80), Some("1m"), None)]
#[case::the_time_was_over_before(Some(31), None, Some(30))]
#[case::the_time_was_over_then(Some(30), None, Some(30))]
#[case::an_edited_total(None, Some("often"), Some(30))]
#[case::a_negative_total(None, Some("-10s"), Some(30))]
fn the_deadline_stands_still(
    #[case] since: Option<i64>,
    #[case] total: Option<&str>,
    #[case] due: Option<i64>,
) {
    let mut status = started(Some(0));
    if let Some(since) = since {
        status = begin(&status, after(since));
    }
    let suspension = status.suspension.get_or_insert_default();
    suspension.total = total.map(Into::into);
    assert_eq!(deadline(&status), due.map(after));
}

#[test]
fn without_a_limit_or_a_start_there_is_no_deadline() {
    assert_eq!(deadline(&started(None)), None);
    let mut endless = job(started(Some(0)));
    endless.spec.training_spec = None;
    assert_eq!(training::deadline(&endless), None);
}

#[test]
fn a_job_that_is_over_is_not_suspended() {
    let mut status = begin(&started(Some(0)), after(10));
    status.phase = Some(PodCliqueSetPhase::Succeeded);
    assert!(!suspension::is_suspended(Some(&status)));
    assert!(suspension::is_stored(&status));
}

/// The phase, the condition that is True since 100, `ttlAfterFinished`.
#[rstest]
#[case::done(
    PodCliqueSetPhase::Succeeded,
    ConditionType::Succeeded,
    Some("1h"),
    Some(3_700)
)]
#[case::failed(
    PodCliqueSetPhase::Failed,
    ConditionType::Failed,
    Some("5s"),
    Some(105)
)]
#[case::at_once(
    PodCliqueSetPhase::Failed,
    ConditionType::Failed,
    Some("0s"),
    Some(100)
)]
#[case::its_last_pod_runs(PodCliqueSetPhase::Running, ConditionType::Failed, Some("5s"), None)]
#[case::no_time(PodCliqueSetPhase::Succeeded, ConditionType::Succeeded, None, None)]
#[case::a_negative_time(
    PodCliqueSetPhase::Succeeded,
    ConditionType::Succeeded,
    Some("-1s"),
    None
)]
#[case::no_duration(
    PodCliqueSetPhase::Succeeded,
    ConditionType::Succeeded,
    Some("soon"),
    None
)]
#[case::no_condition(PodCliqueSetPhase::Succeeded, ConditionType::Ready, Some("5s"), None)]
fn a_job_is_kept_from_its_end(
    #[case] phase: PodCliqueSetPhase,
    #[case] end: ConditionType,
    #[case] kept: Option<&str>,
    #[case] until: Option<i64>,
) {
    let mut status = started(Some(0));
    let verdict = ConditionUpdate {
        type_: end,
        status: Status::True,
        reason: Reason::WorkloadSucceeded,
        message: String::new(),
    };
    conditions::set(&mut status.conditions, verdict, None, after(100));
    status.phase = Some(phase);
    let mut job = job(status);
    let limits = job.spec.training_spec.get_or_insert_default();
    limits.ttl_after_finished = kept.map(Into::into);
    assert_eq!(training::kept_until(&job), until.map(after));
}

#[test]
fn an_empty_record_is_left_out() {
    let text = serde_json::to_string(&Suspension::default()).unwrap();
    assert_eq!(text, "{}");
}
