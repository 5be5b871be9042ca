//! The objects for Kubernetes' own scheduler.

use api::{PodGang, labels};
use domain::Key;
use domain::object::ownership;
use domain::scheduling::kubernetes::composite_name;
use k8s_openapi::api::scheduling::v1alpha3::{
    AllCompositeDisruptionMode, CompositeDisruptionMode, CompositeGangSchedulingPolicy,
    CompositePodGroup, CompositePodGroupSchedulingPolicy, CompositePodGroupSpec,
    WorkloadReference as CompositeReference,
};
use k8s_openapi::api::scheduling::v1beta1::{
    self, AllDisruptionMode, CompositePodGroupTemplate, DisruptionMode, GangSchedulingPolicy,
    PodGroup, PodGroupSchedulingPolicy, PodGroupSpec, PodGroupTemplate, TypedLocalObjectReference,
    Workload, WorkloadReference, WorkloadSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde_json::json;

use super::{WantedComposite, WantedGroup};
use crate::backend::{new_meta, priority_of};

/// Names of the templates of the Workload, by the levels of a tree. One template may have any
/// number of groups, so the numbers of a workload are in the groups and not here.
const GANG: &str = "gang";
const SCALING_GROUP: &str = "scaling-group";
const REPLICA: &str = "replica";
const PODS: &str = "pods";
const PODS_OF_REPLICA: &str = "replica-pods";

/// Creates the objects of a gang.
pub(super) struct Objects<'a> {
    pub gang: &'a PodGang,
}

impl Objects<'_> {
    /// A group of pods.
    pub(super) fn group(&self, wanted: &WantedGroup) -> PodGroup {
        let root = self.root();
        let is_root = |parent: &&String| **parent == root;
        let parent = wanted.parent.as_ref();
        let template = match parent.filter(is_root) {
            Some(_) => PODS,
            None => PODS_OF_REPLICA,
        };
        PodGroup {
            metadata: self.meta(&wanted.name),
            spec: PodGroupSpec {
                scheduling_policy: PodGroupSchedulingPolicy {
                    gang: Some(GangSchedulingPolicy {
                        min_count: signed(wanted.minimum),
                    }),
                    ..PodGroupSchedulingPolicy::default()
                },
                parent_composite_pod_group_name: wanted.parent.clone(),
                workload_ref: parent.map(|_| WorkloadReference {
                    workload_name: ownership::name(&self.gang.metadata).to_owned(),
                    template_name: template.to_owned(),
                }),
                priority_class_name: priority_of(self.gang),
                disruption_mode: wanted.is_unit.then(|| DisruptionMode {
                    all: Some(AllDisruptionMode(json!({}))),
                    single: None,
                }),
                ..PodGroupSpec::default()
            },
            ..PodGroup::default()
        }
    }

    /// A group of groups.
    pub(super) fn composite(&self, wanted: &WantedComposite) -> CompositePodGroup {
        let gang = ownership::name(&self.gang.metadata);
        let root = self.root();
        let template = match wanted.parent.as_deref() {
            None => GANG,
            Some(parent) if parent == root => SCALING_GROUP,
            Some(_) => REPLICA,
        };
        CompositePodGroup {
            metadata: self.meta(&wanted.name),
            spec: CompositePodGroupSpec {
                scheduling_policy: CompositePodGroupSchedulingPolicy {
                    gang: Some(CompositeGangSchedulingPolicy {
                        min_group_count: signed(wanted.required),
                    }),
                    ..CompositePodGroupSchedulingPolicy::default()
                },
                parent_composite_pod_group_name: wanted.parent.clone(),
                workload_ref: CompositeReference {
                    workload_name: gang.to_owned(),
                    template_name: template.to_owned(),
                },
                priority_class_name: priority_of(self.gang),
                disruption_mode: wanted.is_unit.then(|| CompositeDisruptionMode {
                    all: Some(AllCompositeDisruptionMode(json!({}))),
                    single: None,
                }),
                ..CompositePodGroupSpec::default()
            },
            ..CompositePodGroup::default()
        }
    }

    /// The Workload that both refer to; it defines how they may be nested.
    pub(super) fn workload(&self) -> Workload {
        let replica = composite_template(REPLICA, vec![], vec![pods_template(PODS_OF_REPLICA)]);
        let group = composite_template(SCALING_GROUP, vec![replica], vec![]);
        let gang = composite_template(GANG, vec![group], vec![pods_template(PODS)]);
        Workload {
            metadata: self.meta(ownership::name(&self.gang.metadata)),
            spec: WorkloadSpec {
                controller_ref: Some(TypedLocalObjectReference {
                    api_group: Some(PodGang::group(&()).into_owned()),
                    kind: PodGang::kind(&()).into_owned(),
                    name: ownership::name(&self.gang.metadata).to_owned(),
                }),
                composite_pod_group_templates: Some(vec![gang]),
                ..WorkloadSpec::default()
            },
        }
    }

    /// Name of the group of groups at the top.
    fn root(&self) -> String {
        composite_name(ownership::name(&self.gang.metadata))
    }

    fn meta(&self, name: &str) -> ObjectMeta {
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
        meta
    }
}

fn pods_template(name: &str) -> PodGroupTemplate {
    PodGroupTemplate {
        name: name.to_owned(),
        scheduling_policy: PodGroupSchedulingPolicy {
            gang: Some(GangSchedulingPolicy { min_count: 1 }),
            ..PodGroupSchedulingPolicy::default()
        },
        ..PodGroupTemplate::default()
    }
}

fn composite_template(
    name: &str,
    composites: Vec<CompositePodGroupTemplate>,
    groups: Vec<PodGroupTemplate>,
) -> CompositePodGroupTemplate {
    CompositePodGroupTemplate {
        name: name.to_owned(),
        scheduling_policy: v1beta1::CompositePodGroupSchedulingPolicy {
            gang: Some(v1beta1::CompositeGangSchedulingPolicy { min_group_count: 1 }),
            ..v1beta1::CompositePodGroupSchedulingPolicy::default()
        },
        composite_pod_group_templates: (!composites.is_empty()).then_some(composites),
        pod_group_templates: (!groups.is_empty()).then_some(groups),
        ..CompositePodGroupTemplate::default()
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
