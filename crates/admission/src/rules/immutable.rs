//! Fields that keep the value they were created with.

use std::collections::BTreeMap;

use api::PodCliqueSet;
use api::labels::MNNVL_GROUP;
use api::podcliqueset::{PodCliqueScalingGroupConfig, PodCliqueTemplateSpec};
use api::resources::ResourceClaimTemplateConfig;
use api::topology::TopologyConstraint;
use serde::Serialize;

use super::options::Rules;
use super::pods::scheduler_name;
use crate::field::{FieldError, Path, json};
use crate::places::{cliques, scaling_groups, template};

pub(super) fn check(old: &PodCliqueSet, new: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let mut errors = check_set(old, new);
    for (i, (at, after)) in cliques(new).enumerate() {
        let before = same(&old.spec.template.cliques, i, |c| c.name == after.name);
        errors.extend(
            before
                .into_iter()
                .flat_map(|before| check_clique(&at, before, after, rules)),
        );
    }
    for (i, (at, after)) in scaling_groups(new).enumerate() {
        let before = same(&old.spec.template.scaling_groups, i, |g| {
            g.name == after.name
        });
        errors.extend(
            before
                .into_iter()
                .flat_map(|before| check_group(&at, before, after)),
        );
    }
    errors
}

/// What an item was before: the one of its name, first of all the one in its place, because a
/// stored list may have a name twice.
pub(super) fn same<T>(list: &[T], place: usize, has_name: impl Fn(&T) -> bool) -> Option<&T> {
    let there = list.get(place).filter(|item| has_name(item));
    there.or_else(|| list.iter().find(|item| has_name(item)))
}

/// The error of a field that must not change, if it did.
pub(super) fn fixed<T: PartialEq + Serialize>(at: &Path, old: &T, new: &T) -> Option<FieldError> {
    let remedy = || match json(old).as_str() {
        "null" | "[]" => "remove it, or create another PodCliqueSet".to_owned(),
        before => format!("restore {before}, or create another PodCliqueSet"),
    };
    (old != new).then(|| at.wrong(new, "cannot be changed", remedy()))
}

fn check_set(old: &PodCliqueSet, new: &PodCliqueSet) -> Vec<FieldError> {
    let at = template();
    let (old_spec, new_spec) = (&old.spec.template, &new.spec.template);
    let workload_type = |pcs: &PodCliqueSet| pcs.spec.workload_type.unwrap_or_default();
    let startup = |pcs: &PodCliqueSet| pcs.spec.template.clique_startup_type.unwrap_or_default();
    let errors = [
        fixed(
            &Path::new("spec.workloadType"),
            &workload_type(old),
            &workload_type(new),
        ),
        fixed(&at.field("cliqueStartupType"), &startup(old), &startup(new)),
        fixed(
            &at.field("resourceClaimTemplates"),
            &with_operators(&old_spec.resource_claim_templates),
            &with_operators(&new_spec.resource_claim_templates),
        ),
        fixed(
            &at.field("resourceSharing"),
            &old_spec.resource_sharing,
            &new_spec.resource_sharing,
        ),
        check_topology(
            &at,
            old_spec.topology_constraint.as_ref(),
            new_spec.topology_constraint.as_ref(),
        ),
        check_mnnvl_group(
            &Path::new("metadata"),
            old.metadata.annotations.as_ref(),
            new.metadata.annotations.as_ref(),
        ),
    ];
    errors.into_iter().flatten().collect()
}

/// Older definitions filled the operator in: a stored set may have it where its manifest has none.
fn with_operators(templates: &[ResourceClaimTemplateConfig]) -> Vec<ResourceClaimTemplateConfig> {
    let mut templates = templates.to_vec();
    let devices = templates
        .iter_mut()
        .filter_map(|template| template.template_spec.spec.as_mut()?.devices.as_mut());
    for request in devices.flat_map(|devices| devices.requests.iter_mut().flatten()) {
        let exactly = request
            .exactly
            .iter_mut()
            .map(|exact| &mut exact.tolerations);
        let first = request.first_available.iter_mut().flatten();
        let lists = exactly.chain(first.map(|one| &mut one.tolerations));
        for toleration in lists.flatten().flatten() {
            toleration.operator.get_or_insert_with(|| "Equal".into());
        }
    }
    templates
}

