//! Quota that is lost, and its return.

use rstest::rstest;

use super::*;

/// A gang with three running pods that lost its quota, as stored.
fn evicted() -> Snapshot {
    let mut snapshot = granted(3);
    give_pods(&mut snapshot, 3, PodBuilder::ready);
    list_pods(&mut snapshot);
    evict(&mut snapshot, "demo-0");
    let first = plan(&snapshot);
    assert!(first.waves.concat().is_empty(), "stored first");
    assert_eq!(first.events.len(), 1);
    Arc::make_mut(&mut snapshot.gang).status = first.status;
    snapshot
}

#[test]
fn the_loss_is_stored_and_nothing_is_returned_while_pods_run() {
    let snapshot = evicted();
    assert_eq!(
        state(&snapshot),
        "False QuotaEvicted: gang demo-0 lost its quota: Preempted: for a higher priority"
    );
    assert_eq!(
        (quota::round(&snapshot.gang), grants(&snapshot).len()),
        (1, 0)
    );
    assert!(plan(&snapshot).waves.concat().is_empty());
    assert!(plan(&snapshot).events.is_empty(), "told once");
}

/// A gate of an earlier pod may be on its way.
#[test]
fn a_gated_pod_of_an_earlier_round_holds_the_quota() {
    let mut snapshot = evicted();
    let clique = snapshot.parts[0].podclique.clone().unwrap();
    facts(&mut snapshot).pods = vec![pod(&clique, 0).build()];
    Arc::make_mut(&mut snapshot.gang).spec.pod_groups[0].pod_references = vec![];
    assert!(plan(&snapshot).waves.concat().is_empty());
}

#[test]
fn quota_is_returned_once_all_pods_have_ended() {
    let mut snapshot = evicted();
    Arc::make_mut(&mut snapshot.gang).spec.pod_groups[0].pod_references = vec![];
    give_pods(&mut snapshot, 3, |p| p);
    let returned = plan(&snapshot).waves.concat();
    assert_eq!(words(&returned), ["status Workload demo-0"]);
    let workload = returned[0].written::<KueueWorkload>().unwrap();
    let status = workload.status.as_ref().unwrap();
    assert_eq!(status.admission, None);
    let told: Vec<String> = status
        .conditions
        .iter()
        .map(|c| format!("{} {} {}", c.type_, c.status, c.reason))
        .collect();
    assert_eq!(
        told,
        [
            "QuotaReserved False Pending",
            "Admitted False NoReservation",
            "PodsReady False WaitForStart",
            "Evicted True Preempted",
            "Requeued True Preempted"
        ]
    );
    carry_out(&mut snapshot, &returned);
    assert!(
        store_status(&mut snapshot).is_empty(),
        "it waits in its queue"
    );
    admit(&mut snapshot, "demo-0", 3);
    store_status(&mut snapshot);
    assert_eq!(grants(&snapshot), ["demo-0 3"]);
    assert_eq!(quota::round(&snapshot.gang), 1);
}

#[test]
fn pods_that_were_given_back_count_again_after_an_eviction() {
    let mut snapshot = granted(3);
    request(&mut snapshot, 2);
    give_pods(&mut snapshot, 2, |p| p);
    let reduced = store_status(&mut snapshot);
    carry_out(&mut snapshot, &reduced);
    evict(&mut snapshot, "demo-0");
    assert!(store_status(&mut snapshot).is_empty(), "pods of before");
    give_pods(&mut snapshot, 2, |p| p);
    let returned = store_status(&mut snapshot);
    assert_eq!(words(&returned), ["status Workload demo-0"]);
    let workload = returned[0].written::<KueueWorkload>().unwrap();
    let status = workload.status.clone().unwrap();
    assert!(status.reclaimable_pods.is_empty());
    carry_out(&mut snapshot, &returned);
    assert_eq!(
        words(&store_status(&mut snapshot)),
        ["replace Workload demo-0"]
    );
}

/// A pod on a lost node never confirms its end.
#[test]
fn a_pod_that_hangs_holds_the_quota_until_it_is_replaced() {
    let mut snapshot = evicted();
    Arc::make_mut(&mut snapshot.gang).spec.pod_groups[0].pod_references = vec![];
    let clique = snapshot.parts[0].podclique.clone().unwrap();
    let hanging = pod(&clique, 0).ready().terminating(1).build();
    facts(&mut snapshot).pods = vec![hanging.clone()];
    assert!(plan(&snapshot).waves.concat().is_empty());
    give_pods(&mut snapshot, 3, |p| p);
    facts(&mut snapshot).pods.push(hanging);
    assert_eq!(
        words(&plan(&snapshot).waves.concat()),
        ["status Workload demo-0"]
    );
}

#[rstest]
#[case::deleted(|s: &mut Snapshot| facts(s).workloads.clear(), "Workload demo-0 was deleted")]
#[case::with_its_base(|s: &mut Snapshot| facts(s).has_base_quota = false, "its base gang has none")]
fn other_losses(#[case] lose: fn(&mut Snapshot), #[case] why: &str) {
    let mut snapshot = granted(3);
    lose(&mut snapshot);
    store_status(&mut snapshot);
    assert_eq!(
        state(&snapshot),
        format!("False QuotaEvicted: gang demo-0 lost its quota: {why}")
    );
}

