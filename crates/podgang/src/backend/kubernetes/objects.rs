//! The objects for Kubernetes' own scheduler.

use std::sync::Arc;

use api::{PodGang, labels};
use domain::Key;
use domain::object::ownership;
use domain::plan::Action;
use domain::scheduling::kubernetes::{composite_name, is_instance_name, root_name};
use k8s_openapi::api::scheduling::v1alpha3::{
    self, AllCompositeDisruptionMode, CompositeDisruptionMode, CompositeGangSchedulingPolicy,
    CompositePodGroup, CompositePodGroupSchedulingConstraints, CompositePodGroupSchedulingPolicy,
    CompositePodGroupSpec, WorkloadReference as CompositeReference,
};
use k8s_openapi::api::scheduling::v1beta1::{
    AllDisruptionMode, DisruptionMode, GangSchedulingPolicy, PodGroup,
    PodGroupSchedulingConstraints, PodGroupSchedulingPolicy, PodGroupSpec, TopologyConstraint,
    WorkloadReference,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::json;

use super::dropped::note_constraint;
use super::workload::{
    ChosenWorkload, GANG, INSTANCE, PODS, PODS_OF_INSTANCE, PODS_OF_REPLICA, REPLICA, SCALING_GROUP,
};
use super::{Facts, WantedComposite, WantedGroup, WantedObjects};
use crate::backend::{new_meta, priority_of};

/// Creates the objects of a gang.
pub(super) struct Objects<'a> {
    gang: &'a PodGang,
    facts: &'a Facts,
    workload: ChosenWorkload,
}

impl<'a> Objects<'a> {
    /// For a gang that needs these objects.
    pub(super) fn of(gang: &'a PodGang, facts: &'a Facts, wanted: &WantedObjects) -> Self {
        Self {
            gang,
            facts,
            workload: ChosenWorkload::of(gang, facts, wanted),
        }
    }

    /// A group of pods.
    pub(super) fn group(&self, wanted: &WantedGroup) -> PodGroup {
        let root = self.root();
        let parent = wanted.parent.as_ref();
        let template = match parent {
            Some(parent) if *parent == root => PODS,
            Some(parent) if is_instance_name(parent) => PODS_OF_INSTANCE,
            _ => PODS_OF_REPLICA,
        };
        PodGroup {
            metadata: self.meta(&wanted.name, wanted.topology_key.as_deref()),
            spec: PodGroupSpec {
                scheduling_policy: PodGroupSchedulingPolicy {
                    gang: Some(GangSchedulingPolicy {
                        min_count: signed(wanted.minimum),
                    }),
                    ..PodGroupSchedulingPolicy::default()
                },
                parent_composite_pod_group_name: wanted.parent.clone(),
                workload_ref: parent.map(|_| WorkloadReference {
                    workload_name: self.workload.name.clone(),
                    template_name: template.to_owned(),
                }),
                priority_class_name: priority_of(self.gang),
                disruption_mode: wanted.is_unit.then(|| DisruptionMode {
                    all: Some(AllDisruptionMode(json!({}))),
                    single: None,
                }),
                scheduling_constraints: wanted.topology_key.clone().map(|key| {
                    PodGroupSchedulingConstraints {
                        topology: Some(vec![TopologyConstraint { key }]),
                    }
                }),
                resource_claims: self.facts.claims.get(&wanted.name).cloned(),
                ..PodGroupSpec::default()
            },
            ..PodGroup::default()
        }
    }

