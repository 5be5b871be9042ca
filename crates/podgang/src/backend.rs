//! What a scheduler is told of a gang: objects of its own, made from the PodGang and kept right.

mod kai;

use std::sync::Arc;

use api::PodGang;
use api::kai::KaiPodGroup;
use api::labels;
use domain::object::ownership;
use domain::plan::Action;
use domain::scheduling::{Backend, Profiles};
use domain::{Key, scheduling};
use engine::Caches;

/// What the gang's scheduler was told.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Told {
    /// Nothing: gates keep the gang together.
    #[default]
    Nothing,
    /// KAI Scheduler has this PodGroup, if any.
    Kai {
        /// The PodGroup.
        group: Option<Arc<KaiPodGroup>>,
        /// Whether the cluster has PodGroups of KAI at all.
        is_served: bool,
    },
}

/// Reads what the gang's scheduler was told.
pub(crate) fn observe(gang: &PodGang, caches: &Caches, profiles: &Profiles) -> Told {
    let scheduler = ownership::label(&gang.metadata, labels::SCHEDULER_NAME);
    match profiles.backend_of(scheduler) {
        Backend::DefaultScheduler => Told::Nothing,
        Backend::KaiScheduler => {
            let key = kai_key(gang);
            Told::Kai {
                group: caches.of::<KaiPodGroup>().get(&key),
                is_served: caches.is_served::<KaiPodGroup>(),
            }
        }
    }
}

fn kai_key(gang: &PodGang) -> Key {
    let namespace = gang.metadata.namespace.clone().unwrap_or_default();
    let name = scheduling::pod_group_name(&namespace, ownership::name(&gang.metadata));
    Key::new(namespace, name)
}

/// The write that tells the scheduler what it does not know yet.
pub(crate) fn plan(gang: &PodGang, told: &Told) -> Option<Action> {
    match told {
        Told::Nothing
        | Told::Kai {
            is_served: false, ..
        } => None,
        Told::Kai { group, .. } => kai::plan(gang, kai_key(gang), group.as_deref()),
    }
}
