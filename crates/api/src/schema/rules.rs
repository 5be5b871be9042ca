//! Validation rules in CEL: what is refused without any webhook, `/scale` included.
//!
//! Messages, reasons and field paths of Grove's rules are part of the contract.

use std::fmt::Display;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, ValidationRule,
};

use super::walk::{at, ends_with, visit};
use crate::duration::PATTERN;
use crate::labels::{MNNVL_GROUP, TOPOLOGY_NAME};

/// A rule and the path of the schema it stands at.
struct Rule {
    at: &'static str,
    expression: String,
    message: &'static str,
    field: Option<&'static str>,
    reason: Option<&'static str>,
    on_create: bool,
}

impl Rule {
    fn new(at: &'static str, message: &'static str, expression: impl Into<String>) -> Self {
        Self {
            at,
            expression: expression.into(),
            message,
            field: None,
            reason: None,
            on_create: false,
        }
    }

    /// The field that the message is about, relative to the rule's place.
    fn field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self
    }

    fn reason(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Runs at creation too, with an `oldSelf` that has no value.
    fn on_create(mut self) -> Self {
        self.on_create = true;
        self
    }

    fn validation(self) -> ValidationRule {
        ValidationRule {
            rule: self.expression,
            message: Some(self.message.into()),
            field_path: self.field.map(Into::into),
            reason: self.reason.map(Into::into),
            optional_old_self: self.on_create.then_some(true),
            message_expression: None,
        }
    }
}

/// Adds the rules of that kind.
pub(super) fn complete(kind: &str, root: &mut JSONSchemaProps) {
    for rule in rules_of(kind) {
        let path = rule.at;
        let validation = rule.validation();
        at(root, path, &|schema| add(schema, [validation.clone()]));
    }
    if kind != "PodCliqueSet" {
        return;
    }
    visit(root, "", &mut |path, schema| {
        if ends_with(path, "topologyConstraint") {
            add(schema, topology_constraint().map(Rule::validation));
        } else if ends_with(path, "topologyConstraint.pack") {
            add(schema, [pack().validation()]);
        }
    });
}

/// The paths that the rules of that kind stand at.
pub(super) fn paths(kind: &str) -> Vec<String> {
    rules_of(kind)
        .into_iter()
        .map(|r| r.at.to_owned())
        .collect()
}

fn rules_of(kind: &str) -> Vec<Rule> {
    match kind {
        "PodCliqueSet" => set_rules(),
        "PodClique" | "PodCliqueScalingGroup" => {
            let mut rules = training_child();
            rules.push(fixed_minimum());
            rules
        }
        _ => Vec::new(),
    }
}

fn add(schema: &mut JSONSchemaProps, rules: impl IntoIterator<Item = ValidationRule>) {
    schema
        .x_kubernetes_validations
        .get_or_insert_default()
        .extend(rules);
}

/// Grove, `TopologyConstraint`.
fn topology_constraint() -> [Rule; 2] {
    [
        Rule::new(
            "",
            "topologyConstraint must specify pack or deprecated packDomain",
            "has(self.pack) || has(self.packDomain)",
        )
        .field(".pack")
        .reason("FieldValueRequired"),
        Rule::new(
            "",
            "must not set both pack.required and deprecated packDomain",
            "!(has(self.packDomain) && has(self.pack) && has(self.pack.required))",
        )
        .field(".pack.required"),
    ]
}

/// Grove, `TopologyPackConstraint`.
fn pack() -> Rule {
    Rule::new(
        "",
        "pack must specify at least one of required or preferred",
        "has(self.required) || has(self.preferred)",
    )
    .reason("FieldValueRequired")
}

fn set_rules() -> Vec<Rule> {
    let mut rules = no_pack_domain();
    rules.extend(workload());
    rules.extend(training_job_is_fixed());
    rules.extend(training_job_is_sound());
    rules.extend(termination_delay());
    rules.extend(reserved_keys());
    rules
}

