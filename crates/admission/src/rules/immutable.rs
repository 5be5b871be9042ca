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
use crate::clique_paths::{cliques, mnnvl_group_in, scaling_groups, template};
use crate::field::{FieldError, Path, json};

/// The fields of a set, a clique or a group that cannot change, by path below `$at`.
macro_rules! fixed_fields {
    ($at:expr, $old:expr, $new:expr; $($path:literal => $($field:ident).+),+ $(,)?) => {
        [$(fixed(&$at.field($path), &$old.$($field).+, &$new.$($field).+)),+]
    };
}

pub(super) fn check(old: &PodCliqueSet, new: &PodCliqueSet, rules: &Rules) -> Vec<FieldError> {
    let mut errors = check_set(old, new);
    for (i, (at, after)) in cliques(new).enumerate() {
        if let Some(before) = same(&old.spec.template.cliques, i, |c| c.name == after.name) {
            errors.extend(check_clique(&at, before, after, rules));
        }
    }
    for (i, (at, after)) in scaling_groups(new).enumerate() {
        let before = same(&old.spec.template.scaling_groups, i, |g| {
            g.name == after.name
        });
        if let Some(before) = before {
            errors.extend(check_group(&at, before, after));
        }
    }
    errors
}

/// The previous item of that name. The item at the same index comes first, because a stored list may
/// have a name twice.
pub(super) fn same<T>(list: &[T], place: usize, has_name: impl Fn(&T) -> bool) -> Option<&T> {
    list.get(place)
        .filter(|item| has_name(item))
        .or_else(|| list.iter().find(|item| has_name(item)))
}

/// The error of a field that must not change, if it did.
pub(super) fn fixed<T: PartialEq + Serialize>(at: &Path, old: &T, new: &T) -> Option<FieldError> {
    let remedy = || match json(old).as_str() {
        "null" | "[]" => "remove it, or create another PodCliqueSet".to_owned(),
        before => format!("restore {before}, or create another PodCliqueSet"),
    };
    (old != new).then(|| at.wrong(new, "is immutable: cannot be changed", remedy()))
}

fn check_set(old: &PodCliqueSet, new: &PodCliqueSet) -> Vec<FieldError> {
    let at = template();
    let (before, after) = (&old.spec.template, &new.spec.template);
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
            &with_operators(&before.resource_claim_templates),
            &with_operators(&after.resource_claim_templates),
        ),
    ];
    errors
        .into_iter()
        .chain(fixed_fields!(at, before, after; "resourceSharing" => resource_sharing))
        .chain([
            check_topology(&at, &before.topology_constraint, &after.topology_constraint),
            check_mnnvl_group(
                &Path::new("metadata"),
                old.metadata.annotations.as_ref(),
                new.metadata.annotations.as_ref(),
            ),
        ])
        .flatten()
        .collect()
}

/// Older definitions had a default for the operator: a stored set may have one that its manifest lacks.
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
        for toleration in exactly
            .chain(first.map(|one| &mut one.tolerations))
            .flatten()
            .flatten()
        {
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
    let scheduler = fixed(
        &at.field("spec.podSpec.schedulerName"),
        &scheduler_name(&old.spec.pod_spec, rules),
        &scheduler_name(&new.spec.pod_spec, rules),
    );
    let fields = fixed_fields!(at, old, new;
        "spec.roleName" => spec.role_name,
        "spec.minAvailable" => spec.min_available,
        "spec.startsAfter" => spec.starts_after,
    );
    fields
        .into_iter()
        .chain([scheduler])
        .chain(fixed_fields!(at, old, new; "resourceSharing" => resource_sharing))
        .chain([
            check_topology(at, &old.topology_constraint, &new.topology_constraint),
            check_mnnvl_group(at, Some(&old.annotations), Some(&new.annotations)),
        ])
        .flatten()
        .collect()
}

fn check_group(
    at: &Path,
    old: &PodCliqueScalingGroupConfig,
    new: &PodCliqueScalingGroupConfig,
) -> Vec<FieldError> {
    let fields = fixed_fields!(at, old, new;
        "cliqueNames" => clique_names,
        "minAvailable" => min_available,
        "resourceSharing" => resource_sharing,
    );
    fields
        .into_iter()
        .chain(fixed_fields!(at, old, new;
            "allReplicasTopologyConstraint" => all_replicas_topology_constraint,
        ))
        .chain([
            check_topology(at, &old.topology_constraint, &new.topology_constraint),
            check_mnnvl_group(at, Some(&old.annotations), Some(&new.annotations)),
        ])
        .flatten()
        .collect()
}

/// A constraint cannot be changed, except in two ways (Grove): `packDomain` may move to
/// `pack.required`, and a constraint with `packDomain` that names no topology may get one.
#[allow(clippy::ref_option, reason = "`fixed` compares the fields as they are")]
fn check_topology(
    at: &Path,
    old: &Option<TopologyConstraint>,
    new: &Option<TopologyConstraint>,
) -> Option<FieldError> {
    let pair = old.as_ref().zip(new.as_ref());
    let is_modernized = pair.is_some_and(|(old, new)| is_modernized(old, new));
    fixed(&at.field("topologyConstraint"), old, new).filter(|_| !is_modernized)
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

/// The annotation decides the nodes of running pods, so it cannot change.
fn check_mnnvl_group(
    at: &Path,
    old: Option<&BTreeMap<String, String>>,
    new: Option<&BTreeMap<String, String>>,
) -> Option<FieldError> {
    let at = mnnvl_group_in(at);
    let group =
        |annotations: Option<&BTreeMap<String, String>>| annotations?.get(MNNVL_GROUP).cloned();
    fixed(&at, &group(old), &group(new))
}