fn check_clique(
    at: &Path,
    old: &PodCliqueTemplateSpec,
    new: &PodCliqueTemplateSpec,
    rules: &Rules,
) -> Vec<FieldError> {
    let spec = at.field("spec");
    let (before, after) = (&old.spec, &new.spec);
    let errors = [
        fixed(&spec.field("roleName"), &before.role_name, &after.role_name),
        fixed(
            &spec.field("minAvailable"),
            &before.min_available,
            &after.min_available,
        ),
        fixed(
            &spec.field("startsAfter"),
            &before.starts_after,
            &after.starts_after,
        ),
        fixed(
            &spec.field("podSpec").field("schedulerName"),
            &scheduler_name(&before.pod_spec, rules),
            &scheduler_name(&after.pod_spec, rules),
        ),
        fixed(
            &at.field("resourceSharing"),
            &old.resource_sharing,
            &new.resource_sharing,
        ),
        check_topology(
            at,
            old.topology_constraint.as_ref(),
            new.topology_constraint.as_ref(),
        ),
        check_mnnvl_group(at, Some(&old.annotations), Some(&new.annotations)),
    ];
    errors.into_iter().flatten().collect()
}

fn check_group(
    at: &Path,
    old: &PodCliqueScalingGroupConfig,
    new: &PodCliqueScalingGroupConfig,
) -> Vec<FieldError> {
    let errors = [
        fixed(
            &at.field("cliqueNames"),
            &old.clique_names,
            &new.clique_names,
        ),
        fixed(
            &at.field("minAvailable"),
            &old.min_available,
            &new.min_available,
        ),
        fixed(
            &at.field("resourceSharing"),
            &old.resource_sharing,
            &new.resource_sharing,
        ),
        check_topology(
            at,
            old.topology_constraint.as_ref(),
            new.topology_constraint.as_ref(),
        ),
        check_mnnvl_group(at, Some(&old.annotations), Some(&new.annotations)),
    ];
    errors.into_iter().flatten().collect()
}

/// A constraint cannot be changed, except in two ways (Grove): `packDomain` may move to
/// `pack.required`, and a constraint with `packDomain` that names no topology may get one.
fn check_topology(
    at: &Path,
    old: Option<&TopologyConstraint>,
    new: Option<&TopologyConstraint>,
) -> Option<FieldError> {
    let pair = old.zip(new);
    let is_modernized = pair.is_some_and(|(old, new)| is_modernized(old, new));
    fixed(&at.field("topologyConstraint"), &old, &new).filter(|_| !is_modernized)
}

fn is_modernized(old: &TopologyConstraint, new: &TopologyConstraint) -> bool {
    let mut moved = old.clone();
    moved.pack.get_or_insert_default().required = std::mem::take(&mut moved.pack_domain);
    let mut named = old.clone();
    if named.topology_name.is_empty() {
        named.topology_name.clone_from(&new.topology_name);
    }
    !old.pack_domain.is_empty() && (*new == moved || *new == named)
}

/// Nodes are chosen by it, and cannot be changed under running pods.
fn check_mnnvl_group(
    at: &Path,
    old: Option<&BTreeMap<String, String>>,
    new: Option<&BTreeMap<String, String>>,
) -> Option<FieldError> {
    let at = at.field("annotations").key(MNNVL_GROUP);
    let group =
        |annotations: Option<&BTreeMap<String, String>>| annotations?.get(MNNVL_GROUP).cloned();
    fixed(&at, &group(old), &group(new))
}