/// A suspension takes nothing away.
#[rstest]
#[case::evicted(|s: &mut Snapshot| evict(s, "demo-0"), &["QuotaEvicted"])]
#[case::deleted(|s: &mut Snapshot| facts(s).workloads.clear(), &["QuotaEvicted"])]
#[case::with_its_base(|s: &mut Snapshot| facts(s).has_base_quota = false, &["QuotaEvicted"])]
#[case::suspended(|s: &mut Snapshot| s.is_suspended = true, &[])]
#[case::suspended_and_evicted(
    |s: &mut Snapshot| {
        s.is_suspended = true;
        evict(s, "demo-0");
    },
    &[]
)]
#[case::kept(|_: &mut Snapshot| (), &[])]
fn only_quota_that_was_taken_away_is_warned_of(
    #[case] lose: fn(&mut Snapshot),
    #[case] expected: &[&str],
) {
    let mut snapshot = granted(3);
    lose(&mut snapshot);
    let events = plan(&snapshot).events;
    let reasons: Vec<String> = events.iter().map(|e| e.reason.to_string()).collect();
    assert_eq!(reasons, expected);
}

#[test]
fn a_suspended_gang_gives_its_quota_back() {
    let mut snapshot = granted(3);
    snapshot.is_suspended = true;
    store_status(&mut snapshot);
    assert_eq!(
        state(&snapshot),
        "False WaitingForQuota: gang demo-0 gives its quota back: its set is suspended"
    );
    assert_eq!(quota::round(&snapshot.gang), 1);
}

/// The cache may not show a Workload that exists.
#[rstest]
#[case::outdated(|f: &mut QueueingFacts| f.is_outdated = true)]
#[case::not_served(|f: &mut QueueingFacts| f.is_served = false)]
fn an_unknown_state_is_no_loss(#[case] adapt: fn(&mut QueueingFacts)) {
    let mut snapshot = granted(3);
    facts(&mut snapshot).workloads.clear();
    adapt(facts(&mut snapshot));
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(grants(&snapshot), ["demo-0 3"]);
}

/// Its quota goes with the PodGang, and nothing but the round ends its pods.
#[test]
fn pods_of_a_podgang_that_somebody_deleted_end_first() {
    let mut snapshot = queued(Some(3));
    give_pods(&mut snapshot, 3, PodBuilder::ready);
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(
        state(&snapshot),
        "False QuotaEvicted: gang demo-0 waits in queue team-a: its pods run without quota, and end first"
    );
    assert_eq!(quota::round(&snapshot.gang), 1);
    assert!(store_status(&mut snapshot).is_empty(), "pods are left");
    assert_eq!(quota::round(&snapshot.gang), 1, "once");
    give_pods(&mut snapshot, 3, |p| p);
    assert_eq!(
        words(&store_status(&mut snapshot)),
        ["create Workload demo-0"]
    );
}

/// The cache may show pods that have ended.
#[test]
fn an_unknown_state_begins_no_round() {
    let mut snapshot = queued(Some(3));
    give_pods(&mut snapshot, 3, PodBuilder::ready);
    facts(&mut snapshot).is_outdated = true;
    assert!(store_status(&mut snapshot).is_empty());
    assert_eq!(quota::round(&snapshot.gang), 0);
}

#[test]
fn a_gang_of_a_suspended_set_gives_its_workload_up_once_its_pods_are_gone() {
    let mut snapshot = granted(3);
    give_pods(&mut snapshot, 1, PodBuilder::ready);
    snapshot.is_suspended = true;
    assert!(store_status(&mut snapshot).is_empty());
    facts(&mut snapshot).pods.clear();
    let given_up = plan(&snapshot).waves.concat();
    assert_eq!(
        words(&given_up),
        ["delete Workload demo-0 at version 1: its pods need no quota any more"]
    );
}

/// Somebody else's decision is kept.
#[test]
fn a_deactivated_workload_stays_and_says_so() {
    let mut snapshot = granted(3);
    change(&mut snapshot, "demo-0", |w| w.spec.active = Some(false));
    evict(&mut snapshot, "demo-0");
    facts(&mut snapshot).pods.clear();
    let returned = store_status(&mut snapshot);
    assert_eq!(words(&returned), ["status Workload demo-0"]);
    carry_out(&mut snapshot, &returned);
    assert!(store_status(&mut snapshot).is_empty());
    assert!(
        state(&snapshot).contains("it was deactivated"),
        "{}",
        state(&snapshot)
    );
    request(&mut snapshot, 2);
    assert!(
        store_status(&mut snapshot).is_empty(),
        "it is not made active"
    );
    snapshot.is_suspended = true;
    assert!(store_status(&mut snapshot).is_empty(), "it stays");
}
