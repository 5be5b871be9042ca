//! The rules of a set by itself, in the order of their errors.

use api::PodCliqueSet;

use super::options::Rules;
use super::{
    autoscaling, claim_conflicts, claim_names, claim_namespaces, claim_users, claims, cliques,
    coherent, collisions, metadata, metrics, names, nvlink, pods, queue, restart_request,
    rolling_update, scaling_groups, start_order, termination, topology, training,
};
use crate::error_limit::bound_errors;
use crate::field::FieldError;
use crate::oversize;

/// All errors of a new set with its defaults applied ([`crate::defaults::apply`]). Of very many
/// errors the first are listed, with the number of the others.
pub fn validate(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    bound_errors(all_errors(pcs, rules))
}

/// The same, however many there are.
fn all_errors(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let over = oversize::errors_of_sent(pcs);
    if !over.is_empty() {
        return over;
    }
    let mut errors = broken_rules(pcs, rules);
    errors.extend(topology::check_new(pcs, rules));
    errors.extend(claim_namespaces::check_new(pcs, rules));
    errors.extend(claim_users::check_new(pcs, rules));
    errors.extend(nvlink::check_new(pcs, rules));
    errors
}

/// The errors of a set that is sent and within its limits, in any cluster.
pub(super) fn broken_rules(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    [
        within_limits(pcs, rules),
        names::equal_roles(pcs),
        metadata::of_operator(pcs),
        Vec::from_iter(restart_request::check(pcs)),
        autoscaling::limits_of_groups(pcs),
        metrics::check(pcs),
        training::restarts_of_containers(pcs),
        claim_names::check(pcs),
        claim_users::check(pcs),
        claim_conflicts::check(pcs),
        topology::check(pcs),
        pods::placed_by_themselves(pcs),
        queue::check(pcs, rules),
    ]
    .concat()
}

/// The errors that stop the operator from acting on a stored set within its limits: no rule here
/// reads beyond them. Errors that another implementation accepted and no rule depends on, and bad
/// practice, do not count: they would stop a set that works.
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
        coherent::check(pcs),
        termination::check(pcs),
        training::check(pcs),
        claims::check(pcs),
    ];
    each.into_iter().flatten().collect()
}

/// The errors of `terminationDelay`, of the set or of its groups; part of [`validate`].
pub fn invalid_delays(pcs: &PodCliqueSet) -> Vec<FieldError> {
    termination::check(pcs)
}
