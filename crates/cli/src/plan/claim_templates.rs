//! The ResourceClaimTemplates that a set names beside its own.

use std::collections::BTreeSet;

use api::PodCliqueSet;
use domain::Key;
use domain::plan::Kind;
use domain::sharing::key_of_template;
use domain::workload::claims;
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
        let template = json!({
            "metadata": {
                "namespace": key.namespace, "name": key.name,
                "uid": format!("template-{key}"), "resourceVersion": "1",
            },
            "spec": {"spec": {}},
        });
        world.put_found(Kind::of::<ResourceClaimTemplate>(), template)?;
    }
    Ok(())
}