    /// A group of groups.
    pub(super) fn composite(&self, wanted: &WantedComposite) -> CompositePodGroup {
        let root = self.root();
        let template = match wanted.parent.as_deref() {
            None => GANG,
            Some(_) if is_instance_name(&wanted.name) => INSTANCE,
            Some(parent) if parent == root => SCALING_GROUP,
            Some(_) => REPLICA,
        };
        CompositePodGroup {
            metadata: self.meta(&wanted.name, wanted.topology_key.as_deref()),
            spec: CompositePodGroupSpec {
                scheduling_policy: CompositePodGroupSchedulingPolicy {
                    gang: Some(CompositeGangSchedulingPolicy {
                        min_group_count: signed(wanted.required),
                    }),
                    ..CompositePodGroupSchedulingPolicy::default()
                },
                parent_composite_pod_group_name: wanted.parent.clone(),
                workload_ref: CompositeReference {
                    workload_name: self.workload_of(wanted),
                    template_name: template.to_owned(),
                },
                priority_class_name: priority_of(self.gang),
                disruption_mode: wanted.is_unit.then(|| CompositeDisruptionMode {
                    all: Some(AllCompositeDisruptionMode(json!({}))),
                    single: None,
                }),
                scheduling_constraints: wanted.topology_key.clone().map(|key| {
                    CompositePodGroupSchedulingConstraints {
                        topology: Some(vec![v1alpha3::TopologyConstraint { key }]),
                    }
                }),
                ..CompositePodGroupSpec::default()
            },
            ..CompositePodGroup::default()
        }
    }

    /// The creation of the Workload that both refer to, if it does not exist.
    pub(super) fn create_workload(&self) -> Option<Action> {
        let workload = &self.workload;
        (!workload.exists).then(|| {
            let metadata = self.meta(&workload.name, None);
            Action::create(workload.build(self.gang, metadata))
        })
    }

    /// Name of the Workload of a CompositePodGroup: that of the PodGroups below it, which may have
    /// been created while the gang had another Workload.
    fn workload_of(&self, composite: &WantedComposite) -> String {
        let gang = ownership::name(&self.gang.metadata);
        let is_below = |group: &&Arc<PodGroup>| {
            let parent = group.spec.parent_composite_pod_group_name.as_deref();
            parent.is_some_and(|parent| {
                parent == composite.name || root_name(gang, parent) == composite.name
            })
        };
        let mut groups = self.facts.groups.values().filter(is_below);
        let known = groups.find_map(|group| group.spec.workload_ref.as_ref());
        known
            .map_or(&self.workload.name, |known| &known.workload_name)
            .clone()
    }

    /// Name of the group of groups at the top.
    fn root(&self) -> String {
        composite_name(ownership::name(&self.gang.metadata))
    }

    fn meta(&self, name: &str, topology_key: Option<&str>) -> ObjectMeta {
        let namespace = self.gang.metadata.namespace.clone().unwrap_or_default();
        let mut meta = new_meta(self.gang, Key::new(namespace, name));
        let all = meta.labels.get_or_insert_default();
        let gang = ownership::name(&self.gang.metadata).to_owned();
        all.insert(labels::POD_GANG.into(), gang);
        // Kubernetes keeps a PodGroup as long as pods name it: with `blockOwnerDeletion` a PodGang would
        // wait for it, and be useless until then.
        for owner in meta.owner_references.iter_mut().flatten() {
            owner.block_owner_deletion = None;
        }
        if topology_key.is_some() {
            note_constraint(&mut meta);
        }
        meta
    }
}

/// The minimum of a PodGroup.
pub(super) fn minimum_of(group: &PodGroup) -> Option<u32> {
    let gang = group.spec.scheduling_policy.gang.as_ref()?;
    u32::try_from(gang.min_count).ok()
}

/// Whether its pods are evicted together.
pub(super) fn is_unit(group: &PodGroup) -> bool {
    let mode = group.spec.disruption_mode.as_ref();
    mode.is_some_and(|mode| mode.all.is_some())
}

/// The number of children that a CompositePodGroup requires.
pub(super) fn required_by(composite: &CompositePodGroup) -> Option<u32> {
    let gang = composite.spec.scheduling_policy.gang.as_ref()?;
    u32::try_from(gang.min_group_count).ok()
}

fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
