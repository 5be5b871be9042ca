//! Topology constraints that are not what was meant.

use api::PodCliqueSet;
use api::labels::TOPOLOGY_NAME;
use domain::object::text::cut_text;
use domain::topology::{binding_name, pack_of};

use super::Warning;
use crate::clique_paths::{cliques, scaling_groups};
use crate::field::{MAX_SHOWN_CHARS, Path};
use crate::rules::{Rules, constraints};

pub(super) fn old_names(pcs: &PodCliqueSet) -> Vec<Warning> {
    constraints(pcs)
        .into_iter()
        .filter(|placed| !placed.constraint.pack_domain.is_empty())
        .map(|placed| {
            let at = placed.at.field("packDomain");
            Warning::new(&at, "is deprecated: move it to pack.required")
        })
        .collect()
}

/// The operator writes this annotation into PodGangs, and reads it nowhere else.
pub(super) fn names_in_annotations(pcs: &PodCliqueSet) -> Vec<Warning> {
    let text = "has no effect: name the topology in topologyConstraint.topologyName";
    let own = pcs.metadata.annotations.as_ref();
    let own = own.map(|all| (Path::new("metadata"), all));
    let of_cliques = cliques(pcs).map(|(at, clique)| (at, &clique.annotations));
    let of_groups = scaling_groups(pcs).map(|(at, group)| (at, &group.annotations));
    own.into_iter()
        .chain(of_cliques)
        .chain(of_groups)
        .filter(|(_, all)| all.contains_key(TOPOLOGY_NAME))
        .map(|(at, _)| Warning::new(&at.field("annotations").key(TOPOLOGY_NAME), text))
        .collect()
}

/// The same level is required and preferred.
pub(super) fn equal_levels(pcs: &PodCliqueSet) -> Vec<Warning> {
    redundant(pcs, |required, preferred| required == preferred)
}

/// A level is preferred that is broader than the required one. Only the cluster knows their order.
pub(super) fn broader_levels(pcs: &PodCliqueSet, rules: &Rules) -> Vec<Warning> {
    let known = rules.topologies.as_ref();
    let levels = known.and_then(|known| known.get(binding_name(&pcs.spec.template)?));
    let Some(levels) = levels else {
        return Vec::new();
    };
    redundant(pcs, |required, preferred| {
        let places = levels.position(required).zip(levels.position(preferred));
        places.is_some_and(|(required, preferred)| preferred < required)
    })
}

/// All pods share a domain of the required level, and with it one of each broader level.
fn redundant(pcs: &PodCliqueSet, is_redundant: impl Fn(&str, &str) -> bool) -> Vec<Warning> {
    constraints(pcs)
        .into_iter()
        .filter_map(|placed| {
            let pack = pack_of(Some(placed.constraint));
            let (required, preferred) = pack.required.zip(pack.preferred)?;
            let [broad, narrow] = [preferred, required].map(|name| cut_text(name, MAX_SHOWN_CHARS));
            let text =
                format!("{broad} is not narrower than pack.required ({narrow}) and is redundant");
            let at = placed.at.field("pack.preferred");
            is_redundant(required, preferred).then(|| Warning::new(&at, text))
        })
        .collect()
}
