//! The Workload that PodGroups and CompositePodGroups refer to: it defines how they may be nested.

use api::PodGang;
use domain::object::ownership;
use domain::scheduling::kubernetes::{is_instance_name, probe_name};
use k8s_openapi::api::scheduling::v1beta1::{
    CompositeGangSchedulingPolicy, CompositePodGroupSchedulingPolicy, CompositePodGroupTemplate,
    GangSchedulingPolicy, PodGroupSchedulingPolicy, PodGroupTemplate, TypedLocalObjectReference,
    Workload, WorkloadSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use super::{Facts, WantedObjects};

/// Names of the templates, by the levels of a tree. One template may have any number of groups, so
/// the numbers of a workload are in the groups and not here.
pub(super) const GANG: &str = "gang";
pub(super) const SCALING_GROUP: &str = "scaling-group";
pub(super) const REPLICA: &str = "replica";
pub(super) const PODS: &str = "pods";
pub(super) const PODS_OF_REPLICA: &str = "replica-pods";
/// The group of a group replica whose pods have to share a topology domain, in a gang by itself.
pub(super) const INSTANCE: &str = "instance";
pub(super) const PODS_OF_INSTANCE: &str = "instance-pods";

/// The Workload that new objects of a gang refer to.
pub(super) struct ChosenWorkload {
    /// Its name.
    pub(super) name: String,
    /// Whether it exists.
    pub(super) exists: bool,
    needs_instances: bool,
}

impl ChosenWorkload {
    /// The first that has the needed templates. None can be added to an existing Workload, so a gang
    /// whose Workload lacks one gets another Workload.
    pub(super) fn of(gang: &PodGang, facts: &Facts, wanted: &WantedObjects) -> Self {
        let mut composites = wanted.composites.iter();
        let needs_instances = composites.any(|composite| is_instance_name(&composite.name));
        let fits = |found: &Workload| !needs_instances || has_instances(found);
        let gang = ownership::name(&gang.metadata);
        let mut names = (0..).map(|probe| probe_name(gang, probe));
        let free = names.find(|name| {
            let found = facts.workloads.get(name);
            found.is_none_or(|found| fits(found))
        });
        let name = free.unwrap_or_else(|| gang.to_owned());
        Self {
            exists: facts.workloads.contains_key(&name),
            name,
            needs_instances,
        }
    }

    /// The object.
    pub(super) fn build(&self, gang: &PodGang, metadata: ObjectMeta) -> Workload {
        let replica = composite_template(REPLICA, vec![], vec![pods_template(PODS_OF_REPLICA)]);
        let mut groups = vec![composite_template(SCALING_GROUP, vec![replica], vec![])];
        if self.needs_instances {
            let pods = pods_template(PODS_OF_INSTANCE);
            groups.push(composite_template(INSTANCE, vec![], vec![pods]));
        }
        let root = composite_template(GANG, groups, vec![pods_template(PODS)]);
        Workload {
            metadata,
            spec: WorkloadSpec {
                controller_ref: Some(TypedLocalObjectReference {
                    api_group: Some(PodGang::group(&()).into_owned()),
                    kind: PodGang::kind(&()).into_owned(),
                    name: ownership::name(&gang.metadata).to_owned(),
                }),
                composite_pod_group_templates: Some(vec![root]),
                ..WorkloadSpec::default()
            },
        }
    }
}

/// Whether its gang may have groups of group replicas.
fn has_instances(workload: &Workload) -> bool {
    let roots = workload.spec.composite_pod_group_templates.iter().flatten();
    let mut below = roots.flat_map(|root| root.composite_pod_group_templates.iter().flatten());
    below.any(|template| template.name == INSTANCE)
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
        scheduling_policy: CompositePodGroupSchedulingPolicy {
            gang: Some(CompositeGangSchedulingPolicy { min_group_count: 1 }),
            ..CompositePodGroupSchedulingPolicy::default()
        },
        composite_pod_group_templates: (!composites.is_empty()).then_some(composites),
        pod_group_templates: (!groups.is_empty()).then_some(groups),
        ..CompositePodGroupTemplate::default()
    }
}