/// Grove: objects that have `packDomain` may keep it, new ones may not use it.
fn no_pack_domain() -> Vec<Rule> {
    const MESSAGE: &str =
        "packDomain is deprecated and cannot be used on new workloads; use pack.required";
    let forbidden = |field: &'static str, rule: &str| {
        Rule::new("", MESSAGE, rule)
            .field(field)
            .reason("FieldValueForbidden")
            .on_create()
    };
    vec![
        forbidden(
            ".spec.template.topologyConstraint.packDomain",
            "oldSelf.hasValue() || !has(self.spec.template.topologyConstraint) || !has(self.spec.template.topologyConstraint.packDomain)",
        ),
        forbidden(
            ".spec.template.cliques",
            "oldSelf.hasValue() || !has(self.spec.template.cliques) || self.spec.template.cliques.all(c, !has(c.topologyConstraint) || !has(c.topologyConstraint.packDomain))",
        ),
        forbidden(
            ".spec.template.podCliqueScalingGroups",
            "oldSelf.hasValue() || !has(self.spec.template.podCliqueScalingGroups) || self.spec.template.podCliqueScalingGroups.all(g, !has(g.topologyConstraint) || !has(g.topologyConstraint.packDomain))",
        ),
    ]
}

/// Whether the object `spec` in CEL is a training job.
fn training(spec: &str) -> String {
    format!("(has({spec}.workloadType) && {spec}.workloadType == 'Training')")
}

/// Ours (docs/semantics.md §5).
fn workload() -> Vec<Rule> {
    vec![
        Rule::new(
            "spec",
            "workloadType is immutable: delete the PodCliqueSet and create it anew",
            format!("{} == {}", training("self"), training("oldSelf")),
        )
        .field(".workloadType"),
        Rule::new(
            "spec",
            "trainingSpec is allowed only with workloadType: Training",
            format!("!has(self.trainingSpec) || {}", training("self")),
        )
        .field(".trainingSpec")
        .reason("FieldValueForbidden"),
        is_duration("spec.trainingSpec.maxRuntime"),
        Rule::new(
            "spec.trainingSpec.maxRuntime",
            "maxRuntime must be greater than 0: omit maxRuntime for no limit",
            format!("!{} || duration(self) > duration('0s')", parses("self")),
        ),
    ]
}

/// A rule for the spec of a training job.
fn job_rule(field: &'static str, message: &'static str, allowed: impl Display) -> Rule {
    let is_other = format!("!{}", training("self"));
    Rule::new("spec", message, format!("{is_other} || {allowed}")).field(field)
}

