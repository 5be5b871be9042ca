//! An update without a deadline that makes no progress.

use std::sync::Arc;

use api::conditions::{self, ConditionType, ConditionUpdate, Reason, Status};
use api::labels;
use api::podclique::{PclqUpdateProgress, WaitingPod};
use api::podcliqueset::RollingUpdate;
use domain::health::suspension;
use domain::plan::CheckAnswer;
use domain::scheduling::quota::{self, PodCounts};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use podcliqueset::decide::decide;
use rstest::rstest;
use testkit::builders::after;

use super::events::{reason_at, reasons, tell_at};
use super::numbers::second_pod;
use super::{change, changed, edit, step};

/// One new pod of replica 0 is available, and the other one crashes; the last progress was at 60.
fn crashing() -> Snapshot {
    second_pod(|pod| pod.waiting("CrashLoopBackOff"))
}

/// Status, reason and message of the condition in a decision at this second.
fn message_at(snapshot: &Snapshot, type_: ConditionType, seconds: i64) -> String {
    let status = decide(snapshot, after(seconds)).status.unwrap();
    let found = conditions::find(&status.conditions, type_).unwrap();
    format!("{}/{}: {}", found.status, found.reason, found.message)
}

fn advance(snapshot: &mut Snapshot, seconds: i64) {
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let status = Arc::make_mut(&mut seen.podclique).status.as_mut();
    let record = status.unwrap().update_progress.as_mut().unwrap();
    record.last_progress_time = Some(Time(after(seconds)));
}

#[test]
fn an_update_without_progress_for_ten_minutes_has_one_event() {
    let mut snapshot = crashing();
    assert_eq!(decide(&snapshot, after(659)).wake_at, Some(after(660)));
    assert_eq!(reasons(&tell_at(&mut snapshot, after(659))), [""; 0]);
    let told = tell_at(&mut snapshot, after(660));
    assert_eq!(reasons(&told), ["UpdateStalled"]);
    assert!(told[0].is_warning);
    assert_eq!(reasons(&tell_at(&mut snapshot, after(661))), [""; 0]);

    let update = message_at(&snapshot, ConditionType::UpdateInProgress, 661);
    let since = "Unknown/NoProgress: no progress since 2026-01-01T00:01:00Z: ";
    assert!(update.starts_with(since), "{update}");
    let words = "updating replica 0; web 2/2 new, 1 starting (demo-0-web-p1: CrashLoopBackOff); \
                 1 available, at least 1 stay; correct the template, or put the old one back with \
                 `kubectl grove undo demo -n default`; if new pods need longer, set \
                 rollingUpdate.progressDeadline";
    assert!(update.ends_with(words), "{update}");
    let ready = message_at(&snapshot, ConditionType::Ready, 661);
    assert!(ready.starts_with("True/UpdateStalled: "), "{ready}");
    assert!(ready.contains("demo-0-web-p1: CrashLoopBackOff"), "{ready}");

    advance(&mut snapshot, 662);
    assert_eq!(reasons(&tell_at(&mut snapshot, after(662))), [""; 0]);
    assert_eq!(reason_at(&snapshot, 1261), "Progressing", "it goes on");
    let again = tell_at(&mut snapshot, after(1262));
    assert_eq!(reasons(&again), ["UpdateStalled"]);
    assert_ne!(told[0].identity, again[0].identity);
}

/// A pod that merely starts is no trouble before that.
#[test]
fn a_pod_that_has_not_started_in_ten_minutes_is_named() {
    let snapshot = second_pod(|pod| pod.waiting("ContainerCreating"));
    let update = |seconds| message_at(&snapshot, ConditionType::UpdateInProgress, seconds);
    let words = "demo-0-web-p1: ContainerCreating";
    assert!(!update(659).contains(words), "{}", update(659));
    assert!(update(660).contains(words), "{}", update(660));
}

fn limit(snapshot: &mut Snapshot, rolling: RollingUpdate) {
    change(snapshot, |set| {
        set.spec.template.cliques[0].rolling_update = Some(rolling);
    });
}

fn give_a_deadline(snapshot: &mut Snapshot) {
    let rolling = RollingUpdate {
        progress_deadline: Some("1h".into()),
        ..RollingUpdate::default()
    };
    limit(snapshot, rolling);
}

fn ask_for_a_minute(snapshot: &mut Snapshot) {
    let rolling = RollingUpdate {
        min_ready_seconds: Some(60),
        ..RollingUpdate::default()
    };
    limit(snapshot, rolling);
}

fn pause(snapshot: &mut Snapshot) {
    change(snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = true;
    });
}

fn refuse(snapshot: &mut Snapshot) {
    edit(snapshot, "3");
    for known in snapshot.checks.answers.values_mut() {
        known.answer = CheckAnswer::Refused("no".into());
    }
}

/// New pods have their time from the resume on.
fn resume(snapshot: &mut Snapshot) {
    change(snapshot, |set| {
        let status = set.status.get_or_insert_default();
        suspension::begin(status, None, after(60));
        suspension::end(status, None, after(120));
    });
}

/// The gangs of the set wait for quota, or have it, since that second.
fn report_quota(snapshot: &mut Snapshot, status: Status, second: i64) {
    snapshot.scheduler.is_queued = true;
    assert!(!snapshot.children.gangs.is_empty());
    for gang in &mut snapshot.children.gangs {
        let update = ConditionUpdate {
            type_: ConditionType::QuotaReserved,
            status,
            reason: Reason::WaitingForQuota,
            message: String::new(),
        };
        let stored = Arc::make_mut(gang).status.get_or_insert_default();
        conditions::set(&mut stored.conditions, update, None, after(second));
    }
}

