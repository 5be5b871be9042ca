//! Names of shared resource claims: `<owner>-all-<name>` and `<owner>-<index>-<name>`. Pods list a
//! claim under its name, which must be a DNS label there. And of each ComputeDomain:
//! `<set>-<index>-<group>`.
//!
//! A stored set with such names is still acted on: the API server refuses its claims, and the driver
//! cannot serve its ComputeDomains.

use api::limits::MAX_REPLICAS;
use api::resources::{ResourceSharing, ResourceSharingScope};
use api::{PodCliqueSet, names};

use super::names::set_length;
use crate::clique_paths::{cliques, group_of, mnnvl_groups, scaling_groups, template};
use crate::field::{FieldError, Path};
use crate::syntax;

/// The last index, which `/scale` may reach.
const LAST: i32 = MAX_REPLICAS - 1;

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let set = "s".repeat(set_length(pcs));
    let own = pcs.spec.template.resource_sharing.iter();
    let mut errors = check_list(&template(), own.map(|entry| &entry.sharing), &set);
    errors.extend(domains(pcs));
    for (at, group) in scaling_groups(pcs) {
        let owner = names::scaling_group(&set, LAST, &group.name);
        let entries = group.resource_sharing.iter().map(|entry| &entry.sharing);
        errors.extend(check_list(&at, entries, &owner));
    }
    for (at, clique) in cliques(pcs) {
        let owner = match group_of(pcs, &clique.name) {
            Some(group) => {
                let group = names::scaling_group(&set, LAST, &group.name);
                names::grouped_clique(&group, LAST, &clique.name)
            }
            None => names::standalone_clique(&set, LAST, &clique.name),
        };
        errors.extend(check_list(&at, clique.resource_sharing.iter(), &owner));
    }
    errors
}

/// Of the set, its cliques and its groups.
fn domains(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let set = set_length(pcs);
    mnnvl_groups(pcs)
        .filter_map(|(at, group)| {
            let longest = names::compute_domain("", LAST, group)
                .len()
                .saturating_add(set);
            let over = longest.saturating_sub(syntax::LONGEST_LABEL);
            let problem =
                format!("with the name of the set it makes names of {longest} characters");
            let remedy = format!("shorten one by {over}");
            (over > 0).then(|| at.wrong(group, problem, remedy))
        })
        .collect()
}

fn check_list<'a>(
    at: &Path,
    entries: impl Iterator<Item = &'a ResourceSharing>,
    owner: &str,
) -> Vec<FieldError> {
    let list = at.field("resourceSharing");
    entries
        .enumerate()
        .filter(|(_, entry)| !entry.name.is_empty())
        .filter_map(|(i, entry)| check_entry(&list.index(i).field("name"), entry, owner))
        .collect()
}

fn check_entry(at: &Path, entry: &ResourceSharing, owner: &str) -> Option<FieldError> {
    let name = &entry.name;
    if !syntax::is_dns_label(name) {
        let words = syntax::DNS_LABEL;
        let problem = format!("must be a DNS label ({words}), because claims are named after it");
        return Some(at.wrong(name, problem, "rename the claim template"));
    }
    let claim = match entry.scope {
        ResourceSharingScope::AllReplicas => names::shared_claim(owner, name),
        ResourceSharingScope::PerReplica => names::replica_claim(owner, LAST, name),
    };
    let over = claim.len().saturating_sub(syntax::LONGEST_LABEL);
    let problem = format!(
        "makes names of claims with up to {} characters, and pods have room for {}",
        claim.len(),
        syntax::LONGEST_LABEL
    );
    let remedy = format!("shorten it, or the names that it is put behind, by {over}");
    (over > 0).then(|| at.wrong(name, problem, remedy))
}
