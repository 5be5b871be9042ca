//! The ResourceClaimTemplates that a set names beside its own, and those of its ComputeDomains.

use std::collections::BTreeSet;

use api::PodCliqueSet;
use api::resources::ResourceSharing;
use domain::Key;
use domain::plan::Kind;
use domain::sharing::{TemplatesOfOtherNamespaces, key_of_template};
use domain::workload::{claims, limits, nvlink};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use serde_json::json;

use super::world::World;
use crate::exit::Failure;

/// Assumes that those exist that the operator reads: nothing else of them matters for the plan.
pub(super) fn assume_templates(
    world: &mut World,
    set: &PodCliqueSet,
    others: TemplatesOfOtherNamespaces,
) -> Result<(), Failure> {
    for key in find_named(set, |sharing| !others.forbids(set, sharing)) {
        world.assume(format!("ResourceClaimTemplate {key} exists"));
        put(world, &key)?;
    }
    Ok(())
}

/// Warns of those that the operator does not read. Only a stored set names them: a new one is refused.
pub(super) fn warn_of_forbidden(
    set: &PodCliqueSet,
    others: TemplatesOfOtherNamespaces,
) -> Vec<String> {
    let forbidden = find_named(set, |sharing| others.forbids(set, sharing)).into_iter();
    let warn = |key: Key| {
        format!(
            "ResourceClaimTemplate {key} is forbidden: the operator's configuration has \
             resourceSharing.templatesOfOtherNamespaces: Deny, so no new claim is created from it; \
             create another PodCliqueSet with a copy of it in resourceClaimTemplates, or set \
             resourceSharing.templatesOfOtherNamespaces of the operator to Allow"
        )
    };
    forbidden.map(warn).collect()
}

fn find_named(set: &PodCliqueSet, is_meant: impl Fn(&ResourceSharing) -> bool) -> BTreeSet<Key> {
    claims::entries(&set.spec.template)
        .filter(|sharing| is_meant(sharing))
        .filter_map(|sharing| key_of_template(set, sharing))
        .collect()
}

/// Adds those that NVIDIA's driver makes from the ComputeDomains of the set.
pub(super) fn add_templates_of_domains(
    world: &mut World,
    set: &PodCliqueSet,
) -> Result<(), Failure> {
    let namespace = set.metadata.namespace.clone().unwrap_or_default();
    for name in nvlink::domains(set, limits::bounded(set.spec.replicas)).into_keys() {
        put(world, &Key::new(namespace.clone(), name))?;
    }
    Ok(())
}

fn put(world: &mut World, key: &Key) -> Result<(), Failure> {
    let template = json!({
        "metadata": {
            "namespace": key.namespace, "name": key.name,
            "uid": format!("template-{key}"), "resourceVersion": "1",
        },
        "spec": {"spec": {}},
    });
    world.put_found(Kind::of::<ResourceClaimTemplate>(), template)
}
