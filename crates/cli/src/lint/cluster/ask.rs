//! Requests: each object once, several at a time, only metadata.

use api::kai::KaiQueue;
use api::kueue::{self, WorkloadPriorityClass};
use api::volcano::VolcanoQueue;
use api::{ClusterTopologyBinding, PodCliqueSet};
use futures::{StreamExt, TryStreamExt, stream};
use k8s_openapi::api::core::v1::{
    ConfigMap, LimitRange, Namespace, Node, PersistentVolumeClaim, ResourceQuota, Secret,
    ServiceAccount,
};
use k8s_openapi::api::resource::v1::{DeviceClass, ResourceClaim, ResourceClaimTemplate};
use k8s_openapi::api::scheduling::v1::PriorityClass;
use kube::api::ListParams;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Api, Resource};

use super::answers::{Answer, Answers, NamespaceQuota, NeededKind, Wanted};
use crate::cluster::Cluster;
use crate::exit::Failure;

/// Requests at a time.
const AT_ONCE: usize = 8;
/// Group and version of ComputeDomains.
const COMPUTE_DOMAINS: &str = "resource.nvidia.com/v1beta1";

/// The answers to all of these.
pub(super) async fn ask(cluster: &Cluster, wanted: Vec<Wanted>) -> Result<Answers, Failure> {
    let asked = wanted.into_iter().map(|wanted| async move {
        let answer = ask_one(cluster, &wanted).await;
        let answer = match answer {
            Err(kube::Error::Api(status)) if status.code == 403 => Answer::Forbidden,
            Err(error) => {
                let what = format!("get {} {}", wanted.kind.plural(), wanted.name);
                return Err(Failure::of_request(&what, &error));
            }
            Ok(answer) => answer,
        };
        Ok((wanted, answer))
    });
    let answers = stream::iter(asked).buffer_unordered(AT_ONCE);
    answers.try_collect().await
}

async fn ask_one(cluster: &Cluster, wanted: &Wanted) -> Result<Answer, kube::Error> {
    match wanted.kind {
        NeededKind::Definition => is_served(cluster, "grove.io/v1alpha1", &wanted.name).await,
        NeededKind::Namespace => exists::<Namespace>(cluster, wanted).await,
        NeededKind::PriorityClass => exists::<PriorityClass>(cluster, wanted).await,
        NeededKind::ServiceAccount => exists::<ServiceAccount>(cluster, wanted).await,
        NeededKind::Claim => exists::<PersistentVolumeClaim>(cluster, wanted).await,
        NeededKind::ConfigMap => exists::<ConfigMap>(cluster, wanted).await,
        NeededKind::Secret => exists::<Secret>(cluster, wanted).await,
        NeededKind::KaiQueue => exists_if_served(cluster, wanted, &of::<KaiQueue>()).await,
        NeededKind::VolcanoQueue => exists_if_served(cluster, wanted, &of::<VolcanoQueue>()).await,
        NeededKind::LocalQueue => exists_if_served(cluster, wanted, &local_queue()).await,
        NeededKind::WorkloadPriorityClass => {
            exists_if_served(cluster, wanted, &of::<WorkloadPriorityClass>()).await
        }
        NeededKind::ResourceClaim => {
            exists_if_served(cluster, wanted, &of::<ResourceClaim>()).await
        }
        NeededKind::ClaimTemplate => {
            exists_if_served(cluster, wanted, &of::<ResourceClaimTemplate>()).await
        }
        NeededKind::DeviceClass => exists_if_served(cluster, wanted, &of::<DeviceClass>()).await,
        NeededKind::ComputeDomains => is_served(cluster, COMPUTE_DOMAINS, &wanted.name).await,
        NeededKind::Topology => topology(cluster, wanted).await,
        NeededKind::LabelledNode => labelled_node(cluster, wanted).await,
        NeededKind::Quota => namespace_quota(cluster, wanted).await,
    }
}

/// Whether the cluster serves a resource; every user may ask that.
async fn is_served(cluster: &Cluster, version: &str, plural: &str) -> Result<Answer, kube::Error> {
    match cluster.client.list_api_group_resources(version).await {
        Ok(list) => {
            let found = list
                .resources
                .iter()
                .find(|resource| resource.name == plural);
            Ok(found.map_or(Answer::NotServed, |_| Answer::There))
        }
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(Answer::NotServed),
        Err(error) => Err(error),
    }
}

/// Whether an object exists; of a Secret only the metadata is read.
async fn exists<K>(cluster: &Cluster, wanted: &Wanted) -> Result<Answer, kube::Error>
where
    K: Resource<DynamicType = ()>,
{
    exists_as(cluster, wanted, &of::<K>()).await
}

fn of<K>() -> ApiResource
where
    K: Resource<DynamicType = ()>,
{
    ApiResource::erase::<K>(&())
}

/// The operator has no type for it.
fn local_queue() -> ApiResource {
    let kind = GroupVersionKind::gvk(kueue::GROUP, kueue::VERSION, "LocalQueue");
    ApiResource::from_gvk_with_plural(&kind, "localqueues")
}

async fn exists_as(
    cluster: &Cluster,
    wanted: &Wanted,
    kind: &ApiResource,
) -> Result<Answer, kube::Error> {
    let client = cluster.client.clone();
    let api: Api<DynamicObject> = match &wanted.namespace {
        Some(namespace) => Api::namespaced_with(client, namespace, kind),
        None => Api::all_with(client, kind),
    };
    let found = api.get_metadata_opt(&wanted.name).await?;
    Ok(found.map_or(Answer::Missing, |_| Answer::There))
}

/// The same of a kind that the cluster may not know.
async fn exists_if_served(
    cluster: &Cluster,
    wanted: &Wanted,
    kind: &ApiResource,
) -> Result<Answer, kube::Error> {
    match is_served(cluster, &kind.api_version, &kind.plural).await? {
        Answer::There => exists_as(cluster, wanted, kind).await,
        answer => Ok(answer),
    }
}

async fn topology(cluster: &Cluster, wanted: &Wanted) -> Result<Answer, kube::Error> {
    let api: Api<ClusterTopologyBinding> = Api::all(cluster.client.clone());
    let found = api.get_opt(&wanted.name).await?;
    Ok(found.map_or(Answer::Missing, |found| Answer::Topology(Box::new(found))))
}

async fn labelled_node(cluster: &Cluster, wanted: &Wanted) -> Result<Answer, kube::Error> {
    let api: Api<Node> = Api::all(cluster.client.clone());
    let one = ListParams::default().labels(&wanted.name).limit(1);
    let found = api.list_metadata(&one).await?;
    let first = found.items.first();
    Ok(first.map_or(Answer::Missing, |_| Answer::There))
}

async fn namespace_quota(cluster: &Cluster, wanted: &Wanted) -> Result<Answer, kube::Error> {
    let namespace = wanted.namespace.as_deref().unwrap_or_default();
    let quotas: Api<ResourceQuota> = Api::namespaced(cluster.client.clone(), namespace);
    let quotas = quotas.list(&ListParams::default()).await?.items;
    if quotas.is_empty() {
        return Ok(Answer::There);
    }
    let limits: Api<LimitRange> = Api::namespaced(cluster.client.clone(), namespace);
    let limits = limits.list(&ListParams::default()).await?.items;
    let sets: Api<PodCliqueSet> = Api::namespaced(cluster.client.clone(), namespace);
    let stored = if wanted.name.is_empty() {
        None
    } else {
        sets.get_opt(&wanted.name).await?
    };
    Ok(Answer::Quota(Box::new(NamespaceQuota {
        quotas,
        limits,
        stored,
    })))
}
