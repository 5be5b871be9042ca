//! Rules for training jobs (docs/semantics.md §5).

use std::fmt::Display;

use super::Rule;

/// Whether the object `spec` in CEL is a training job.
pub(super) fn is_training(spec: &str) -> String {
    format!("(has({spec}.workloadType) && {spec}.workloadType == 'Training')")
}

/// A rule for the spec of a training job.
fn job_rule(field: &'static str, message: &'static str, allowed: impl Display) -> Rule {
    let is_other = format!("!{}", is_training("self"));
    Rule::new("spec", message, format!("{is_other} || {allowed}")).field(field)
}

/// Ours (seed 002): a training job runs once and cannot be changed.
pub(super) fn fixed_rules() -> Vec<Rule> {
    const CLIQUES: &str = "self.template.cliques";
    const GROUPS: &str = "self.template.podCliqueScalingGroups";
    let groups = |of: &str, what: &str| format!("(has({of}) ? {of}.map(g, {what}) : [])");
    let old = GROUPS.replace("self", "oldSelf");
    let same = |what: &str| format!("{} == {}", groups(GROUPS, what), groups(&old, what));
    let priority = |of: &str| {
        let class = format!("{of}.template.priorityClassName");
        format!("(has({class}) ? {class} : '')")
    };
    vec![
        job_rule(
            ".replicas",
            "replicas is immutable for Training",
            "self.replicas == oldSelf.replicas",
        ),
        job_rule(
            ".template.cliques",
            "template.cliques is immutable for Training: pod template, labels, replicas, minAvailable",
            format!("{CLIQUES} == oldSelf.template.cliques"),
        ),
        job_rule(
            ".template.priorityClassName",
            "priorityClassName is immutable for Training: it is part of every pod",
            format!("{} == {}", priority("self"), priority("oldSelf")),
        ),
        job_rule(
            ".template.podCliqueScalingGroups",
            "names of scaling groups and their order are immutable for Training",
            same("g.name"),
        ),
        job_rule(
            ".template.podCliqueScalingGroups",
            "cliqueNames of a scaling group is immutable for Training",
            same("g.cliqueNames"),
        ),
        job_rule(
            ".template.podCliqueScalingGroups",
            "minAvailable of a scaling group is immutable for Training",
            same("has(g.minAvailable) ? g.minAvailable : 1"),
        ),
        job_rule(
            ".template.podCliqueScalingGroups",
            "replicas of a scaling group is immutable for Training",
            same("has(g.replicas) ? g.replicas : 1"),
        ),
    ]
}

/// Ours (seed 002): requirements of a training job.
pub(super) fn soundness_rules() -> Vec<Rule> {
    const CLIQUES: &str = "self.template.cliques";
    const GROUPS: &str = "self.template.podCliqueScalingGroups";
    vec![
        job_rule(
            ".replicas",
            "replicas must be greater than 0 for Training: it cannot be changed later",
            "self.replicas > 0",
        ),
        job_rule(
            ".template.podCliqueScalingGroups",
            "replicas of a scaling group must be greater than 0 for Training",
            format!("!has({GROUPS}) || {GROUPS}.all(g, !has(g.replicas) || g.replicas > 0)"),
        ),
        job_rule(
            ".template.podCliqueScalingGroups",
            "scaleConfig is not allowed for Training: a training job has a fixed size",
            format!("!has({GROUPS}) || {GROUPS}.all(g, !has(g.scaleConfig))"),
        ),
        job_rule(
            ".template.cliques",
            "replicas of a clique must be greater than 0 for Training",
            format!("{CLIQUES}.all(c, !has(c.spec.replicas) || c.spec.replicas > 0)"),
        ),
        job_rule(
            ".template.cliques",
            "autoScalingConfig is not allowed for Training: a training job has a fixed size",
            format!("{CLIQUES}.all(c, !has(c.spec.autoScalingConfig))"),
        ),
        job_rule(
            ".template.cliques",
            "podSpec.restartPolicy must be Never or OnFailure for Training: the operator counts restarts",
            format!(
                "{CLIQUES}.all(c, !has(c.spec.podSpec.restartPolicy) || c.spec.podSpec.restartPolicy != 'Always')"
            ),
        ),
    ]
}

/// The same for the children of a set: `/scale` of a child is validated without the set.
pub(super) fn child_rules() -> Vec<Rule> {
    vec![
        Rule::new(
            "spec",
            "replicas is immutable for Training",
            format!(
                "!{} || self.replicas == oldSelf.replicas",
                is_training("oldSelf")
            ),
        )
        .field(".replicas"),
        Rule::new(
            "spec",
            "workloadType is immutable",
            format!("{} == {}", is_training("self"), is_training("oldSelf")),
        )
        .field(".workloadType"),
    ]
}
