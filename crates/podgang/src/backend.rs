//! Describes a gang to its scheduler: objects of the scheduler's own kinds, created from the
//! PodGang and kept right.

mod kai;
pub mod kubernetes;
pub mod lost_levels;
pub mod surplus;
pub mod topology;
pub mod tree;
mod volcano;

use std::collections::BTreeMap;
use std::sync::Arc;

use api::PodGang;
use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::kai::{KaiPodGroup, KaiTopologyConstraint};
use api::labels::{self, component};
use api::podgang::PodGroup;
use api::volcano::VolcanoPodGroup;
use domain::gang_tree::TreeNode;
use domain::object::ownership;
use domain::plan::Action;
use domain::scheduling::{Backend, UnsupportedFeature};
use domain::{Key, scheduling};
use engine::Caches;
use engine::caches::watched::Watched;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use crate::gang_part::GangPart;
use kubernetes::Shape;
use lost_levels::LostLevels;
use topology::Topology;

/// The PodGroup of a scheduler for a gang.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundGroup<K> {
    /// The PodGroup, if there is one.
    pub group: Option<Arc<K>>,
    /// Whether the cluster serves such PodGroups at all.
    pub is_served: bool,
}

/// The objects that describe the gang to its scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SchedulerObjects {
    /// Only the PodGang.
    #[default]
    Nothing,
    /// For KAI Scheduler: one gang.
    Kai(FoundGroup<KaiPodGroup>),
    /// For KAI Scheduler: all gangs of the replica, and the topology constraints of the nodes of
    /// their tree, by name.
    KaiTree(
        FoundGroup<KaiPodGroup>,
        TreeNode,
        BTreeMap<String, KaiTopologyConstraint>,
    ),
    /// Volcano.
    Volcano(FoundGroup<VolcanoPodGroup>),
    /// For Kubernetes' own scheduler.
    Kubernetes(Box<kubernetes::Facts>),
}

impl SchedulerObjects {
    /// Whether all gangs of the replica are placed as one tree, by the existing objects.
    pub(crate) fn is_tree(&self) -> bool {
        match self {
            Self::KaiTree(..) => true,
            Self::Kubernetes(facts) => facts.shape == Shape::Tree,
            Self::Nothing | Self::Kai(_) | Self::Volcano(_) => false,
        }
    }
}

/// The inputs of the backends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GangView<'a> {
    pub(crate) gang: &'a PodGang,
    pub(crate) parts: &'a [GangPart],
    pub(crate) scheduler_objects: &'a SchedulerObjects,
    /// The queue or priority that it names, if its scheduler cannot use that.
    pub(crate) unsupported: Option<&'a UnsupportedFeature>,
    /// The levels of its topology constraints that its scheduler does not know.
    pub(crate) lost_levels: &'a LostLevels,
}

impl GangView<'_> {
    /// The constraints of the gang that its scheduler can honour.
    fn topology(&self) -> Topology {
        Topology::of(self.gang).without(self.lost_levels)
    }
}

/// Reads the objects that describe the gang to its scheduler.
pub(crate) fn observe(
    gang: &PodGang,
    parts: &[GangPart],
    caches: &Caches,
    backend: Backend,
) -> SchedulerObjects {
    let kubernetes = |shape| {
        let facts = kubernetes::observe(gang, parts, caches, shape);
        SchedulerObjects::Kubernetes(Box::new(facts))
    };
    match backend {
        Backend::DefaultScheduler | Backend::KaiPodGrouper => SchedulerObjects::Nothing,
        Backend::KaiScheduler => SchedulerObjects::Kai(find(caches, &kai_key(gang))),
        Backend::KaiTree => match tree::observe(gang, caches) {
            Some((tree, constraints)) => {
                SchedulerObjects::KaiTree(find(caches, &kai_key(gang)), tree, constraints)
            }
            None => SchedulerObjects::Nothing,
        },
        Backend::Volcano => SchedulerObjects::Volcano(find(caches, &Key::of(&gang.metadata))),
        Backend::Kubernetes => kubernetes(kubernetes::shape_of(gang, caches, Shape::Split)),
        Backend::KubernetesTree => kubernetes(kubernetes::shape_of(gang, caches, Shape::Tree)),
    }
}

