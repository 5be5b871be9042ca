//! Fields that the operator accepts but does not implement yet, so that it can report them.

use api::PodCliqueSet;
use api::labels::MNNVL_GROUP;

use crate::clique_paths::{cliques, scaling_groups, template};
use crate::field::Path;

/// JSON paths of fields that have no effect yet (condition `FieldNotImplemented`), in the order of
/// the object, which has its defaults applied.
pub fn ignored_fields(pcs: &PodCliqueSet) -> Vec<String> {
    let mut ignored = of_set(pcs);
    ignored.extend(cliques(pcs).flat_map(|(at, clique)| {
        present([
            (has_mnnvl_group(Some(&clique.annotations)), mnnvl_group(&at)),
            (
                !clique.resource_sharing.is_empty(),
                at.field("resourceSharing"),
            ),
        ])
    }));
    ignored.extend(scaling_groups(pcs).flat_map(|(at, group)| {
        present([
            (has_mnnvl_group(Some(&group.annotations)), mnnvl_group(&at)),
            (
                !group.resource_sharing.is_empty(),
                at.field("resourceSharing"),
            ),
        ])
    }));
    ignored
}

fn of_set(pcs: &PodCliqueSet) -> Vec<String> {
    let (spec, at) = (&pcs.spec.template, template());
    present([
        (
            has_mnnvl_group(pcs.metadata.annotations.as_ref()),
            mnnvl_group(&Path::new("metadata")),
        ),
        (
            !spec.resource_claim_templates.is_empty(),
            at.field("resourceClaimTemplates"),
        ),
        (
            !spec.resource_sharing.is_empty(),
            at.field("resourceSharing"),
        ),
    ])
}

fn present<const N: usize>(fields: [(bool, Path); N]) -> Vec<String> {
    fields
        .into_iter()
        .filter(|(is_used, _)| *is_used)
        .map(|(_, at)| at.to_string())
        .collect()
}

fn has_mnnvl_group(annotations: Option<&std::collections::BTreeMap<String, String>>) -> bool {
    let group = annotations.and_then(|annotations| annotations.get(MNNVL_GROUP));
    group.is_some_and(|group| group != "none")
}

fn mnnvl_group(at: &Path) -> Path {
    at.field("annotations").key(MNNVL_GROUP)
}
