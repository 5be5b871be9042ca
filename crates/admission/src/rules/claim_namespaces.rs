//! Claims from ResourceClaimTemplates of other namespaces.

use api::PodCliqueSet;
use api::resources::ResourceSharing;
use domain::sharing::TemplatesOfOtherNamespaces;

use super::options::Rules;
use crate::clique_paths::sharing_lists;
use crate::field::{FieldError, Path};

/// Entries of a new set that name templates of other namespaces, if these are not read. A stored set keeps its
/// entries, which are immutable: its pods wait for the claims.
pub(super) fn check_new(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let others = rules.templates_of_other_namespaces;
    if others == TemplatesOfOtherNamespaces::Allow {
        return Vec::new();
    }
    sharing_lists(pcs)
        .flat_map(|(list, entries)| {
            let entries = entries.into_iter().enumerate();
            entries.map(move |(i, sharing)| (list.index(i), sharing))
        })
        .filter(|(_, sharing)| others.forbids(pcs, sharing))
        .map(|(at, sharing)| refuse(&at, sharing))
        .collect()
}

fn refuse(at: &Path, sharing: &ResourceSharing) -> FieldError {
    let problem = "templates of other namespaces are not read here";
    let remedy = "copy the template, or use resourceClaimTemplates";
    at.field("namespace")
        .wrong(&sharing.namespace, problem, remedy)
}