/// The levels of the gang's topology constraints that its scheduler does not know.
pub(crate) fn find_lost_levels(
    gang: &PodGang,
    parts: &[GangPart],
    caches: &Caches,
    backend: Backend,
) -> LostLevels {
    match backend {
        Backend::KaiScheduler | Backend::KaiTree => LostLevels::of_gang(gang, parts, caches),
        Backend::DefaultScheduler
        | Backend::KaiPodGrouper
        | Backend::Volcano
        | Backend::Kubernetes
        | Backend::KubernetesTree => LostLevels::default(),
    }
}

fn find<K: Watched>(caches: &Caches, key: &Key) -> FoundGroup<K> {
    FoundGroup {
        group: caches.of::<K>().get(key),
        is_served: caches.is_served::<K>(&key.namespace),
    }
}

fn kai_key(gang: &PodGang) -> Key {
    let namespace = gang.metadata.namespace.clone().unwrap_or_default();
    let name = scheduling::pod_group_name(&namespace, ownership::name(&gang.metadata));
    Key::new(namespace, name)
}

/// The writes that bring the scheduler's objects up to date, in waves.
pub(crate) fn plan(view: &GangView<'_>) -> Vec<Vec<Action>> {
    let gang = view.gang;
    // Volcano refuses a PodGroup without a queue, Kubernetes one whose priority is too high.
    if view.unsupported.is_some() {
        return Vec::new();
    }
    if let SchedulerObjects::Kubernetes(facts) = view.scheduler_objects {
        return kubernetes::plan(gang, facts);
    }
    let write = match view.scheduler_objects {
        SchedulerObjects::Kai(found) if found.is_served => {
            kai::plan(gang, kai_key(gang), found, kai::parts_of(view))
        }
        SchedulerObjects::KaiTree(found, tree, constraints) if found.is_served => {
            let wanted = kai::nodes_of(view, tree, constraints);
            kai::plan(gang, kai_key(gang), found, wanted)
        }
        SchedulerObjects::Volcano(found) if found.is_served => volcano::plan(view, found),
        _ => None,
    };
    vec![write.into_iter().collect()]
}

/// The properties of the gang that its scheduler does not support.
pub(crate) fn unsupported(view: &GangView<'_>) -> Option<ConditionUpdate> {
    let unserved = unserved(view).map(UnsupportedFeature::NotServed);
    if let Some(unsupported) = unserved.as_ref().or(view.unsupported) {
        return Some(unsupported.condition());
    }
    let (reason, message) = match view.scheduler_objects {
        SchedulerObjects::Kai(found) | SchedulerObjects::KaiTree(found, ..) => {
            kai::unsupported(view.gang, found)?
        }
        SchedulerObjects::Volcano(found) => volcano::dropped(found)?,
        SchedulerObjects::Kubernetes(facts) => kubernetes::dropped(facts)?,
        SchedulerObjects::Nothing => return None,
    };
    Some(ConditionUpdate {
        type_: ConditionType::SchedulingFeatureUnsupported,
        status: Status::True,
        reason,
        message,
    })
}

/// The backend if the cluster does not serve the kinds that the gang needs.
fn unserved(view: &GangView<'_>) -> Option<Backend> {
    match view.scheduler_objects {
        SchedulerObjects::Nothing => None,
        SchedulerObjects::Kai(found) | SchedulerObjects::KaiTree(found, ..) => {
            (!found.is_served).then_some(Backend::KaiScheduler)
        }
        SchedulerObjects::Volcano(found) => (!found.is_served).then_some(Backend::Volcano),
        SchedulerObjects::Kubernetes(facts) => kubernetes::unserved(view.gang, facts),
    }
}