fn queue(snapshot: &mut Snapshot) {
    report_quota(snapshot, Status::False, 60);
}

fn reserve(snapshot: &mut Snapshot) {
    report_quota(snapshot, Status::True, 120);
}

/// The words of the gang about pods that lack quota.
const WORDS: &str = "2 pods have quota of ClusterQueue gpus; Workload demo-0.x1 waits";

fn lack_quota(snapshot: &mut Snapshot) {
    report_quota(snapshot, Status::True, 60);
    let gang = Arc::make_mut(&mut snapshot.children.gangs[0]);
    let asked = quota::to_text(&PodCounts::from([("demo-0-web".to_owned(), 3)]));
    let annotations = gang.metadata.annotations.get_or_insert_default();
    annotations.insert(labels::QUOTA_REQUEST.to_owned(), asked);
    let conditions = &mut gang.status.as_mut().unwrap().conditions;
    let mut reserved = conditions.iter_mut();
    let reserved = reserved.find(|c| c.type_ == "QuotaReserved").unwrap();
    WORDS.clone_into(&mut reserved.message);
}

/// Both pods of replica 0 are old and run, and its gang has waited for quota of a surge pod since second 60.
/// No pod may be missing.
fn without_surge() -> Snapshot {
    let mut snapshot = changed();
    let rolling = RollingUpdate {
        max_surge: Some(1),
        max_unavailable: Some(0),
        ..RollingUpdate::default()
    };
    limit(&mut snapshot, rolling);
    step(&mut snapshot);
    step(&mut snapshot);
    let stored = snapshot.stored.status.as_ref().unwrap();
    let generation = stored.current_generation_hash.clone().unwrap();
    let gang = &snapshot.children.gangs[0].metadata;
    let waiting = WaitingPod {
        uid: gang.uid.clone().unwrap(),
        since: Time(after(60)),
    };
    let seen = snapshot.podcliques.get_mut("demo-0-web").unwrap();
    let podclique = Arc::make_mut(&mut seen.podclique);
    podclique.status.get_or_insert_default().update_progress = Some(PclqUpdateProgress {
        reached: Some(2),
        surge_from: Some(2),
        waiting_since: Some(waiting),
        ..PclqUpdateProgress::begin(generation, String::new(), Time(after(60)))
    });
    lack_quota(&mut snapshot);
    snapshot
}

/// Nothing may be missing instead, so it needs somebody. A whole gang in a queue does not.
#[test]
fn surge_that_waits_in_a_queue_is_reported() {
    let mut snapshot = without_surge();
    assert_eq!(reason_at(&snapshot, 659), "Progressing");
    let update = message_at(&snapshot, ConditionType::UpdateInProgress, 660);
    assert!(update.starts_with("Unknown/NoProgress: "), "{update}");
    let words = format!(
        "web waits until its surge has room, as maxUnavailable is 0: gang demo-0 waits for more quota: \
         {WORDS}; free quota, or raise its rollingUpdate.maxUnavailable to go on"
    );
    assert!(update.contains(&words), "{update}");
    queue(&mut snapshot);
    assert_eq!(reason_at(&snapshot, 3600), "Progressing");
}

#[rstest]
#[case::a_deadline_counts_instead(give_a_deadline, 3600, "Progressing")]
#[case::before_a_new_pod_may_count(ask_for_a_minute, 719, "Progressing")]
#[case::after_that(ask_for_a_minute, 720, "NoProgress")]
#[case::paused(pause, 660, "Paused")]
#[case::refused(refuse, 660, "TemplateRefused")]
#[case::soon_after_a_resume(resume, 719, "Progressing")]
#[case::long_after_a_resume(resume, 720, "NoProgress")]
#[case::queued(queue, 3600, "Progressing")]
#[case::added_pods_are_queued(lack_quota, 3600, "Progressing")]
#[case::soon_after_quota_came(reserve, 719, "Progressing")]
#[case::long_after_quota_came(reserve, 720, "NoProgress")]
fn an_update_stands_still_only_if_it_should_go_on(
    #[case] adapt: fn(&mut Snapshot),
    #[case] seconds: i64,
    #[case] reason: &str,
) {
    let mut snapshot = crashing();
    adapt(&mut snapshot);
    assert_eq!(reason_at(&snapshot, seconds), reason);
}

fn unpause(snapshot: &mut Snapshot) {
    change(snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = false;
    });
}

fn put_back(snapshot: &mut Snapshot) {
    edit(snapshot, "2");
}

/// The last progress was long ago, and nobody could expect one.
#[rstest]
#[case::after_a_pause(pause, unpause)]
#[case::after_a_refused_template(refuse, put_back)]
fn an_update_that_rested_has_ten_minutes_from_the_moment_in_which_it_goes_on(
    #[case] rest: fn(&mut Snapshot),
    #[case] go_on: fn(&mut Snapshot),
) {
    let mut snapshot = crashing();
    rest(&mut snapshot);
    tell_at(&mut snapshot, after(300));
    go_on(&mut snapshot);
    assert_eq!(reasons(&tell_at(&mut snapshot, after(800))), [""; 0]);
    assert_eq!(reason_at(&snapshot, 1399), "Progressing");
    assert_eq!(reason_at(&snapshot, 1400), "NoProgress");
    assert_eq!(decide(&snapshot, after(1399)).wake_at, Some(after(1400)));
}
