//! Names of topologies beside the topologies of the files.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use domain::topology::Levels;
use strsim::osa_distance;

use crate::lint::parts::{cliques, groups};
use crate::lint::remark::{Remark, Rule};

pub(in crate::lint) const MISSPELT_TOPOLOGY: Rule = Rule::warning(
    "misspelt-topology",
    "a topologyName that is almost that of a ClusterTopologyBinding in the files",
    "The webhook refuses a new set that names a topology that does not exist.",
);

/// So many letters differ at most in a name that was misspelt, whatever their case.
const NEAR: usize = 2;

pub(in crate::lint) fn check(set: &PodCliqueSet, given: &BTreeMap<String, Levels>) -> Vec<Remark> {
    let named = named(set).into_iter();
    named
        .filter(|(_, name)| !given.contains_key(*name))
        .filter_map(|(at, name)| {
            let meant = given.keys().find(|given| is_near(given, name))?;
            let problem = "no ClusterTopologyBinding of the files has this name".to_owned();
            let remark = Remark::new(&MISSPELT_TOPOLOGY, at, problem);
            let remark = remark.value(format!("{name:?}"));
            Some(remark.remedy(format!("did you mean {meant}?")))
        })
        .collect()
}

fn is_near(given: &str, name: &str) -> bool {
    osa_distance(&given.to_lowercase(), &name.to_lowercase()) <= NEAR
}

/// The names in the constraints of the set, its groups and its cliques, with their paths.
fn named(set: &PodCliqueSet) -> Vec<(String, &str)> {
    let own = set.spec.template.topology_constraint.as_ref();
    let own = own.map(|own| ("spec.template".to_owned(), own));
    let of_groups =
        groups(set).filter_map(|(at, group)| Some((at, group.topology_constraint.as_ref()?)));
    let of_cliques =
        cliques(set).filter_map(|(at, clique)| Some((at, clique.topology_constraint.as_ref()?)));
    own.into_iter()
        .chain(of_groups)
        .chain(of_cliques)
        .filter(|(_, constraint)| !constraint.topology_name.is_empty())
        .map(|(at, constraint)| {
            let at = format!("{at}.topologyConstraint.topologyName");
            (at, constraint.topology_name.as_str())
        })
        .collect()
}
