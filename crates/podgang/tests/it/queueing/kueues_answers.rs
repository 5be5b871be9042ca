//! Conditions of Workloads: those that Kueue writes, and those that it reads.

use api::kueue::{KueuePodSet, types};
use api::podcliqueset::PodCliqueSetPhase;
use domain::object::ownership::is_terminating;
use podgang::queueing::grant::admitted;
use rstest::rstest;

use super::*;

/// The pods end, and others wait behind their gates.
fn give_quota_back(snapshot: &mut Snapshot) {
    store_status(snapshot);
    give_pods(snapshot, 3, |p| p);
    let returned = store_status(snapshot);
    assert_eq!(words(&returned), ["status Workload demo-0"]);
    carry_out(snapshot, &returned);
}

/// Kueue leaves `Evicted` until it admits the Workload again.
#[test]
fn after_an_eviction_the_words_are_those_of_the_queue() {
    let mut snapshot = granted(3);
    evict(&mut snapshot, "demo-0");
    give_quota_back(&mut snapshot);
    change(&mut snapshot, "demo-0", |workload| {
        let status = workload.status.get_or_insert_default();
        let words = "insufficient unused quota for nvidia.com/gpu in flavor h100, 16 more needed";
        for c in &mut status.conditions {
            if c.type_ == types::QUOTA_RESERVED {
                words.clone_into(&mut c.message);
            }
        }
    });
    store_status(&mut snapshot);
    assert_eq!(
        state(&snapshot),
        "False WaitingForQuota: gang demo-0 waits in queue team-a: Pending: insufficient unused quota for \
         nvidia.com/gpu in flavor h100, 16 more needed"
    );
}

/// Kueue does so after too many evictions.
#[test]
fn a_deactivated_workload_stays_evicted() {
    let mut snapshot = granted(3);
    evict(&mut snapshot, "demo-0");
    change(&mut snapshot, "demo-0", |workload| {
        workload.spec.active = Some(false);
    });
    give_quota_back(&mut snapshot);
    assert!(
        store_status(&mut snapshot).is_empty(),
        "nobody activates it"
    );
    assert_eq!(
        state(&snapshot),
        "False QuotaEvicted: gang demo-0 waits in queue team-a: it was deactivated; Preempted: for a \
         higher priority"
    );
}

fn choose_domain(workload: &mut KueueWorkload) {
    let status = workload.status.get_or_insert_default();
    let admission = status.admission.as_mut().unwrap();
    for assignment in &mut admission.pod_set_assignments {
        assignment.topology_assignment = Some(serde_json::json!({"levels": ["rack"]}));
    }
}

const CHOSEN: &str = "Kueue has chosen a topology domain for podSet worker, which the operator does not \
                      honour: remove topologyName from the ResourceFlavor, and use topologyConstraint";

fn unsupported(snapshot: &Snapshot) -> Option<String> {
    let status = plan(snapshot).status.unwrap();
    let type_ = ConditionType::SchedulingFeatureUnsupported;
    conditions::find(&status.conditions, type_).map(|c| c.message.clone())
}

#[test]
fn quota_that_cannot_be_used_is_reported() {
    let mut snapshot = queued(Some(3));
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    admit(&mut snapshot, "demo-0", 3);
    assert_eq!(unsupported(&snapshot), None);
    change(&mut snapshot, "demo-0", choose_domain);
    assert_eq!(
        unsupported(&snapshot).unwrap(),
        format!("Workload demo-0 has quota that cannot be used: {CHOSEN}")
    );
}

#[test]
fn added_pods_whose_quota_cannot_be_used_wait_with_the_cause() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 5);
    let asked = store_status(&mut snapshot);
    carry_out(&mut snapshot, &asked);
    admit(&mut snapshot, "demo-0.x1", 2);
    change(&mut snapshot, "demo-0.x1", choose_domain);
    store_status(&mut snapshot);
    assert_eq!(
        state(&snapshot),
        format!(
            "True QuotaReserved: 3 pods have quota of ClusterQueue gpus; Workload demo-0.x1 cannot be used: \
             {CHOSEN}"
        )
    );
}

