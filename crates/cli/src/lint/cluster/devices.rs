//! The devices that a set needs: ResourceClaimTemplates, DeviceClasses, ComputeDomains.

use api::PodCliqueSet;
use api::labels::MNNVL_GROUP;
use api::resources::ResourceSharing;
use domain::object::ownership;
use domain::sharing::key_of_template;
use domain::workload::nvlink;

use super::answers::NeededKind;
use super::needs::Need;
use super::references::names_at;
use crate::lint::parts::{cliques, groups};

/// The fields of a template of the set's own that name a DeviceClass.
const CLASSES: [&str; 2] = [
    "templateSpec.spec.devices.requests.exactly.deviceClassName",
    "templateSpec.spec.devices.requests.firstAvailable.deviceClassName",
];

/// Those of a set in that namespace.
pub(super) fn of_set(set: &PodCliqueSet, namespace: &str) -> Vec<Need> {
    let templates = sharings(set).filter_map(|(at, sharing)| {
        let key = key_of_template(set, sharing)?;
        let namespace = match sharing.namespace.as_str() {
            "" => namespace,
            named => named,
        };
        let at = format!("{at}.name");
        Some(Need::new(
            NeededKind::ClaimTemplate,
            namespace,
            key.name,
            at,
        ))
    });
    templates
        .chain(classes(set))
        .chain(compute_domains(set))
        .collect()
}

/// All entries of `resourceSharing` with their paths.
fn sharings(set: &PodCliqueSet) -> impl Iterator<Item = (String, &ResourceSharing)> {
    let of_set = set.spec.template.resource_sharing.iter().enumerate();
    let of_set = of_set.map(|(i, entry)| {
        let at = format!("spec.template.resourceSharing[{i}]");
        (at, &entry.sharing)
    });
    let of_groups = groups(set).flat_map(|(at, group)| {
        let entries = group.resource_sharing.iter().enumerate();
        entries.map(move |(i, entry)| (format!("{at}.resourceSharing[{i}]"), &entry.sharing))
    });
    let of_cliques = cliques(set).flat_map(|(at, clique)| {
        let entries = clique.resource_sharing.iter().enumerate();
        entries.map(move |(i, entry)| (format!("{at}.resourceSharing[{i}]"), entry))
    });
    of_set.chain(of_groups).chain(of_cliques)
}

fn classes(set: &PodCliqueSet) -> Vec<Need> {
    let templates = set
        .spec
        .template
        .resource_claim_templates
        .iter()
        .enumerate();
    templates
        .flat_map(|(i, template)| {
            let at = format!("spec.template.resourceClaimTemplates[{i}]");
            let template = serde_json::to_value(template).unwrap_or_default();
            let named = CLASSES.map(|field| {
                let names = names_at(&template, &at, field).into_iter();
                let need = |(name, at)| Need::new(NeededKind::DeviceClass, "", name, at);
                names.map(need).collect::<Vec<_>>()
            });
            named.concat()
        })
        .collect()
}

/// Their definition, if a clique joins one.
fn compute_domains(set: &PodCliqueSet) -> Option<Need> {
    if nvlink::enrolled_groups(set).is_empty() {
        return None;
    }
    let of_set = ownership::annotation(&set.metadata, MNNVL_GROUP);
    let of_set = of_set.map(|_| "metadata".to_owned());
    let mut of_groups =
        groups(set).filter(|(_, group)| group.annotations.contains_key(MNNVL_GROUP));
    let mut of_cliques =
        cliques(set).filter(|(_, clique)| clique.annotations.contains_key(MNNVL_GROUP));
    let at = of_set
        .or_else(|| of_groups.next().map(|(at, _)| at))
        .or_else(|| of_cliques.next().map(|(at, _)| at))?;
    let at = format!("{at}.annotations[{MNNVL_GROUP}]");
    Some(Need::new(
        NeededKind::ComputeDomains,
        "",
        "computedomains",
        at,
    ))
}
