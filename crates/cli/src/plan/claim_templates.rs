//! The ResourceClaimTemplates that a set names beside its own, and those of its ComputeDomains.

use std::collections::BTreeSet;

use api::PodCliqueSet;
use domain::Key;
use domain::plan::Kind;
use domain::sharing::key_of_template;
use domain::workload::{claims, limits, nvlink};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use serde_json::json;

use super::world::World;
use crate::exit::Failure;

/// Assumes that they exist: nothing else of them matters for the plan.
pub(super) fn assume_templates(world: &mut World, set: &PodCliqueSet) -> Result<(), Failure> {
    let entries = claims::entries(&set.spec.template);
    let named: BTreeSet<Key> = entries
        .filter_map(|sharing| key_of_template(set, sharing))
        .collect();
    for key in named {
        world.assume(format!("ResourceClaimTemplate {key} exists"));
        put(world, &key)?;
    }
    Ok(())
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
