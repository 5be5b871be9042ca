//! Cliques that are scaled together.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};

use super::cliques::within_replicas;
use crate::clique_paths::{cliques, group_of, has_clique, scaling_groups};
use crate::field::{FieldError, Path, choose};

pub(super) fn check(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (at, group) in scaling_groups(pcs) {
        errors.extend(check_replicas(&at, group));
        errors.extend(check_members(pcs, &at, group));
    }
    errors.extend(one_group_each(pcs));
    errors.extend(scaled_alone(pcs));
    errors
}

fn check_replicas(at: &Path, group: &PodCliqueScalingGroupConfig) -> Vec<FieldError> {
    let replicas = group.replicas.unwrap_or(1);
    let mut errors = Vec::new();
    if replicas < 0 {
        let remedy = "set it to the number of group replicas, or to 0 to run none of it for now";
        let at = at.field("replicas");
        errors.push(at.wrong(replicas, "must not be negative", remedy));
    }
    let minimum = group.min_available.unwrap_or(1);
    errors.extend(within_replicas(at, minimum, replicas.max(0)));
    errors
}

fn check_members(
    pcs: &PodCliqueSet,
    at: &Path,
    group: &PodCliqueScalingGroupConfig,
) -> Vec<FieldError> {
    let at = at.field("cliqueNames");
    if group.clique_names.is_empty() {
        let problem = "a group needs at least one clique";
        return vec![at.missing(problem, "list the cliques of the group")];
    }
    let unknown = |(i, name): (usize, &String)| {
        let known = pcs.spec.template.cliques.iter().map(|c| c.name.as_str());
        let remedy = choose(known, "add the clique");
        let error = at.index(i).wrong(name, "there is no such clique", remedy);
        (!has_clique(pcs, name)).then_some(error)
    };
    group
        .clique_names
        .iter()
        .enumerate()
        .filter_map(unknown)
        .collect()
}

/// A clique is in one group at most, and there once.
fn one_group_each(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let mut first: BTreeMap<&str, Path> = BTreeMap::new();
    let mut errors = Vec::new();
    for (at, group) in scaling_groups(pcs) {
        for (i, name) in group.clique_names.iter().enumerate() {
            let here = at.field("cliqueNames").index(i);
            match first.get(name.as_str()) {
                Some(other) => {
                    let problem = format!("duplicate: this clique is already listed at {other}");
                    errors.push(here.wrong(name, problem, "remove one of the two"));
                }
                None => {
                    first.insert(name, here);
                }
            }
        }
    }
    errors
}

/// A group is scaled as a whole.
fn scaled_alone(pcs: &PodCliqueSet) -> Vec<FieldError> {
    let member = |(at, clique): (Path, &PodCliqueTemplateSpec)| {
        let group = group_of(pcs, &clique.name)?;
        let scaling = clique.spec.auto_scaling_config.as_ref()?;
        let problem = format!(
            "the clique is in group {:?}, which is scaled as a whole",
            group.name
        );
        let at = at.field("spec").field("autoScalingConfig");
        Some(at.wrong(
            scaling,
            problem,
            "remove it and set the group's scaleConfig",
        ))
    };
    cliques(pcs).filter_map(member).collect()
}
