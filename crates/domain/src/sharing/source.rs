//! The template that a claim is made from.

use api::PodCliqueSet;
use api::resources::ResourceSharing;
use k8s_openapi::api::resource::v1::{ResourceClaimTemplate, ResourceClaimTemplateSpec};
use kube::ResourceExt;

use super::ClaimFacts;
use crate::Key;
use crate::workload::claims;

/// Where the template of a claim is.
#[derive(Clone, Debug, PartialEq)]
pub enum Source<'a> {
    /// In the set, or in a ResourceClaimTemplate that exists.
    Found(&'a ResourceClaimTemplateSpec),
    /// The ResourceClaimTemplate of this name does not exist.
    Missing(Key),
    /// The ResourceClaimTemplate of this name is of another namespace, and those are not read.
    Forbidden(Key),
}

/// Finds the template of an entry: without a namespace one of the set's own comes first.
pub fn find_source<'a>(
    set: &'a PodCliqueSet,
    sharing: &ResourceSharing,
    facts: &'a ClaimFacts,
) -> Source<'a> {
    let Some(key) = key_of_template(set, sharing) else {
        let mut own = set.spec.template.resource_claim_templates.iter();
        let own = own.find(|template| template.name == sharing.name);
        let own = own.map(|template| Source::Found(&template.template_spec));
        return own.unwrap_or_else(|| Source::Missing(Key::new("", &*sharing.name)));
    };
    if facts.templates_of_other_namespaces.forbids(set, sharing) {
        return Source::Forbidden(key);
    }
    let found = facts.templates.get(&key);
    match found.and_then(|template| template.spec.as_ref()) {
        Some(spec) => Source::Found(spec),
        None => Source::Missing(key),
    }
}

/// The ResourceClaimTemplate that an entry names; `None` if it names one of the set's own.
pub fn key_of_template(set: &PodCliqueSet, sharing: &ResourceSharing) -> Option<Key> {
    let mut own = set.spec.template.resource_claim_templates.iter();
    if sharing.namespace.is_empty() && own.any(|template| template.name == sharing.name) {
        return None;
    }
    let namespace = if sharing.namespace.is_empty() {
        set.metadata.namespace.clone().unwrap_or_default()
    } else {
        sharing.namespace.clone()
    };
    Some(Key::new(namespace, &*sharing.name))
}

/// Whether an entry of the set names this ResourceClaimTemplate.
pub fn names_template(set: &PodCliqueSet, template: &ResourceClaimTemplate) -> bool {
    let key = Key::new(
        template.namespace().unwrap_or_default(),
        template.name_any(),
    );
    claims::entries(&set.spec.template)
        .any(|sharing| key_of_template(set, sharing).as_ref() == Some(&key))
}
