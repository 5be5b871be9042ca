//! MNNVL groups, where the operator makes no ComputeDomains.

use api::PodCliqueSet;

use super::options::Rules;
use crate::clique_paths::mnnvl_groups;
use crate::field::FieldError;

/// The errors of a new set. A stored one runs on without a ComputeDomain, and its status says so.
pub(super) fn check_new(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    if rules.allows_mnnvl {
        return Vec::new();
    }
    let problem = "MNNVL is not enabled in the operator configuration";
    let remedy = "set network.autoMNNVLEnabled, or remove the grove.io/mnnvl-group annotation";
    mnnvl_groups(pcs)
        .map(|(at, group)| at.wrong(group, problem, remedy))
        .collect()
}
