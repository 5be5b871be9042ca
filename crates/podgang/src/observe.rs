//! The inputs of a PodGang's status.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::PodGang;
use api::podgang::PodGroup;
use domain::health::training;
use domain::placement::ClosedDomain;
use domain::scheduling::{self, Profiles, UnsupportedFeature};
use domain::{Key, Pod};
use engine::Caches;

use crate::backend::lost_levels::LostLevels;
use crate::backend::{self, GangView, SchedulerObjects};
use crate::closed;
use crate::gang_part::GangPart;
use crate::peers;
use crate::placement::{self, GangPlacement};
use crate::queueing::{self, QueueingFacts};
use crate::room::{self, GangRoom};
use crate::slots;
use crate::topology::{self, ScatteredScope};
use crate::tree::{self, GangTree};

/// The observation.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The gang.
    pub gang: Arc<PodGang>,
    /// The parts, in the order of the gang.
    pub parts: Vec<GangPart>,
    /// The placement of its pods, if that is known.
    pub placement: Option<GangPlacement>,
    /// The room that nodes have for it, if it waits for a topology domain.
    pub room: Option<GangRoom>,
    /// A pod of it that has to join a topology domain without a schedulable node, by name, and that
    /// domain.
    pub closed: Option<(String, ClosedDomain)>,
    /// All gangs of the replica, if its scheduler places them as one tree.
    pub tree: Option<GangTree>,
    /// The objects that describe it to its scheduler.
    pub scheduler_objects: SchedulerObjects,
    /// The queue or priority that it names, if its scheduler cannot use that.
    pub unsupported: Option<UnsupportedFeature>,
    /// The levels of its topology constraints that its scheduler does not know.
    pub lost_levels: LostLevels,
    /// Pods that have to share a topology domain and run in several.
    pub scattered: Option<ScatteredScope>,
    /// Whether its set is suspended.
    pub is_suspended: bool,
    /// The quota that it needs, if its set names a queue of Kueue.
    pub queueing: Option<QueueingFacts>,
}

impl Snapshot {
    /// The inputs of a backend.
    pub(crate) fn view(&self) -> GangView<'_> {
        GangView {
            gang: &self.gang,
            parts: &self.parts,
            scheduler_objects: &self.scheduler_objects,
            unsupported: self.unsupported.as_ref(),
            lost_levels: &self.lost_levels,
        }
    }
}

/// Reads the caches.
pub fn observe(gang: &Arc<PodGang>, caches: &Caches, profiles: &Profiles) -> Snapshot {
    let groups = gang.spec.pod_groups.iter();
    let parts: Vec<GangPart> = groups
        .map(|group| observe_part(gang, group, caches))
        .collect();
    let backend = peers::find_scheduler(gang, &parts, caches, profiles).backend;
    let queue = scheduling::queue_of(backend, &gang.metadata);
    let missing_queue = queue.and_then(|queue| caches.find_missing_queue(backend, queue));
    let class = &gang.spec.priority_class_name;
    let scheduler_objects = backend::observe(gang, &parts, caches, backend);
    Snapshot {
        lost_levels: backend::find_lost_levels(gang, &parts, caches, backend),
        placement: placement::observe(gang, &parts, caches),
        room: room::observe(gang, &parts, caches),
        closed: closed::find_closed(gang, &parts, caches),
        tree: scheduler_objects
            .is_tree()
            .then(|| tree::observe(gang, caches))
            .flatten(),
        scheduler_objects,
        scattered: topology::find_scattered(gang, &parts, caches),
        is_suspended: slots::is_set_suspended(gang, caches),
        queueing: queueing::observe(gang, &parts, caches, profiles, backend),
        unsupported: missing_queue
            .or_else(|| scheduling::find_unsupported_priority(backend, class)),
        parts,
        gang: gang.clone(),
    }
}

fn observe_part(gang: &PodGang, group: &PodGroup, caches: &Caches) -> GangPart {
    let namespace = gang.metadata.namespace.clone().unwrap_or_default();
    // A gang never leaves its namespace, whatever its list contains.
    let pods: Vec<Arc<Pod>> = group
        .pod_references
        .iter()
        .filter(|r| r.namespace == namespace)
        .filter_map(|r| {
            caches
                .of::<Pod>()
                .get(&Key::new(namespace.clone(), r.name.clone()))
        })
        .filter(|p| !p.is_terminating())
        .collect();
    let podclique = slots::find_podclique(gang, &group.name, caches);
    GangPart {
        name: group.name.clone(),
        min_replicas: group.min_replicas,
        completed: podclique.as_ref().map_or_else(BTreeSet::new, |c| {
            training::completed(c, pods.iter().map(AsRef::as_ref))
        }),
        podclique,
        pods,
    }
}
