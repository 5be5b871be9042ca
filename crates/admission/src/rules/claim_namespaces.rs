//! Claims from ResourceClaimTemplates of other namespaces.

use api::PodCliqueSet;
use api::resources::ResourceSharing;
use domain::sharing::TemplatesOfOtherNamespaces;

use super::options::Rules;
use crate::clique_paths::{cliques, scaling_groups, template};
use crate::field::{FieldError, Path};

/// Entries of a new set that name templates of other namespaces, if these are not read. A stored set keeps its
/// entries, which are immutable: its pods wait for the claims.
pub(super) fn check_new(pcs: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let others = rules.templates_of_other_namespaces;
    if others == TemplatesOfOtherNamespaces::Allow {
        return Vec::new();
    }
    let forbidden = entries(pcs).into_iter();
    let forbidden = forbidden.filter(|(_, sharing)| others.forbids(pcs, sharing));
    forbidden
        .map(|(at, sharing)| refuse(&at, sharing))
        .collect()
}

fn refuse(at: &Path, sharing: &ResourceSharing) -> FieldError {
    let problem = "templates of other namespaces are not read here";
    let remedy = "copy the template, or use resourceClaimTemplates";
    at.field("namespace")
        .wrong(&sharing.namespace, problem, remedy)
}

/// All entries of `resourceSharing`.
fn entries(pcs: &PodCliqueSet) -> Vec<(Path, &ResourceSharing)> {
    let of_set = pcs.spec.template.resource_sharing.iter();
    let mut all = listed(&template(), of_set.map(|entry| &entry.sharing));
    for (at, group) in scaling_groups(pcs) {
        let of_group = group.resource_sharing.iter();
        all.extend(listed(&at, of_group.map(|entry| &entry.sharing)));
    }
    for (at, clique) in cliques(pcs) {
        all.extend(listed(&at, clique.resource_sharing.iter()));
    }
    all
}

fn listed<'a>(
    at: &Path,
    entries: impl Iterator<Item = &'a ResourceSharing>,
) -> Vec<(Path, &'a ResourceSharing)> {
    let list = at.field("resourceSharing");
    let entries = entries.enumerate();
    entries
        .map(|(i, sharing)| (list.index(i), sharing))
        .collect()
}