/// Kueue may admit a request as it was before its last change.
#[rstest]
#[case::in_part(&[Some(2)], 2)]
#[case::as_a_whole(&[None], 3)]
#[case::not_at_all(&[], 0)]
fn quota_is_for_pods_that_were_admitted(#[case] counts: &[Option<i32>], #[case] expected: i32) {
    let assignments = counts.iter().map(|count| KueueAssignment {
        name: "worker".to_owned(),
        count: *count,
        ..KueueAssignment::default()
    });
    let admission = KueueAdmission {
        pod_set_assignments: assignments.collect(),
        ..KueueAdmission::default()
    };
    let pod_set = KueuePodSet {
        name: "worker".to_owned(),
        count: 3,
        ..KueuePodSet::default()
    };
    assert_eq!(admitted(&admission, &pod_set), expected);
}

/// The conditions of the Workload that is written, if one is.
fn written_conditions(snapshot: &mut Snapshot, type_: &str) -> Option<(String, String)> {
    let actions = store_status(snapshot);
    let workload = actions.first()?.written::<KueueWorkload>()?;
    let mut all = workload.status.iter().flat_map(|s| &s.conditions);
    let found = all.find(|c| c.type_ == type_)?;
    Some((found.status.clone(), found.reason.clone()))
}

#[rstest]
#[case::it_starts(None, false, Some(("False", "WaitForStart")))]
#[case::it_has_started(Some((false, "WaitForStart")), true, Some(("True", "Started")))]
#[case::nothing_changes(Some((true, "Started")), true, None)]
#[case::pods_are_lost(Some((true, "Started")), false, Some(("False", "WaitForRecovery")))]
#[case::they_come_back(Some((false, "WaitForRecovery")), true, Some(("True", "Recovered")))]
#[case::they_are_awaited(Some((false, "WaitForRecovery")), false, None)]
fn kueue_learns_whether_the_gang_is_up(
    #[case] before: Option<(bool, &str)>,
    #[case] is_ready: bool,
    #[case] expected: Option<(&str, &str)>,
) {
    let mut snapshot = granted(3);
    change(&mut snapshot, "demo-0", |workload| {
        let status = workload.status.get_or_insert_default();
        status.conditions.retain(|c| c.type_ != types::PODS_READY);
        let before = before.map(|(holds, reason)| condition(types::PODS_READY, holds, reason, ""));
        status.conditions.extend(before);
    });
    if is_ready {
        give_pods(&mut snapshot, 3, PodBuilder::ready);
        list_pods(&mut snapshot);
    }
    let written = written_conditions(&mut snapshot, types::PODS_READY);
    let expected = expected.map(|(status, reason)| (status.to_owned(), reason.to_owned()));
    assert_eq!(written, expected);
}

fn say_pods_ready(snapshot: &mut Snapshot, before: (bool, &str)) {
    change(snapshot, "demo-0", |workload| {
        let status = workload.status.get_or_insert_default();
        status.conditions.retain(|c| c.type_ != types::PODS_READY);
        let (holds, reason) = before;
        let said = condition(types::PODS_READY, holds, reason, "");
        status.conditions.push(said);
    });
}

/// The clique was scaled below its minimum of 5 pods, and up again. Three of them have quota.
#[rstest]
#[case::those_with_quota_run((true, "Started"), 3, None)]
#[case::one_of_them_is_lost((true, "Started"), 2, Some(("False", "WaitForRecovery")))]
#[case::it_comes_back((false, "WaitForRecovery"), 3, Some(("True", "Recovered")))]
#[case::nothing_has_started((false, "WaitForStart"), 0, None)]
fn a_part_without_quota_for_its_minimum_costs_no_quota(
    #[case] before: (bool, &str),
    #[case] ready: usize,
    #[case] expected: Option<(&str, &str)>,
) {
    let mut snapshot = granted(3);
    request(&mut snapshot, 5);
    give_pods(&mut snapshot, 3, PodBuilder::ready);
    list_pods(&mut snapshot);
    let part = &mut snapshot.parts[0];
    part.min_replicas = 5;
    let clique = part.podclique.clone().unwrap();
    for (slot, index) in part.pods.iter_mut().zip(0..).skip(ready) {
        *slot = pod(&clique, index).ungated().build();
    }
    Arc::make_mut(&mut snapshot.gang).spec.pod_groups[0].min_replicas = 5;
    say_pods_ready(&mut snapshot, before);
    let written = written_conditions(&mut snapshot, types::PODS_READY);
    let expected = expected.map(|(status, reason)| (status.to_owned(), reason.to_owned()));
    assert_eq!(written, expected);
}

