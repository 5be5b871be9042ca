//! Rules for `startsAfter`. The operator finds unknown names and cycles: comparing all names with
//! each other exceeds the cost limit of a rule.

use super::Rule;

/// Ours (docs/semantics.md §8.6).
pub(super) fn rule() -> Rule {
    Rule::new(
        "spec.template",
        "a clique cannot start after itself: remove its own name from startsAfter",
        "!has(self.cliqueStartupType) || self.cliqueStartupType != 'CliqueStartupTypeExplicit' || \
         self.cliques.all(c, !has(c.spec.startsAfter) || !(c.name in c.spec.startsAfter))",
    )
    .field(".cliques")
}
