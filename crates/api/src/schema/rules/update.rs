//! Rules for budgets and deadlines of updates.

use super::Rule;

/// Rules of Grove's webhook, except those that need cliques and groups together.
pub(super) fn update_rules() -> Vec<Rule> {
    const CLIQUE: &str = "spec.template.cliques[]";
    const GROUP: &str = "spec.template.podCliqueScalingGroups[]";
    vec![
        no_budget_on_delete(),
        at_least_one("spec.template.cliques[].rollingUpdate"),
        at_least_one("spec.template.podCliqueScalingGroups[].rollingUpdate"),
        within_replicas(CLIQUE, "has(self.spec.replicas) ? self.spec.replicas : 1"),
        within_replicas(GROUP, "has(self.replicas) ? self.replicas : 1"),
    ]
}

fn no_budget_on_delete() -> Rule {
    const GROUPS: &str = "self.template.podCliqueScalingGroups";
    Rule::new(
        "spec",
        "rollingUpdate has no effect with updateStrategy OnDelete: remove it from cliques and groups",
        format!(
            "!has(self.updateStrategy) || self.updateStrategy.type != 'OnDelete' || \
             (self.template.cliques.all(c, !has(c.rollingUpdate)) && \
             (!has({GROUPS}) || {GROUPS}.all(g, !has(g.rollingUpdate))))"
        ),
    )
    .field(".updateStrategy")
    .reason("FieldValueForbidden")
}

/// Without surge no update would begin. The pattern alone checks a deadline: a rule that parses it
/// would cost too much in a list.
fn at_least_one(at: &'static str) -> Rule {
    Rule::new(
        at,
        "maxUnavailable must be at least 1 where maxSurge is 0: set maxSurge, or omit it for the default",
        "!has(self.maxUnavailable) || self.maxUnavailable >= 1 || (self.maxUnavailable == 0 && \
         has(self.maxSurge) && self.maxSurge >= 1)",
    )
    .field(".maxUnavailable")
}

fn within_replicas(at: &'static str, replicas: &str) -> Rule {
    Rule::new(
        at,
        "maxUnavailable must not be greater than replicas: lower maxUnavailable or raise replicas",
        format!(
            "!has(self.rollingUpdate) || !has(self.rollingUpdate.maxUnavailable) || \
             ({replicas}) == 0 || self.rollingUpdate.maxUnavailable <= ({replicas})"
        ),
    )
    .field(".rollingUpdate")
}
