//! One set and all its objects, as they were read.

pub mod pod_state;
pub mod seen;
pub mod told;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::object::ownership;
use domain::workload::layout::{self, Layout};
use domain::workload::limits;
use k8s_openapi::api::core::v1::Pod;

/// A set and its objects.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// The set as stored.
    pub set: PodCliqueSet,
    /// Its scaling groups.
    pub groups: Vec<PodCliqueScalingGroup>,
    /// Its PodCliques, of any attempt.
    pub podcliques: Vec<PodClique>,
    /// Its PodGangs.
    pub gangs: Vec<PodGang>,
    /// Its pods, terminating ones included.
    pub pods: Vec<Pod>,
    /// Whether its namespace is being deleted, if that could be read.
    pub is_namespace_leaving: bool,
}

impl Workload {
    /// The slots of the set by its live replica counts, whether they are filled or not.
    pub fn layout(&self) -> Layout<'_> {
        let (name, spec) = (ownership::name(&self.set.metadata), &self.set.spec);
        let replicas = limits::bounded(spec.replicas);
        layout::enumerate(name, &spec.template, replicas, |group, config| {
            let live = self.group(group).map(|g| g.spec.replicas);
            limits::bounded(live.or(config.replicas).unwrap_or(1))
        })
    }

    /// The scaling group of that name.
    pub fn group(&self, name: &str) -> Option<&PodCliqueScalingGroup> {
        let mut groups = self.groups.iter();
        groups.find(|g| ownership::name(&g.metadata) == name)
    }

    /// The PodClique of that name.
    pub fn podclique(&self, name: &str) -> Option<&PodClique> {
        let mut all = self.podcliques.iter();
        all.find(|c| ownership::name(&c.metadata) == name)
    }

    /// The PodGang of that name.
    pub fn gang(&self, name: &str) -> Option<&PodGang> {
        let mut gangs = self.gangs.iter();
        gangs.find(|g| ownership::name(&g.metadata) == name)
    }

    /// The pods of a PodClique, by name: the owner's uid decides.
    pub fn pods_of(&self, podclique: &PodClique) -> Vec<&Pod> {
        let uid = podclique.metadata.uid.as_deref();
        let is_owner = |pod: &&Pod| {
            let mut owners = pod.metadata.owner_references.iter().flatten();
            owners.any(|o| Some(&*o.uid) == uid)
        };
        let mut pods: Vec<&Pod> = self.pods.iter().filter(is_owner).collect();
        pods.sort_by_key(|pod| (pod_state::index_of(pod), pod.metadata.name.clone()));
        pods
    }
}
