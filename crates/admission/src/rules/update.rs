//! Fields that cannot change in the life of a set.

use std::collections::BTreeSet;

use api::podcliqueset::CliqueStartupType;
use api::{PodCliqueSet, WorkloadType};

use super::fixed_minimum::offer_no_lower_minimum;
use super::immutable::{self, fixed, same};
use super::options::Rules;
use super::{queue, ratchet, restart_request};
use crate::clique_paths::{scaling_groups, template};
use crate::error_limit::bound_errors;
use crate::field::{FieldError, Path};

/// Everything that is wrong with a changed set; both with their defaults applied.
///
/// The errors that an update introduces. A set that is being deleted may have any: an object that
/// was stored under older rules must stay editable, and its finalizer removable.
pub fn validate_update(old: &PodCliqueSet, new: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    if new.metadata.deletion_timestamp.is_some() || is_same(old, new) {
        return Vec::new();
    }
    let mut errors = ratchet::find_news(old, new, rules);
    errors.iter_mut().for_each(offer_no_lower_minimum);
    errors.extend(immutable::check(old, new, rules));
    errors.extend(queue::check_change(old, new, rules));
    errors.extend(restart_request::check_change(old, new));
    errors.extend(compositions(old, new));
    errors.extend(training(old, new));
    bound_errors(errors)
}

/// Whether all that rules read is as it was. Most updates change a status or a finalizer.
pub(crate) fn is_same(old: &PodCliqueSet, new: &PodCliqueSet) -> bool {
    let (before, after) = (&old.metadata, &new.metadata);
    before.name == after.name
        && before.generate_name == after.generate_name
        && before.labels == after.labels
        && before.annotations == after.annotations
        && old.spec == new.spec
}

/// A set keeps the cliques and groups that it was created with; if they start in order, also their
/// order. The definition refuses another order of the groups of a job.
fn compositions(old: &PodCliqueSet, new: &PodCliqueSet) -> Vec<FieldError> {
    let start = new.spec.template.clique_startup_type.unwrap_or_default();
    let is_ordered = start != CliqueStartupType::AnyOrder;
    let starts = "the order in which cliques start cannot be changed";
    let job = "the order cannot be changed: the workload is Training";
    let cliques = template().field("cliques");
    let groups = template().field("podCliqueScalingGroups");
    let errors = [
        composition(
            &cliques,
            &clique_names(old),
            &clique_names(new),
            is_ordered.then_some(starts),
        ),
        composition(
            &groups,
            &group_names(old),
            &group_names(new),
            is_training(new).then_some(job),
        ),
    ];
    errors.into_iter().flatten().collect()
}

/// `reordered` is the problem of another order, if there is one.
fn composition(
    at: &Path,
    old: &[&str],
    new: &[&str],
    reordered: Option<&str>,
) -> Option<FieldError> {
    let remedy = || format!("restore {}, or create another PodCliqueSet", old.join(", "));
    let (before, after): (BTreeSet<_>, BTreeSet<_>) = (old.iter().collect(), new.iter().collect());
    if before != after || old.len() != new.len() {
        return Some(at.wrong(new, "none can be added, removed or renamed", remedy()));
    }
    let problem = reordered.filter(|_| old != new)?;
    Some(at.wrong(new, problem, remedy()))
}

/// A training job keeps its size and its pods (seed 002).
fn training(old: &PodCliqueSet, new: &PodCliqueSet) -> Vec<FieldError> {
    if !is_training(old) || !is_training(new) {
        return Vec::new();
    }
    let at = Path::new("spec").field("replicas");
    let mut errors = Vec::from_iter(fixed(&at, &old.spec.replicas, &new.spec.replicas));
    errors.extend(training_cliques(old, new));
    errors.extend(fixed(
        &template().field("priorityClassName"),
        &old.spec.template.priority_class_name,
        &new.spec.template.priority_class_name,
    ));
    for (i, (at, group)) in scaling_groups(new).enumerate() {
        let before = same(&old.spec.template.scaling_groups, i, |g| {
            g.name == group.name
        });
        let at = at.field("replicas");
        errors.extend(before.and_then(|before| fixed(&at, &before.replicas, &group.replicas)));
    }
    errors
}

fn training_cliques(old: &PodCliqueSet, new: &PodCliqueSet) -> Option<FieldError> {
    let is_changed = old.spec.template.cliques != new.spec.template.cliques;
    let problem =
        "template.cliques is immutable for Training: pod template, labels, replicas, minAvailable";
    let remedy = "undo the change, or create another PodCliqueSet";
    let at = template().field("cliques");
    is_changed.then(|| at.wrong(clique_names(new), problem, remedy))
}

fn is_training(pcs: &PodCliqueSet) -> bool {
    pcs.spec.workload_type == Some(WorkloadType::Training)
}

fn clique_names(pcs: &PodCliqueSet) -> Vec<&str> {
    let cliques = pcs.spec.template.cliques.iter();
    cliques.map(|clique| clique.name.as_str()).collect()
}

fn group_names(pcs: &PodCliqueSet) -> Vec<&str> {
    let groups = pcs.spec.template.scaling_groups.iter();
    groups.map(|group| group.name.as_str()).collect()
}
