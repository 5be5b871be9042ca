//! What the operator accepts but does not do yet, so that it can be reported.
//!
//! Both functions take a set with its defaults applied.

use api::PodCliqueSet;
use api::labels::MNNVL_GROUP;
use api::podcliqueset::CliqueStartupType;

use crate::field::Path;
use crate::places::{cliques, scaling_groups, template};

/// JSON paths of fields that have no effect yet (condition `FieldNotImplemented`), in the order of
/// the object.
pub fn ignored_fields(pcs: &PodCliqueSet) -> Vec<String> {
    let mut ignored = of_set(pcs);
    ignored.extend(cliques(pcs).flat_map(|(at, clique)| {
        present([
            (has_mnnvl_group(Some(&clique.annotations)), mnnvl_group(&at)),
            (
                clique.topology_constraint.is_some(),
                at.field("topologyConstraint"),
            ),
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
            (
                group.topology_constraint.is_some(),
                at.field("topologyConstraint"),
            ),
        ])
    }));
    ignored
}

/// Why nothing may be created for the set yet, or `None`. Without these features its pods would
/// behave differently from its spec.
pub fn blocks_creation(pcs: &PodCliqueSet) -> Option<String> {
    start_order(pcs)
}

fn of_set(pcs: &PodCliqueSet) -> Vec<String> {
    let (spec, at) = (&pcs.spec.template, template());
    present([
        (
            has_mnnvl_group(pcs.metadata.annotations.as_ref()),
            mnnvl_group(&Path::new("metadata")),
        ),
        (
            spec.topology_constraint.is_some(),
            at.field("topologyConstraint"),
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
    let used = fields.into_iter().filter(|(is_used, _)| *is_used);
    used.map(|(_, at)| at.to_string()).collect()
}

fn has_mnnvl_group(annotations: Option<&std::collections::BTreeMap<String, String>>) -> bool {
    let group = annotations.and_then(|annotations| annotations.get(MNNVL_GROUP));
    group.is_some_and(|group| group != "none")
}

fn mnnvl_group(at: &Path) -> Path {
    at.field("annotations").key(MNNVL_GROUP)
}

fn start_order(pcs: &PodCliqueSet) -> Option<String> {
    let cliques = &pcs.spec.template.cliques;
    let (type_, has_effect) = match pcs.spec.template.clique_startup_type.unwrap_or_default() {
        CliqueStartupType::AnyOrder => return None,
        CliqueStartupType::InOrder => ("CliqueStartupTypeInOrder", cliques.len() > 1),
        CliqueStartupType::Explicit => (
            "CliqueStartupTypeExplicit",
            cliques
                .iter()
                .any(|clique| !clique.spec.starts_after.is_empty()),
        ),
    };
    let at = template().field("cliqueStartupType");
    has_effect.then(|| {
        format!("{at}: {type_} is not implemented yet: pods would start in the wrong order")
    })
}
