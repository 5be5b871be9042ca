//! Differences from Grove's definitions on purpose.

/// A difference on purpose.
pub struct Exception {
    /// A kind, or `*`.
    pub kind: &'static str,
    /// A path of [`super::facts::Facts`]; with `*` at one end, all paths with that beginning or end.
    pub path: &'static str,
    /// The reason.
    pub reason: &'static str,
}

const NARROW: &str = "wide output only: plain output fits 120 columns with the cause";
const OMITTED: &str =
    "an omitted value means one pod, as in newer Grove, where 0 means scaled to zero";
const NO_CONFLICT: &str = "a default inside a field that one writer owns as a whole makes the next \
     writer's apply a conflict";

/// All of them.
pub const EXCEPTIONS: &[Exception] = &[
    exception("*", "*Ref.name", NO_CONFLICT),
    exception("*", "*configMap.name", NO_CONFLICT),
    exception("*", "*secret.name", NO_CONFLICT),
    exception("*", "*fileKeyRef.optional", NO_CONFLICT),
    exception("*", "*tolerations[].operator", NO_CONFLICT),
    exception("*", "(column MinAvail)", NARROW),
    exception("*", "(column Updated)", NARROW),
    exception("*", "(column PCLQs-*", NARROW),
    exception("PodCliqueSet", "(column PCSGs-*", NARROW),
    exception(
        "PodClique",
        "spec.podSpec.workloadRef",
        "an alpha field of Kubernetes 1.35 that later versions replaced by schedulingGroup",
    ),
    exception(
        "PodCliqueSet",
        "spec.template.cliques[].spec.replicas",
        OMITTED,
    ),
    exception("PodClique", "spec.replicas", OMITTED),
    exception(
        "PodCliqueSet",
        "spec.updateStrategy.type",
        "Coherent came with alpha.14; the recorded definitions are older",
    ),
    exception(
        "*",
        "*.updateStartedAt",
        "an update without its start cannot be resumed; Grove always writes it",
    ),
];

const fn exception(kind: &'static str, path: &'static str, reason: &'static str) -> Exception {
    Exception { kind, path, reason }
}

impl Exception {
    /// Whether it covers that path of that kind.
    pub fn covers(&self, kind: &str, path: &str) -> bool {
        matches(self.kind, kind) && matches(self.path, path)
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => text.ends_with(end),
        (None, Some(start)) => text.starts_with(start),
        (None, None) => text == pattern,
    }
}
