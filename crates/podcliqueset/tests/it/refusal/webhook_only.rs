//! Cases that the webhook refuses and a stored set does not report.

/// Reported in other words: they name objects created with another minimum, which still counts.
pub const OTHER_WORDS: [&str; 3] = [
    "minimum-is-changed",
    "minimum-of-a-group-is-changed",
    "minimum-of-a-group-of-a-job-is-changed",
];

/// Cases by the reason.
pub const WEBHOOK_ONLY: [(&str, &[&str]); 11] = [
    ("nothing is made under these names yet", &CLAIM_NAMES),
    (
        "sets that were stored before there was this limit go on",
        &LIMITS,
    ),
    (
        "the Go operator lets it in, some by an update only, and nothing of the set depends on it",
        &TAKEN_BY_OTHERS,
    ),
    (
        "the old value of a field is not stored, and the new one is acted on",
        &FIXED,
    ),
    ("the same of the parts of a set", &PARTS),
    (
        "an omitted minimum is that of the existing objects, so it is no error",
        &["clique-that-names-its-minimum-no-more-shrinks"],
    ),
    (
        "nothing was made, so the minimum can be lowered where no webhook holds it",
        &["high-minimum-stays-too-high"],
    ),
    (
        "nothing of the set depends on a role, and earlier releases accepted it",
        &["one-role-twice"],
    ),
    (
        "such a request has no effect, and may have been answered long ago",
        &[
            "restart-of-an-attempt-that-is-not-the-stored-one",
            "restart-of-no-replica",
        ],
    ),
    (
        "the definition refuses it; a job of nothing is done",
        &["job-of-no-replicas"],
    ),
    (
        "the definition refuses it; a stored one counts as pack.required",
        &["all-replicas-in-an-old-field"],
    ),
];

const CLAIM_NAMES: [&str; 6] = [
    "long-claim-of-a-clique",
    "long-claim-of-a-group",
    "long-claim-of-a-member",
    "long-claim-of-a-set",
    "long-nvlink-group",
    "sharing-with-a-dot",
];

const LIMITS: [&str; 1] = ["too-many-labels-become-more"];

const TAKEN_BY_OTHERS: [&str; 10] = [
    "constraint-without-a-name",
    "constraint-without-a-name-further-out",
    "group-autoscaler-below-the-replicas",
    "group-autoscaler-in-the-wrong-order",
    "group-autoscaler-is-broken",
    "node",
    "node-is-added",
    "node-is-changed",
    "spread",
    "two-topologies",
];

const FIXED: [&str; 27] = [
    "claim-template-is-added",
    "constraint-is-added",
    "constraint-is-changed",
    "constraint-is-removed",
    "constraint-of-a-clique-is-added",
    "constraint-of-a-group-is-added",
    "group-of-a-job-is-scaled",
    "image-of-a-job-is-changed",
    "job-becomes-inference",
    "job-is-scaled",
    "labels-of-a-job-are-changed",
    "nvlink-group-is-added",
    "nvlink-group-is-removed",
    "nvlink-group-of-a-clique-is-added",
    "nvlink-group-of-a-group-is-added",
    "old-constraint-is-modernized-wrongly",
    "old-constraint-is-renamed",
    "priority-of-a-job-is-changed",
    "role-is-changed",
    "scheduler-is-changed",
    "set-becomes-a-job",
    "sharing-is-added",
    "sharing-of-a-clique-is-added",
    "sharing-of-a-group-is-added",
    "start-is-changed",
    "start-order-is-changed",
    "members-are-changed",
];

const PARTS: [&str; 10] = [
    "clique-is-added",
    "clique-is-removed",
    "clique-is-renamed",
    "cliques-that-start-explicitly-are-reordered",
    "cliques-that-start-in-order-are-reordered",
    "group-is-added",
    "group-is-removed",
    "group-is-renamed",
    "groups-of-a-job-are-reordered",
    "member-is-removed",
];
