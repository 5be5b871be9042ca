//! The new objects of a set, as one value.

mod cliques;
mod gangs;
mod others;
mod quota;
mod settings;
mod topology;

use std::collections::BTreeMap;

use api::conditions::{self, ConditionType, Reason};
use api::nvidia::ComputeDomain;
use api::podcliqueset::TrainingSpec;
use api::{PodClique, PodCliqueSet, PodGang};
use domain::object::ownership;
use domain::workload::layout;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::resource::v1::ResourceClaim;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::Serialize;
use serde_json::Value;

use super::objects;
use super::world::World;
use crate::exit::Failure;

pub use cliques::{CliquePods, Variable};
pub use gangs::{Amounts, Gang};
pub use others::{Autoscaler, Group, Service};
pub use quota::AskedPods;
pub use settings::UpdateSettings;
pub use topology::PackedScope;

/// The new objects of a set.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outline {
    /// Name of the set.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// `Inference` or `Training`.
    pub workload_type: String,
    /// Replicas of the set.
    pub replicas: i32,
    /// The settings of a job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub training_spec: Option<TrainingSpec>,
    /// How updates run, if the set says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<UpdateSettings>,
    /// Warnings that kubectl would print.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Facts about the cluster that nobody knows, and by which the plan was made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// The operator's errors, if any keep it from acting on the set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Its gangs: the base gang of each replica, then the scaled ones.
    pub gangs: Vec<Gang>,
    /// Its scaling groups.
    pub groups: Vec<Group>,
    /// Its PodCliques and their pods.
    pub podcliques: Vec<CliquePods>,
    /// Its headless Services.
    pub services: Vec<Service>,
    /// Its autoscalers.
    pub autoscalers: Vec<Autoscaler>,
    /// Names of the resource claims that its pods share.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
    /// Names of its ComputeDomains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compute_domains: Vec<String>,
    /// All objects that the operator creates, as far as they are known; `?????` is the end of a
    /// pod's name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Value>,
}

impl Outline {
    /// Number of its pods.
    pub fn pods(&self) -> usize {
        self.podcliques.iter().map(|c| c.hostnames.len()).sum()
    }
}

/// The objects of the set in the world.
pub fn outline(set: &PodCliqueSet, world: &World) -> Result<Outline, Failure> {
    let parts = Parts::read(set, world)?;
    let meta = &set.metadata;
    Ok(Outline {
        name: ownership::name(meta).to_owned(),
        namespace: meta.namespace.clone().unwrap_or_default(),
        workload_type: set.spec.workload_type.unwrap_or_default().to_string(),
        replicas: set.spec.replicas,
        training_spec: settings::find_job(set),
        update: settings::find_update(set),
        warnings: Vec::new(),
        assumptions: world.assumptions().to_vec(),
        errors: errors_of(set),
        gangs: gangs::list_gangs(&parts, world),
        groups: others::list_groups(world)?,
        podcliques: cliques::list_cliques(&parts),
        services: others::list_services(world, meta.namespace.as_deref().unwrap_or_default())?,
        autoscalers: others::list_autoscalers(world)?,
        claims: others::list_staying::<ResourceClaim>(world),
        compute_domains: others::list_staying::<ComputeDomain>(world),
        objects: objects::list_objects(world),
    })
}

/// The operator's errors, and the topology constraint for which it holds gangs back.
pub(super) fn errors_of(set: &PodCliqueSet) -> Vec<String> {
    let status = set.status.as_ref();
    let errors = status.map_or(&[][..], |status| &status.last_errors);
    let unavailable: &str = Reason::TopologyUnavailable.into();
    let held = find_condition(set, ConditionType::SchedulingFeatureUnsupported)
        .filter(|condition| condition.reason == unavailable)
        .map(|condition| condition.message.clone());
    let errors = errors.iter().map(|error| error.description.clone());
    errors.chain(held).collect()
}

/// The condition of the set with this type.
pub(super) fn find_condition(set: &PodCliqueSet, type_: ConditionType) -> Option<&Condition> {
    conditions::find(&set.status.as_ref()?.conditions, type_)
}

/// The set, its PodCliques in the order of the template, their pods, and its gangs.
pub(super) struct Parts<'a> {
    pub(super) set: &'a PodCliqueSet,
    pub(super) podcliques: Vec<(PodClique, Vec<Pod>)>,
    places: BTreeMap<String, usize>,
    pub(super) gangs: Vec<PodGang>,
    pub(super) waits_until: &'static str,
}

impl<'a> Parts<'a> {
    fn read(set: &'a PodCliqueSet, world: &World) -> Result<Self, Failure> {
        let mut pods = pods_by_owner(world)?;
        let podcliques: Vec<PodClique> = world.all()?;
        let mut podcliques: Vec<_> = podcliques
            .into_iter()
            .map(|podclique| {
                let own = pods.remove(ownership::uid(&podclique.metadata));
                (podclique, own.unwrap_or_default())
            })
            .collect();
        let name = ownership::name(&set.metadata);
        podcliques.sort_by_cached_key(|(podclique, _)| {
            let name_of = ownership::name(&podclique.metadata);
            position_of(name, set, name_of)
        });
        let places = podcliques
            .iter()
            .enumerate()
            .map(|(i, (c, _))| (ownership::name(&c.metadata).to_owned(), i));
        Ok(Self {
            set,
            places: places.collect(),
            podcliques,
            gangs: world.all()?,
            waits_until: world.waits_until(),
        })
    }

    /// The PodClique of that name, its position, and its pods.
    pub(super) fn find(&self, name: &str) -> Option<(usize, &PodClique, &[Pod])> {
        let place = *self.places.get(name)?;
        let (podclique, pods) = self.podcliques.get(place)?;
        Some((place, podclique, pods))
    }
}

fn pods_by_owner(world: &World) -> Result<BTreeMap<String, Vec<Pod>>, Failure> {
    let mut pods: Vec<Pod> = world.all()?;
    pods.sort_by_key(index_of);
    let mut by_owner: BTreeMap<String, Vec<Pod>> = BTreeMap::new();
    for pod in pods {
        if let Some(owner) = ownership::controller(&pod.metadata) {
            let owner = owner.uid.clone();
            by_owner.entry(owner).or_default().push(pod);
        }
    }
    Ok(by_owner)
}

fn index_of(pod: &Pod) -> Option<i32> {
    ownership::label_index(&pod.metadata, api::labels::POD_INDEX)
}

type OutlinePosition = (Option<(i32, bool, usize, Option<i32>, usize)>, String);

/// Replica, group, group replica, clique.
fn position_of(set_name: &str, set: &PodCliqueSet, name: &str) -> OutlinePosition {
    let template = &set.spec.template;
    let part = layout::find(set_name, template, name);
    let place = part.map(|part| {
        let position = |clique: &str| template.cliques.iter().position(|c| c.name == clique);
        let group = part.group.and_then(|group| {
            template
                .scaling_groups
                .iter()
                .position(|g| g.name == group.name)
        });
        (
            part.replica,
            group.is_some(),
            group.unwrap_or(0),
            part.group_replica,
            position(part.clique).unwrap_or(usize::MAX),
        )
    });
    (place, name.to_owned())
}
