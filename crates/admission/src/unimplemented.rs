//! Fields that the operator accepts but does not implement yet, so that it can report them.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use api::labels::MNNVL_GROUP;

use crate::clique_paths::{cliques, scaling_groups};
use crate::field::Path;

/// JSON paths of fields that have no effect yet (condition `FieldNotImplemented`), in the order of
/// the object, which has its defaults applied.
pub fn ignored_fields(pcs: &PodCliqueSet) -> Vec<String> {
    let own = pcs.metadata.annotations.as_ref();
    let own = own.map(|annotations| (Path::new("metadata"), annotations));
    let of_cliques = cliques(pcs).map(|(at, clique)| (at, &clique.annotations));
    let of_groups = scaling_groups(pcs).map(|(at, group)| (at, &group.annotations));
    own.into_iter()
        .chain(of_cliques)
        .chain(of_groups)
        .filter(|(_, annotations)| has_mnnvl_group(annotations))
        .map(|(at, _)| mnnvl_group(&at).to_string())
        .collect()
}

fn has_mnnvl_group(annotations: &BTreeMap<String, String>) -> bool {
    let group = annotations.get(MNNVL_GROUP);
    group.is_some_and(|group| group != "none")
}

fn mnnvl_group(at: &Path) -> Path {
    at.field("annotations").key(MNNVL_GROUP)
}
