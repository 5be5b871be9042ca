//! Where our definitions differ from Grove's on purpose.

use super::facts::Key;

/// A difference on purpose.
pub(super) struct Exception {
    kind: &'static str,
    /// A path; with `*` at the end every path that begins so, at the beginning every path that
    /// ends so.
    path: &'static str,
    /// A keyword; with `*` at the end every keyword that begins so.
    aspect: &'static str,
    /// Why.
    pub(super) reason: &'static str,
}

const NARROW: &str = "wide output only: plain output fits 120 columns with the cause";
const FOR_TRAINING: &str =
    "ours, for training jobs and gang termination (design, precedence 2 and 6)";
const FIXED_SIZE: &str =
    "ours: /scale of a part of a training job comes here without a look at the set (seed 002)";
const BOUNDED: &str = "ours: no stored number or list makes work without end";
const OMITTED: &str = "one pod where it is omitted, as in newer Grove, where 0 is idle";
const STARTED: &str = "an update without its start cannot be resumed; Grove always writes it";

const NO_CONFLICT: &str =
    "ours: a default inside of what one writer owns as a whole is a conflict for the next";

const EXCEPTIONS: &[Exception] = &[
    exception(
        "PodCliqueSet",
        "spec.template.podCliqueScalingGroups",
        "x-kubernetes-list-*",
        NO_CONFLICT,
    ),
    exception("*", "*Ref.name", "default", NO_CONFLICT),
    exception("*", "*configMap.name", "default", NO_CONFLICT),
    exception("*", "*secret.name", "default", NO_CONFLICT),
    exception("*", "*fileKeyRef.optional", "default", NO_CONFLICT),
    exception("*", "*tolerations[].operator", "default", NO_CONFLICT),
    exception("PodClique", "column MinAvail", "priority", NARROW),
    exception("PodClique", "column Updated", "priority", NARROW),
    exception(
        "PodCliqueScalingGroup",
        "column MinAvail",
        "priority",
        NARROW,
    ),
    exception(
        "PodCliqueScalingGroup",
        "column Updated",
        "priority",
        NARROW,
    ),
    exception("PodCliqueSet", "column Updated", "priority", NARROW),
    exception("PodCliqueSet", "column PCLQs-*", "priority", NARROW),
    exception("PodCliqueSet", "column PCSGs-*", "priority", NARROW),
    exception(
        "PodCliqueScalingGroup",
        "column PCLQs-*",
        "priority",
        NARROW,
    ),
    exception(
        "*",
        "*podSpec.workloadRef",
        "",
        "an alpha field of Kubernetes 1.35 that later versions replaced by schedulingGroup",
    ),
    exception("PodCliqueSet", "spec", "rule *", FOR_TRAINING),
    exception("PodClique", "spec", "rule *", FIXED_SIZE),
    exception("PodCliqueScalingGroup", "spec", "rule *", FIXED_SIZE),
    exception(
        "PodCliqueSet",
        "spec.template.terminationDelay",
        "*",
        FOR_TRAINING,
    ),
    exception(
        "PodCliqueSet",
        "spec.template.cliques[].spec.replicas",
        "*",
        OMITTED,
    ),
    exception("PodClique", "spec.replicas", "*", OMITTED),
    exception("*", "*.updateStartedAt", "required", STARTED),
    exception("*", "spec*", "maximum", BOUNDED),
    exception("*", "spec*", "maxItems", BOUNDED),
    exception(
        "PodCliqueSet",
        "spec.template.cliques*",
        "maxLength",
        BOUNDED,
    ),
    exception(
        "PodCliqueSet",
        "spec.template",
        "rule *",
        "ours: Grove's webhook refuses it (startsAfter)",
    ),
];

const fn exception(
    kind: &'static str,
    path: &'static str,
    aspect: &'static str,
    reason: &'static str,
) -> Exception {
    Exception {
        kind,
        path,
        aspect,
        reason,
    }
}

/// The exception for that difference, if there is one.
pub(super) fn find(kind: &str, key: &Key) -> Option<&'static Exception> {
    EXCEPTIONS.iter().find(|e| {
        matches(e.kind, kind) && matches(e.path, &key.path) && matches(e.aspect, &key.aspect)
    })
}

fn matches(pattern: &str, text: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => text.ends_with(end),
        (None, Some(start)) => text.starts_with(start),
        (None, None) => text == pattern,
    }
}
