//! Which events the operator may drop.

use api::conditions::Reason;
use api::events::{self, EventReason};

/// Each write that an event reports, and whether its success is routine.
const WRITES: [(&str, &str, bool); 12] = [
    ("create", "Pod", true),
    ("delete", "Pod", true),
    ("create", "PodClique", true),
    ("delete", "PodClique", true),
    ("replace", "PodClique", false),
    ("create", "PodCliqueScalingGroup", true),
    ("replace", "PodCliqueScalingGroup", true),
    ("delete", "PodCliqueScalingGroup", true),
    ("create", "PodGang", true),
    ("delete", "PodGang", true),
    ("create", "ComputeDomain", true),
    ("delete", "ComputeDomain", true),
];

#[test]
fn creations_and_deletions_are_routine_and_updates_and_failures_are_not() {
    for (verb, kind, is_routine) in WRITES {
        let (success, failure) = events::of_writes(verb, kind).unwrap();
        assert_eq!(success.is_routine(), is_routine, "{success}");
        assert!(!failure.is_routine(), "{failure}");
    }
}

#[test]
fn terminations_restarts_ends_and_troubles_are_not_routine() {
    let told = [
        events::GANG_TERMINATION_SCHEDULED,
        events::GANG_TERMINATED,
        events::REPLICA_DELETED,
        events::GROUP_REPLICA_DELETED,
        events::PODCLIQUE_FAILED,
        events::REPLICA_RESTARTING,
        events::TOPOLOGY_IN_SYNC,
        events::TOPOLOGY_DRIFT,
        events::SUSPENDED,
        events::RESUMED,
        events::TTL_EXPIRED,
        events::STATUS_FAILED,
        events::NAME_CONFLICT,
        events::SYNC_FAILED,
    ];
    for reason in told {
        assert!(!reason.is_routine(), "{reason}");
    }
    for reason in <Reason as strum::IntoEnumIterator>::iter() {
        assert!(!EventReason::from(reason).is_routine(), "{reason}");
    }
    assert!(events::READY.is_routine(), "condition Ready says it");
}
