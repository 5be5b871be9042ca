//! Limits of single counts and lists, for objects that were stored around the definitions.

use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::object::ownership;
use domain::workload::limits::{MAX_ITEMS, MAX_PODCLIQUES, MAX_REPLICAS};

use crate::clique_paths::{cliques, scaling_groups, template};
use crate::field::{FieldError, Path};

pub(super) const SPLIT: &str = "split the workload into several sets";

/// Cliques and scaling groups that are too many.
pub(super) fn check_parts(set: &PodCliqueSet) -> Vec<FieldError> {
    let spec = &set.spec.template;
    let cliques = check_list(&cliques_list(), spec.cliques.len());
    let groups = check_list(&groups_list(), spec.scaling_groups.len());
    cliques.into_iter().chain(groups).collect()
}

pub(super) fn cliques_list() -> Path {
    template().field("cliques")
}

pub(super) fn groups_list() -> Path {
    template().field("podCliqueScalingGroups")
}

/// Lists that are too long in a part.
pub(super) fn check_lists(set: &PodCliqueSet) -> Vec<FieldError> {
    let mut errors = check_claims(set);
    for (at, clique) in cliques(set) {
        let shared = clique.resource_sharing.len();
        errors.extend(check_list(&at.field("resourceSharing"), shared));
        let at = at.field("spec").field("startsAfter");
        errors.extend(check_list(&at, clique.spec.starts_after.len()));
    }
    for (at, group) in scaling_groups(set) {
        errors.extend(check_list(
            &at.field("cliqueNames"),
            group.clique_names.len(),
        ));
        let at = at.field("resourceSharing");
        errors.extend(check_list(&at, group.resource_sharing.len()));
        for (i, entry) in group.resource_sharing.iter().enumerate() {
            let names = entry.filter.as_ref().map(|f| &f.child_clique_names);
            let at = at.index(i).field("filter.childCliqueNames");
            errors.extend(check_list(&at, names.map_or(0, Vec::len)));
        }
    }
    errors
}

/// Cliques that are too many in all groups together.
pub(super) fn check_members(set: &PodCliqueSet) -> Vec<FieldError> {
    let groups = &set.spec.template.scaling_groups;
    let members: usize = groups.iter().map(|g| g.clique_names.len()).sum();
    let problem = format!("the groups have more than {MAX_ITEMS} cliques in all");
    let error = || groups_list().wrong(groups.len(), problem, SPLIT);
    let is_over = members > most_items();
    let error = is_over.then(|| error().counting("members", members));
    error.into_iter().collect()
}

/// Resource claims of the set, and the cliques that share them.
fn check_claims(set: &PodCliqueSet) -> Vec<FieldError> {
    let (at, spec) = (template(), &set.spec.template);
    let templates = at.field("resourceClaimTemplates");
    let mut errors = Vec::new();
    errors.extend(check_list(&templates, spec.resource_claim_templates.len()));
    let at = at.field("resourceSharing");
    errors.extend(check_list(&at, spec.resource_sharing.len()));
    for (i, entry) in spec.resource_sharing.iter().enumerate() {
        let Some(filter) = &entry.filter else {
            continue;
        };
        let at = at.index(i).field("filter");
        let (cliques, groups) = (
            &filter.child_clique_names,
            &filter.child_scaling_group_names,
        );
        errors.extend(check_list(&at.field("childCliqueNames"), cliques.len()));
        errors.extend(check_list(
            &at.field("childScalingGroupNames"),
            groups.len(),
        ));
    }
    errors
}

pub(super) fn check_list(at: &Path, length: usize) -> Option<FieldError> {
    check_entries_of(at, length, SPLIT)
}

/// The same of something that another set would have as many of.
pub(super) fn check_entries_of(at: &Path, length: usize, remedy: &str) -> Option<FieldError> {
    let problem = || format!("entries are too many, at most {MAX_ITEMS} are allowed");
    let error = || at.wrong(length, problem(), remedy);
    (length > most_items()).then(|| error().counting("entries", length))
}

pub(super) fn most_items() -> usize {
    usize::try_from(MAX_ITEMS).unwrap_or_default()
}

/// Counts that are too large.
pub(super) fn check_counts(set: &PodCliqueSet) -> Vec<FieldError> {
    let own = check_count(&Path::new("spec").field("replicas"), set.spec.replicas);
    let cliques = cliques(set).flat_map(|(at, clique)| of_clique(&at.field("spec"), clique));
    let groups = scaling_groups(set).flat_map(|(at, group)| of_config(&at, group));
    own.into_iter().chain(cliques).chain(groups).collect()
}

fn of_clique(at: &Path, clique: &PodCliqueTemplateSpec) -> Vec<FieldError> {
    let minimum = clique.spec.min_available.unwrap_or_default();
    let replicas = check_count(&at.field("replicas"), clique.spec.replicas);
    let minimum = check_count(&at.field("minAvailable"), minimum);
    replicas.into_iter().chain(minimum).collect()
}

fn of_config(at: &Path, group: &PodCliqueScalingGroupConfig) -> Vec<FieldError> {
    let replicas = check_count(&at.field("replicas"), group.replicas.unwrap_or_default());
    let minimum = group.min_available.unwrap_or_default();
    let minimum = check_count(&at.field("minAvailable"), minimum);
    replicas.into_iter().chain(minimum).collect()
}

fn check_count(at: &Path, count: i32) -> Option<FieldError> {
    let problem = || format!("must not be greater than {MAX_REPLICAS}");
    let error = || at.wrong(count, problem(), SPLIT);
    (count > MAX_REPLICAS).then(|| error().counting("replicas", count))
}

/// The limit that a scaling group exceeds by itself.
pub fn of_group(group: &PodCliqueScalingGroup) -> Vec<FieldError> {
    let spec = &group.spec;
    let at = object("PodCliqueScalingGroup", ownership::name(&group.metadata));
    let remedy = "scale it down";
    let podcliques = i128::from(spec.replicas.max(0)).saturating_mul(length(&spec.clique_names));
    if spec.replicas > MAX_REPLICAS {
        let problem = format!("must not be greater than {MAX_REPLICAS}");
        return vec![at.wrong(spec.replicas, problem, remedy)];
    }
    let problem = || format!("makes {podcliques} PodCliques, at most {MAX_PODCLIQUES} are allowed");
    let is_over = podcliques > MAX_PODCLIQUES;
    let error = is_over.then(|| at.wrong(spec.replicas, problem(), remedy));
    error.into_iter().collect()
}

/// The limit that a PodClique exceeds by itself.
pub fn of_podclique(podclique: &PodClique) -> Option<FieldError> {
    let replicas = podclique.spec.replicas;
    let at = object("PodClique", ownership::name(&podclique.metadata));
    let problem = || format!("must not be greater than {MAX_REPLICAS}");
    (replicas > MAX_REPLICAS).then(|| at.wrong(replicas, problem(), "scale it down"))
}

/// The live count of a child.
pub(super) fn object(kind: &str, name: &str) -> Path {
    Path::new(&format!("{kind} {name}: spec.replicas"))
}

pub(super) fn length<T>(list: &[T]) -> i128 {
    i128::try_from(list.len()).unwrap_or(i128::MAX)
}
