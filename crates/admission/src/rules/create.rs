//! What is wrong with a set by itself: all rules in the order in which they are told.

use api::PodCliqueSet;

use super::options::Rules;
use super::{
    autoscaling, claim_names, claims, cliques, collisions, metadata, names, pods, rolling_update,
    scaling_groups, start_order, termination, topology, training,
};
use crate::bounded::bound_errors;
use crate::field::FieldError;
use crate::oversize;

/// Everything that is wrong with a new set that has its defaults applied
/// ([`crate::defaults::apply`]); empty if nothing is. Of very many errors the first are told, and how many
/// more there are.
pub fn validate(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    bound_errors(all_errors(pcs, rules))
}

/// The same, however many there are.
fn all_errors(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let over = oversize::errors_of_sent(pcs);
    if over.is_empty() {
        broken_rules(pcs, rules)
    } else {
        over
    }
}

/// What is wrong with a set that is sent, and within its limits.
pub(super) fn broken_rules(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    [
        within_limits(pcs, rules),
        metadata::of_operator(pcs),
        autoscaling::limits_of_groups(pcs),
        training::restarts_of_containers(pcs),
        claim_names::check(pcs),
        topology::check(pcs),
        pods::placed_by_themselves(pcs),
    ]
    .concat()
}

/// What keeps a stored set, within those limits that it is acted on, from being acted on: nothing here
/// walks further than they allow. Not what another implementation took and nothing here reads, or
/// what is only unwise: such a set would stand still for it.
pub(crate) fn within_limits(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let each = [
        names::check(pcs),
        collisions::check(pcs),
        metadata::check(pcs),
        cliques::check(pcs),
        start_order::check(pcs),
        pods::check(pcs, rules),
        scaling_groups::check(pcs),
        autoscaling::check(pcs),
        rolling_update::check(pcs),
        termination::check(pcs),
        training::check(pcs),
        claims::check(pcs),
    ];
    each.into_iter().flatten().collect()
}

/// What is wrong with `terminationDelay`, of the set or of its groups; part of [`validate`].
pub fn invalid_delays(pcs: &PodCliqueSet) -> Vec<FieldError> {
    termination::check(pcs)
}
