//! Grove's rules about placement.

use super::Rule;

/// Grove, `TopologyConstraint`.
pub(super) fn constraint_rules() -> [Rule; 2] {
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
pub(super) fn pack_rule() -> Rule {
    Rule::new(
        "",
        "pack must specify at least one of required or preferred",
        "has(self.required) || has(self.preferred)",
    )
    .reason("FieldValueRequired")
}

/// A field that Grove does not have was never used with `packDomain`.
pub(super) fn no_pack_domain_rule() -> Rule {
    Rule::new(
        "",
        "packDomain is deprecated and cannot be used here; use pack.required",
        "!has(self.packDomain)",
    )
    .field(".packDomain")
    .reason("FieldValueForbidden")
}

/// Grove: an object that has `packDomain` may keep it, a new one may not use it.
pub(super) fn pack_domain_rules() -> Vec<Rule> {
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
