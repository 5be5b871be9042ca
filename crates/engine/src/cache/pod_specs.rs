//! Pods' templates, each kept once: PodCliques that were created from one template have equal ones,
//! and the template is the largest part of each of them.

use std::any::Any;

use api::{PodClique, SharedPodSpec, labels};
use domain::object::ownership;
use hashbrown::HashMap;

/// The newest template of each hash.
#[derive(Debug, Default)]
pub(super) struct PodSpecs(HashMap<String, SharedPodSpec>);

impl PodSpecs {
    /// Replaces the template of a PodClique by an equal one that other PodCliques share. Its label,
    /// which any client may edit, only says which template to compare with.
    pub(super) fn share<K: 'static>(&mut self, object: &mut K) {
        let Some(podclique) = (object as &mut dyn Any).downcast_mut::<PodClique>() else {
            return;
        };
        let Some(hash) = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH) else {
            return;
        };
        let own = &mut podclique.spec.pod_spec;
        match self.0.get_mut(hash) {
            Some(known) if known == own => *own = known.clone(),
            Some(known) => *known = own.clone(),
            None => {
                self.0.insert(hash.to_owned(), own.clone());
            }
        }
    }

    /// Forgets specs that no PodClique has any more.
    pub(super) fn forget_unused(&mut self) {
        self.0.retain(|_, spec| spec.holders() > 1);
    }
}