/// Another clique of the gang has no quota at all, and so no pods.
#[rstest]
#[case::the_rest_runs(3, None)]
#[case::the_rest_is_down(1, Some(("False", "WaitForRecovery")))]
fn the_rest_of_a_gang_counts_while_a_part_lacks_quota(
    #[case] ready: i32,
    #[case] expected: Option<(&str, &str)>,
) {
    let mut snapshot = granted(3);
    give_pods(&mut snapshot, ready, PodBuilder::ready);
    list_pods(&mut snapshot);
    let frontend = "demo-0-frontend";
    snapshot.parts.push(GangPart {
        name: frontend.to_owned(),
        min_replicas: 2,
        podclique: Some(podclique(frontend).size(2, 2).build()),
        ..GangPart::default()
    });
    let groups = &mut Arc::make_mut(&mut snapshot.gang).spec.pod_groups;
    groups.push(PodGroup {
        name: frontend.to_owned(),
        min_replicas: 2,
        ..PodGroup::default()
    });
    say_pods_ready(&mut snapshot, (true, "Started"));
    let written = written_conditions(&mut snapshot, types::PODS_READY);
    let expected = expected.map(|(status, reason)| (status.to_owned(), reason.to_owned()));
    assert_eq!(written, expected);
}

/// Kueue may delete a Workload that is finished: that is no loss.
#[test]
fn a_workload_is_finished_when_its_job_is_over() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 0);
    give_pods(&mut snapshot, 3, |p| p.ungated().phase("Succeeded"));
    list_pods(&mut snapshot);
    facts(&mut snapshot).end = Some(PodCliqueSetPhase::Succeeded);
    let returned = store_status(&mut snapshot);
    carry_out(&mut snapshot, &returned);
    let workload = facts(&mut snapshot).workloads[0].clone();
    let mut all = workload.status.iter().flat_map(|s| &s.conditions);
    let finished = all.find(|c| c.type_ == types::FINISHED).unwrap();
    assert_eq!(
        (&*finished.status, &*finished.reason),
        ("True", "Succeeded")
    );
    assert!(!is_terminating(&workload.metadata));
    assert!(store_status(&mut snapshot).is_empty(), "once");
    facts(&mut snapshot).workloads.clear();
    assert!(store_status(&mut snapshot).is_empty());
    assert!(state(&snapshot).starts_with("True"), "{}", state(&snapshot));
}

#[test]
fn a_workload_is_not_finished_while_a_pod_runs() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 0);
    give_pods(&mut snapshot, 3, PodBuilder::ready);
    list_pods(&mut snapshot);
    facts(&mut snapshot).end = Some(PodCliqueSetPhase::Failed);
    assert_eq!(written_conditions(&mut snapshot, types::FINISHED), None);
}

/// A replica of a group completes before its job is over.
#[test]
fn a_gang_whose_pods_have_completed_has_no_quota_to_lose() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 0);
    give_pods(&mut snapshot, 3, |p| p.ungated().phase("Succeeded"));
    list_pods(&mut snapshot);
    let returned = store_status(&mut snapshot);
    carry_out(&mut snapshot, &returned);
    evict(&mut snapshot, "demo-0");
    let given_up = store_status(&mut snapshot);
    assert!(state(&snapshot).starts_with("True"), "{}", state(&snapshot));
    assert_eq!(
        words(&given_up),
        ["delete Workload demo-0 at version 1: its pods need no quota any more"]
    );
    carry_out(&mut snapshot, &given_up);
    facts(&mut snapshot).has_base_quota = false;
    assert!(store_status(&mut snapshot).is_empty());
    assert!(state(&snapshot).starts_with("True"), "{}", state(&snapshot));
    facts(&mut snapshot).has_base_quota = true;
    request(&mut snapshot, 1);
    store_status(&mut snapshot);
    assert!(
        state(&snapshot).starts_with("False QuotaEvicted"),
        "it needs quota again: {}",
        state(&snapshot)
    );
}

/// The quota was taken while the last pods ended.
#[test]
fn a_gang_without_quota_whose_pods_have_completed_says_so() {
    let mut snapshot = granted(3);
    give_pods(&mut snapshot, 3, |p| p.ungated().phase("Succeeded"));
    list_pods(&mut snapshot);
    evict(&mut snapshot, "demo-0");
    store_status(&mut snapshot);
    request(&mut snapshot, 0);
    let given_up = store_status(&mut snapshot);
    assert_eq!(
        words(&given_up),
        ["delete Workload demo-0 at version 1: its pods need no quota any more"]
    );
    carry_out(&mut snapshot, &given_up);
    store_status(&mut snapshot);
    assert_eq!(
        state(&snapshot),
        "False WaitingForQuota: gang demo-0 waits in queue team-a: it needs none any more: its pods have \
         completed"
    );
}
