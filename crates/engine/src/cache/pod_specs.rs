//! Pods' templates, each kept once: those of PodCliques that were made of one template are the same,
//! and the largest part of each of them.

use std::any::Any;

use api::{PodClique, SharedPodSpec, labels};
use domain::object::ownership;
use hashbrown::HashMap;

/// The newest template of each hash.
#[derive(Debug, Default)]
pub(super) struct PodSpecs(HashMap<String, SharedPodSpec>);

impl PodSpecs {
    /// Lets a PodClique have the template that others have, if it is the same. Its label, which
    /// anybody may edit, only says which to compare with.
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
