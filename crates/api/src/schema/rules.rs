//! Validation rules in CEL: they apply without a webhook, also to `/scale`.
//!
//! Messages, reasons and field paths of Grove's rules are part of the contract.

mod delay;
mod start_order;
mod topology;
mod training;
mod update;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    JSONSchemaProps, ValidationRule,
};

use self::delay::{is_duration, parses};
use self::training::is_training;
use super::walk::{at, ends_with, visit};
use crate::labels::{MNNVL_GROUP, TOPOLOGY_NAME};

/// A rule and the path of its schema.
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

    /// The field that the message is about, relative to the rule's schema.
    fn field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self
    }

    fn reason(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Applies at creation too, with an `oldSelf` that has no value.
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
        at(root, path, &|schema| {
            add_rules(schema, [validation.clone()]);
        });
    }
    if kind != "PodCliqueSet" {
        return;
    }
    visit(root, "", &mut |path, schema| {
        let is_new = ends_with(path, "allReplicasTopologyConstraint");
        let is_new_pack = ends_with(path, "allReplicasTopologyConstraint.pack");
        if is_new || ends_with(path, "topologyConstraint") {
            add_rules(schema, topology::constraint_rules().map(Rule::validation));
        } else if is_new_pack || ends_with(path, "topologyConstraint.pack") {
            add_rules(schema, [topology::pack_rule().validation()]);
        }
        if is_new {
            add_rules(schema, [topology::no_pack_domain_rule().validation()]);
        }
    });
}

/// The paths of the rules of that kind.
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
            let mut rules = training::child_rules();
            rules.push(minimum_rule());
            rules
        }
        _ => Vec::new(),
    }
}

fn add_rules(schema: &mut JSONSchemaProps, rules: impl IntoIterator<Item = ValidationRule>) {
    schema
        .x_kubernetes_validations
        .get_or_insert_default()
        .extend(rules);
}

fn set_rules() -> Vec<Rule> {
    let mut rules = topology::pack_domain_rules();
    rules.extend(workload_rules());
    rules.extend(training::fixed_rules());
    rules.extend(training::soundness_rules());
    rules.extend(delay::termination_rules());
    rules.extend(update::update_rules());
    rules.extend(key_rules());
    rules.push(start_order::rule());
    rules
}

/// Ours (docs/semantics.md §5).
fn workload_rules() -> Vec<Rule> {
    vec![
        Rule::new(
            "spec",
            "workloadType is immutable: delete the PodCliqueSet and create it again",
            format!("{} == {}", is_training("self"), is_training("oldSelf")),
        )
        .field(".workloadType"),
        Rule::new(
            "spec",
            "trainingSpec is allowed only with workloadType: Training",
            format!("!has(self.trainingSpec) || {}", is_training("self")),
        )
        .field(".trainingSpec")
        .reason("FieldValueForbidden"),
        is_duration("spec.trainingSpec.maxRuntime"),
        Rule::new(
            "spec.trainingSpec.maxRuntime",
            "maxRuntime must be greater than 0: omit maxRuntime for no limit",
            format!("!{} || duration(self) > duration('0s')", parses("self")),
        ),
        is_duration("spec.trainingSpec.ttlAfterFinished"),
        Rule::new(
            "spec.trainingSpec.ttlAfterFinished",
            "ttlAfterFinished must not be negative: omit ttlAfterFinished to keep the job",
            format!("!{} || duration(self) >= duration('0s')", parses("self")),
        ),
    ]
}

/// Ours: a template with keys of the operator would mislead it about the objects that it created.
fn key_rules() -> Vec<Rule> {
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

/// Grove's webhook: the size of a gang is fixed. An object without the field may get one.
fn minimum_rule() -> Rule {
    Rule::new(
        "spec",
        "minAvailable is immutable: create another PodCliqueSet",
        "!has(oldSelf.minAvailable) || (has(self.minAvailable) && self.minAvailable == oldSelf.minAvailable)",
    )
    .field(".minAvailable")
}
