//! `minAvailable` is fixed at creation (decision 56). With a higher minimum a clique that was
//! available under its old one would be breached at once, and terminated if there is no room; and a
//! gang's name and size follow from it.
//!
//! The API server refuses a change in PodCliques and scaling groups. A change in a set is reported
//! and not acted on, and everything else of the set is acted on.

use std::collections::BTreeMap;

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, names};
use domain::object::ownership;

use crate::clique_paths;
use crate::error_limit::bound_errors;
use crate::field::{FieldError, Path};
use crate::rules::offer_no_lower_minimum;
use crate::validated_set::ValidatedSet;

/// The minimums of the existing objects of a set, by name of the clique or group. With several
/// objects, the first by name gives the minimum for objects that are created later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minimums {
    cliques: BTreeMap<String, LiveMinimum>,
    groups: BTreeMap<String, LiveMinimum>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct LiveMinimum {
    object: String,
    minimum: i32,
}

impl Minimums {
    /// A scaling group of the set.
    pub fn add_group(&mut self, set: &str, group: &PodCliqueScalingGroup) {
        let name = ownership::name(&group.metadata);
        let parts = names::parts_of_scaling_group(set, name);
        if let Some(((_, config), minimum)) = parts.zip(group.spec.min_available) {
            note_minimum(&mut self.groups, config, name, minimum);
        }
    }

    /// A PodClique of the set.
    pub fn add_clique(&mut self, set: &str, podclique: &PodClique) {
        let meta = &podclique.metadata;
        let name = ownership::name(meta);
        let group = ownership::controller(meta).filter(|o| o.kind == "PodCliqueScalingGroup");
        let parts = match group {
            Some(group) => names::parts_of_grouped_clique(&group.name, name),
            None => names::parts_of_standalone_clique(set, name),
        };
        if let Some(((_, clique), minimum)) = parts.zip(podclique.spec.min_available) {
            note_minimum(&mut self.cliques, clique, name, minimum);
        }
    }
}

fn note_minimum(found: &mut BTreeMap<String, LiveMinimum>, of: &str, object: &str, minimum: i32) {
    let is_first = found.get(of).is_none_or(|f| object < f.object.as_str());
    if is_first {
        let object = object.to_owned();
        found.insert(of.to_owned(), LiveMinimum { object, minimum });
    }
}

/// Sets the minimums of existing objects, and stores the differences. `stored` is the set without
/// defaults: a clique without `minAvailable` has changed nothing, though its default follows
/// `replicas`.
pub fn keep_minimums(validated: &mut ValidatedSet, stored: &PodCliqueSet, existing: &Minimums) {
    let given: Vec<bool> = {
        let cliques = stored.spec.template.cliques.iter();
        cliques.map(|c| c.spec.min_available.is_some()).collect()
    };
    let of_cliques = clique_paths::cliques(&validated.set)
        .zip(given)
        .filter_map(|((at, c), is_given)| changed_clique(&at, c, existing).filter(|_| is_given));
    let of_groups = clique_paths::scaling_groups(&validated.set)
        .filter_map(|(at, group)| changed_group(&at, group, existing));
    let changed: Vec<FieldError> = of_cliques.chain(of_groups).collect();
    let template = &mut validated.set.spec.template;
    for clique in &mut template.cliques {
        if let Some(found) = existing.cliques.get(&clique.name) {
            clique.spec.min_available = Some(found.minimum);
        }
    }
    for group in &mut template.scaling_groups {
        if let Some(found) = existing.groups.get(&group.name) {
            group.min_available = Some(found.minimum);
        }
    }
    validated.not_acted_on = bound_errors(changed);
    if !(existing.cliques.is_empty() && existing.groups.is_empty()) {
        validated.errors.iter_mut().for_each(offer_no_lower_minimum);
    }
}

fn changed_clique(
    at: &Path,
    clique: &PodCliqueTemplateSpec,
    existing: &Minimums,
) -> Option<FieldError> {
    let found = existing.cliques.get(&clique.name)?;
    let at = at.field("spec").field("minAvailable");
    changed(&at, clique.spec.min_available, found)
}

fn changed_group(
    at: &Path,
    group: &PodCliqueScalingGroupConfig,
    existing: &Minimums,
) -> Option<FieldError> {
    let found = existing.groups.get(&group.name)?;
    changed(&at.field("minAvailable"), group.min_available, found)
}

fn changed(at: &Path, asked: Option<i32>, found: &LiveMinimum) -> Option<FieldError> {
    let LiveMinimum { object, minimum } = found;
    let problem =
        format!("cannot be changed, {object} was created with {minimum}, which still counts");
    let remedy = format!("restore {minimum}, or create another PodCliqueSet");
    (asked != Some(*minimum)).then(|| at.wrong(asked, problem, remedy))
}