/// Ours (seed 002): a training job runs once, as it was written.
fn training_job_is_fixed() -> Vec<Rule> {
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

/// Ours (seed 002): what a training job can be.
fn training_job_is_sound() -> Vec<Rule> {
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

/// The same for what is made of it: `/scale` comes here without a look at the set.
fn training_child() -> Vec<Rule> {
    vec![
        Rule::new(
            "spec",
            "replicas is immutable for Training",
            format!(
                "!{} || self.replicas == oldSelf.replicas",
                training("oldSelf")
            ),
        )
        .field(".replicas"),
        Rule::new(
            "spec",
            "workloadType is immutable",
            format!("{} == {}", training("self"), training("oldSelf")),
        )
        .field(".workloadType"),
    ]
}

/// Ours: keys of the operator in a template would mislead it about what it made.
fn reserved_keys() -> Vec<Rule> {
    const CLIQUE_LABELS: &str = "spec.template.cliques[].labels";
    const CLIQUE_ANNOTATIONS: &str = "spec.template.cliques[].annotations";
    const GROUP_ANNOTATIONS: &str = "spec.template.podCliqueScalingGroups[].annotations";
    const LABELS: &str =
        "labels that begin with grove.io/ are the operator's own: remove or rename them";
    const ANNOTATIONS: &str = "annotations that begin with grove.io/ are the operator's own, but \
         for grove.io/mnnvl-group and grove.io/topology-name: remove or rename them";
    let is_users = "!key.startsWith('grove.io/')";
    let is_known = format!("key in ['{MNNVL_GROUP}', '{TOPOLOGY_NAME}']");
    let annotations = format!("self.all(key, {is_users} || {is_known})");
    let rule = |at, message, allowed| Rule::new(at, message, allowed).reason("FieldValueForbidden");
    vec![
        rule(CLIQUE_LABELS, LABELS, format!("self.all(key, {is_users})")),
        rule(CLIQUE_ANNOTATIONS, ANNOTATIONS, annotations.clone()),
        rule(GROUP_ANNOTATIONS, ANNOTATIONS, annotations),
    ]
}

/// Grove's webhook: a gang's size is fixed. An object without it may be given one.
fn fixed_minimum() -> Rule {
    Rule::new(
        "spec",
        "minAvailable is immutable: create another PodCliqueSet",
        "!has(oldSelf.minAvailable) || (has(self.minAvailable) && self.minAvailable == oldSelf.minAvailable)",
    )
    .field(".minAvailable")
}

/// Ours (docs/semantics.md §3.1).
fn termination_delay() -> Vec<Rule> {
    const SET: &str = "self.template.terminationDelay";
    const GROUPS: &str = "self.template.podCliqueScalingGroups";
    const OF_GROUP: &str = "g.terminationDelay";
    vec![
        is_duration("spec.template.terminationDelay"),
        Rule::new(
            "spec",
            "terminationDelay must be at least 1s: omit terminationDelay to disable gang termination",
            format!("!has({SET}) || {} || {}", training("self"), is_delay(SET)),
        )
        .field(".template.terminationDelay"),
        Rule::new(
            "spec",
            "terminationDelay of Training must be 0s or at least 1s",
            format!(
                "!has({SET}) || !{} || {}",
                training("self"),
                is_delay_or_none(SET)
            ),
        )
        .field(".template.terminationDelay"),
        Rule::new(
            "spec",
            "terminationDelay of a scaling group must be at least 1s: omit it to use that of the template",
            format!(
                "!has({GROUPS}) || {} || {GROUPS}.all(g, !has({OF_GROUP}) || {})",
                training("self"),
                is_delay(OF_GROUP)
            ),
        )
        .field(".template.podCliqueScalingGroups"),
        Rule::new(
            "spec",
            "terminationDelay of a scaling group of Training must be 0s or at least 1s",
            format!(
                "!has({GROUPS}) || !{} || {GROUPS}.all(g, !has({OF_GROUP}) || {})",
                training("self"),
                is_delay_or_none(OF_GROUP)
            ),
        )
        .field(".template.podCliqueScalingGroups"),
        Rule::new(
            "spec",
            "terminationDelay of a scaling group needs terminationDelay of the template: without it gang termination is disabled",
            format!(
                "has({SET}) || {} || !has({GROUPS}) || {GROUPS}.all(g, !has(g.terminationDelay))",
                training("self")
            ),
        )
        .field(".template.podCliqueScalingGroups"),
    ]
}

/// Times are stored in whole seconds: less than one would be no delay. A text that is no duration
/// is refused by another rule.
fn is_delay(text: &str) -> String {
    format!("!{} || duration({text}) >= duration('1s')", parses(text))
}

fn is_delay_or_none(text: &str) -> String {
    format!("{} || duration({text}) == duration('0s')", is_delay(text))
}

fn is_duration(at: &'static str) -> Rule {
    Rule::new(
        at,
        "must be a duration such as 30s, 4h or 1h30m",
        parses("self"),
    )
}

/// `duration()` fails on a text that is none; a rule that says so in words stands beside.
fn parses(text: &str) -> String {
    format!("{text}.matches('{PATTERN}')")
}
