//! One set and all its objects, as they were read.

pub mod event;
pub mod observe;
pub mod pod_state;
mod view;

use std::collections::{BTreeMap, HashSet};

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::object::ownership;
use domain::roster::{self, Owner};
use domain::update;
use domain::workload::layout::{self, GroupIndexes, Layout};
use domain::workload::limits;
use k8s_openapi::api::core::v1::Pod;

pub use self::view::View;

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
    /// Whether the nodes of terminating pods are in service: those that could be read.
    pub nodes_in_service: BTreeMap<String, bool>,
}

impl Workload {
    /// The slots of the set by its live replica counts, whether they are filled or not.
    pub fn layout(&self) -> Layout<'_> {
        let (name, spec) = (ownership::name(&self.set.metadata), &self.set.spec);
        let replicas = limits::bounded(spec.replicas);
        layout::enumerate(name, &spec.template, replicas, |group, config| {
            let Some(found) = self.group(group) else {
                return limits::bounded(config.replicas.unwrap_or(1)).into();
            };
            let minimum = found.spec.min_available.unwrap_or(1);
            let given = config.rolling_update.as_ref();
            let rolling = update::rolling_in_force(&self.set, given, minimum);
            GroupIndexes {
                replicas: limits::bounded(found.spec.replicas),
                surge: update::surge_of_group(found, rolling.as_deref(), || {
                    let podcliques = self.podcliques.iter().map(|c| &c.metadata);
                    podcliques.filter_map(|meta| ownership::group_replica_in(group, meta))
                }),
            }
        })
    }

    /// The scaling group of that name.
    pub fn group(&self, name: &str) -> Option<&PodCliqueScalingGroup> {
        self.groups
            .iter()
            .find(|g| ownership::name(&g.metadata) == name)
    }

    /// The PodClique of that name.
    pub fn podclique(&self, name: &str) -> Option<&PodClique> {
        self.podcliques
            .iter()
            .find(|c| ownership::name(&c.metadata) == name)
    }

    /// Names of the PodCliques that the set should have and that were not found.
    pub fn absent_podcliques(&self) -> HashSet<String> {
        let found: HashSet<&str> = self
            .podcliques
            .iter()
            .map(|c| ownership::name(&c.metadata))
            .collect();
        let layout = self.layout();
        layout
            .slots()
            .map(|part| part.name.clone())
            .filter(|name| !found.contains(name.as_str()))
            .collect()
    }

    /// Adds those of the absent PodCliques that the set or its groups control and that were not found
    /// by their label, which users can edit.
    pub fn add_unlabelled(&mut self, absent: &HashSet<String>, podcliques: Vec<PodClique>) {
        let set = ownership::uid(&self.set.metadata);
        let is_own = |c: &PodClique| {
            let group = ownership::controller(&c.metadata).and_then(|o| self.group(&o.name));
            let group = group.map(|g| &g.metadata);
            roster::owner_of(set, group, &c.metadata) == Owner::Set
        };
        let missed: Vec<PodClique> = podcliques
            .into_iter()
            .filter(|c| absent.contains(ownership::name(&c.metadata)) && is_own(c))
            .collect();
        self.podcliques.extend(missed);
    }

    /// The PodGang of that name.
    pub fn gang(&self, name: &str) -> Option<&PodGang> {
        self.gangs
            .iter()
            .find(|g| ownership::name(&g.metadata) == name)
    }

    /// The pods of a PodClique, by name: the owner's uid decides.
    pub fn pods_of(&self, podclique: &PodClique) -> Vec<&Pod> {
        let uid = podclique.metadata.uid.as_deref();
        let is_owner = |pod: &&Pod| {
            pod.metadata
                .owner_references
                .iter()
                .flatten()
                .any(|o| Some(&*o.uid) == uid)
        };
        let mut pods: Vec<&Pod> = self.pods.iter().filter(is_owner).collect();
        pods.sort_by_key(|pod| (pod_state::index_of(pod), pod.metadata.name.clone()));
        pods
    }
}