/// Fields that the cluster's API may drop, or that others may write too, and whether the object has
/// them.
type Fields = Vec<(&'static str, bool)>;

/// Notes the written ones among them, in the same write.
fn note_fields(meta: &mut ObjectMeta, fields: &Fields) {
    let names: Vec<&str> = fields
        .iter()
        .filter(|(_, is_there)| *is_there)
        .map(|(name, _)| *name)
        .collect();
    let annotations = meta.annotations.get_or_insert_default();
    annotations.insert(labels::FIELDS_WRITTEN.into(), names.join(","));
}

/// The fields that were written and are missing.
fn dropped_fields(meta: &ObjectMeta, fields: &Fields) -> Vec<&'static str> {
    fields
        .iter()
        .filter(|(name, is_there)| !is_there && is_noted(meta, name))
        .map(|(name, _)| *name)
        .collect()
}

/// Whether the field is noted as written.
fn is_noted(meta: &ObjectMeta, field: &str) -> bool {
    let written = ownership::annotation(meta, labels::FIELDS_WRITTEN).unwrap_or_default();
    written.split(',').any(|one| one == field)
}

/// Reports them to users.
fn report_dropped(kind: &str, dropped: &[&str], remedy: &str) -> Option<(Reason, String)> {
    let fields = dropped.join(" and ");
    let message = format!("the cluster's definition of {kind} lacks {fields}: {remedy}");
    (!dropped.is_empty()).then_some((Reason::FieldsNotServed, message))
}

/// How many pods a part of the gang still needs: completed ones are subtracted.
fn minimum_of(view: &GangView<'_>, group: &PodGroup) -> u32 {
    let part = view.parts.iter().find(|part| part.name == group.name);
    let done = part.map_or(0, |part| part.completed.len());
    let minimum = usize::try_from(group.min_replicas).unwrap_or(0);
    u32::try_from(minimum.saturating_sub(done)).unwrap_or(u32::MAX)
}

/// Metadata of a new PodGroup of the gang.
fn new_meta(gang: &PodGang, key: Key) -> ObjectMeta {
    let set = ownership::label(&gang.metadata, labels::PART_OF).unwrap_or_default();
    let mut all = labels::default_labels(set);
    all.insert(labels::COMPONENT.into(), component::POD_GROUP.into());
    // E.g. the node pool of a sharded KAI Scheduler.
    let of_scheduler = gang
        .metadata
        .labels
        .iter()
        .flatten()
        .filter(|(key, _)| key.starts_with("kai.scheduler/"));
    all.extend(of_scheduler.map(|(key, value)| (key.clone(), value.clone())));
    ObjectMeta {
        name: Some(key.name),
        namespace: Some(key.namespace),
        labels: Some(all),
        owner_references: Some(vec![ownership::controller_reference(gang)]),
        ..ObjectMeta::default()
    }
}

/// Whether the PodGroup is the gang's and stays: any other PodGroup is left alone.
fn is_ours<K: Resource>(gang: &PodGang, group: &K) -> bool {
    let meta = group.meta();
    let uid = ownership::uid(&gang.metadata);
    ownership::is_controlled_by(meta, uid) && !ownership::is_terminating(meta)
}

/// The same for a PodGroup that has the gang's name: one left over by `--cascade=orphan` is
/// adopted.
fn is_ours_by_name<K: Resource>(gang: &PodGang, group: &K) -> bool {
    let meta = group.meta();
    let is_labelled = ownership::label(meta, labels::MANAGED_BY) == Some(labels::MANAGER);
    let is_left_over = is_labelled && ownership::controller(meta).is_none();
    is_ours(gang, group) || (is_left_over && !ownership::is_terminating(meta))
}

fn priority_of(gang: &PodGang) -> Option<String> {
    let priority = &gang.spec.priority_class_name;
    (!priority.is_empty()).then(|| priority.clone())
}
