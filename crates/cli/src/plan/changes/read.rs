//! Reads the objects of a set in the cluster.

use api::kai::KaiPodGroup;
use api::nvidia::ComputeDomain;
use api::volcano::VolcanoPodGroup;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels};
use domain::plan::Kind;
use domain::scheduling::Backend;
use domain::workload::claims::has_sharing;
use domain::workload::nvlink;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::api::resource::v1::ResourceClaim;
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};
use kube::Resource;
use podcliqueset::desired::gang::scheduler_name;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::exit::Failure;
use crate::plan::checks::PlannedAnswers;
use crate::plan::world::{Rules, World, encode, schema};

/// A set and all its objects, as stored.
#[derive(Clone, Debug)]
pub struct StoredWorkload {
    /// The set.
    pub set: Value,
    objects: Vec<(Kind, Value)>,
    /// The API server's answers about pods of new templates; without one it accepts them.
    pub answers: PlannedAnswers,
}

impl StoredWorkload {
    /// The set by itself.
    pub fn of(set: &PodCliqueSet) -> Result<Self, Failure> {
        let mut set = encode(set)?;
        // As the API server does when it reads an object older than a default.
        schema::complete("PodCliqueSet", &mut set);
        Ok(Self {
            set,
            objects: Vec::new(),
            answers: PlannedAnswers::new(),
        })
    }

    /// With these objects of a kind.
    pub fn add<K>(&mut self, objects: &[K]) -> Result<(), Failure>
    where
        K: Resource<DynamicType = ()> + Serialize,
    {
        for object in objects {
            self.objects.push((Kind::of::<K>(), encode(object)?));
        }
        Ok(())
    }

    pub(in crate::plan) fn put_into(&self, world: &mut World) -> Result<(), Failure> {
        world.answers.clone_from(&self.answers);
        world.put_found(Kind::of::<PodCliqueSet>(), self.set.clone())?;
        for (kind, object) in &self.objects {
            world.put_found(*kind, object.clone())?;
        }
        Ok(())
    }
}

/// Reads the set of that name and its objects, by label; none without the set.
pub async fn read_found(
    cluster: &Cluster,
    name: &str,
    rules: &Rules,
) -> Result<Option<StoredWorkload>, Failure> {
    let Some(set) = cluster.get::<PodCliqueSet>(name).await? else {
        return Ok(None);
    };
    let mut found = StoredWorkload::of(&set)?;
    let of_set = format!("{}={name}", labels::PART_OF);
    let (groups, podcliques, gangs, pods, services, autoscalers) = futures::try_join!(
        cluster.list::<PodCliqueScalingGroup>(&of_set),
        cluster.list::<PodClique>(&of_set),
        cluster.list::<PodGang>(&of_set),
        cluster.list::<Pod>(&of_set),
        cluster.list::<Service>(&of_set),
        cluster.list::<HorizontalPodAutoscaler>(&of_set),
    )?;
    found.add(&groups)?;
    found.add(&podcliques)?;
    found.add(&gangs)?;
    found.add(&pods)?;
    found.add(&services)?;
    found.add(&autoscalers)?;
    if has_sharing(&set.spec.template) {
        Box::pin(add_all::<ResourceClaim>(cluster, &of_set, &mut found)).await?;
    }
    let (rules, _) = rules.for_set(&set);
    let has_domains = rules.sets.is_mnnvl_enabled && !nvlink::enrolled_groups(&set).is_empty();
    // A cluster without NVIDIA's driver has none.
    if has_domains && let Ok(domains) = Box::pin(cluster.list::<ComputeDomain>(&of_set)).await {
        found.add(&domains)?;
    }
    read_for_scheduler(cluster, &set, &of_set, &rules, &mut found).await?;
    Ok(Some(found))
}

/// The objects for the set's scheduler.
async fn read_for_scheduler(
    cluster: &Cluster,
    set: &PodCliqueSet,
    of_set: &str,
    rules: &Rules,
    found: &mut StoredWorkload,
) -> Result<(), Failure> {
    let scheduler = scheduler_name(set);
    match rules.sets.profiles.backend_of(Some(scheduler)) {
        Backend::DefaultScheduler | Backend::KaiPodGrouper => {}
        Backend::KaiScheduler | Backend::KaiTree => {
            add_all::<KaiPodGroup>(cluster, of_set, found).await?;
        }
        Backend::Volcano => add_all::<VolcanoPodGroup>(cluster, of_set, found).await?,
        Backend::Kubernetes | Backend::KubernetesTree => {
            add_all::<PodGroup>(cluster, of_set, found).await?;
            add_all::<CompositePodGroup>(cluster, of_set, found).await?;
            add_all::<Workload>(cluster, of_set, found).await?;
        }
    }
    Ok(())
}

async fn add_all<K>(
    cluster: &Cluster,
    of_set: &str,
    found: &mut StoredWorkload,
) -> Result<(), Failure>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + DeserializeOwned + Serialize + std::fmt::Debug,
{
    found.add(&cluster.list::<K>(of_set).await?)
}
