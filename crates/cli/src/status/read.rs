//! Reads the installation. A part that may not be read is unknown.

use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::ask::{ask_webhook, choose_namespace};
use super::observed::{Observed, ObservedLease, ObservedWebhook, Read};
use crate::cluster::{Cluster, OPERATOR};
use crate::exit::Failure;
use crate::operator_presence::{lease_name, read_lease};

/// The kinds of the two API groups.
pub(super) const KINDS: [&str; 5] = [
    "podcliquesets.grove.io",
    "podcliquescalinggroups.grove.io",
    "podcliques.grove.io",
    "clustertopologybindings.grove.io",
    "podgangs.scheduler.grove.io",
];
const GROUPS: [&str; 2] = ["grove.io", "scheduler.grove.io"];
/// Label of each namespace, by which the chart selects those that are watched.
const NAME_OF_NAMESPACE: &str = "kubernetes.io/metadata.name";

/// Reads all parts; a cluster that cannot be reached is a failure.
pub(super) async fn read(
    cluster: &Cluster,
    operator_namespace: Option<&str>,
) -> Result<Observed, Failure> {
    let server = cluster.client.apiserver_version().await;
    let server = match server {
        Ok(info) => Ok(info.git_version),
        Err(kube::Error::Api(status)) => Err(status.message.clone()),
        Err(error) => return Err(Failure::of_request("get the API server's version", &error)),
    };
    let deployments = read_deployments(cluster, operator_namespace).await;
    let mut leases = Vec::new();
    for deployment in deployments.iter().flatten() {
        leases.push(observe_lease(cluster, deployment).await);
    }
    let webhooks = read_webhooks(cluster).await;
    let asked_namespace = choose_namespace(&webhooks, &cluster.namespace).to_owned();
    Ok(Observed {
        served: read_kinds(cluster).await,
        deployments,
        leases,
        answer: ask_webhook(&in_namespace(cluster, &asked_namespace)).await,
        webhooks,
        asked_namespace,
        server,
    })
}

/// The kinds that are served; every user may ask that.
async fn read_kinds(cluster: &Cluster) -> Read<Vec<String>> {
    let mut served = Vec::new();
    for group in GROUPS {
        let version = format!("{group}/v1alpha1");
        match cluster.client.list_api_group_resources(&version).await {
            Ok(list) => {
                let names = list.resources.into_iter().map(|resource| resource.name);
                served.extend(names.map(|name| format!("{name}.{group}")));
            }
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            Err(error) => {
                let what = format!("list the kinds of {version}");
                return Err(Failure::of_request(&what, &error).to_string());
            }
        }
    }
    Ok(served)
}

async fn read_deployments(cluster: &Cluster, namespace: Option<&str>) -> Read<Vec<Deployment>> {
    let found = match namespace {
        None => cluster.list_everywhere(OPERATOR).await,
        Some(namespace) => in_namespace(cluster, namespace).list(OPERATOR).await,
    };
    found.map_err(|failure| failure.to_string())
}

async fn observe_lease(cluster: &Cluster, deployment: &Deployment) -> ObservedLease {
    let namespace = deployment.metadata.namespace.as_deref().unwrap_or_default();
    let lease = read_lease(cluster, deployment).await;
    ObservedLease {
        name: format!("{namespace}/{}", lease_name(deployment)),
        lease: lease.map_err(|failure| failure.to_string()),
    }
}

fn in_namespace(cluster: &Cluster, namespace: &str) -> Cluster {
    Cluster {
        client: cluster.client.clone(),
        namespace: namespace.to_owned(),
    }
}

async fn read_webhooks(cluster: &Cluster) -> Read<Vec<ObservedWebhook>> {
    let validating = cluster.list_everywhere::<ValidatingWebhookConfiguration>(OPERATOR);
    let mutating = cluster.list_everywhere::<MutatingWebhookConfiguration>(OPERATOR);
    let both = futures::try_join!(validating, mutating);
    let (validating, mutating) = both.map_err(|failure| failure.to_string())?;
    let validating = validating.into_iter().filter_map(|all| all.webhooks);
    let mutating = mutating.into_iter().filter_map(|all| all.webhooks);
    let validating = validating.flatten().map(|webhook| {
        observe_webhook(
            webhook.name,
            webhook.client_config,
            webhook.namespace_selector,
        )
    });
    let mutating = mutating.flatten().map(|webhook| {
        observe_webhook(
            webhook.name,
            webhook.client_config,
            webhook.namespace_selector,
        )
    });
    Ok(validating.chain(mutating).collect())
}

fn observe_webhook(
    name: String,
    config: WebhookClientConfig,
    selector: Option<LabelSelector>,
) -> ObservedWebhook {
    let named = selector
        .and_then(|selector| selector.match_expressions)
        .into_iter()
        .flatten()
        .find(|named| named.key == NAME_OF_NAMESPACE && named.operator == "In");
    ObservedWebhook {
        name,
        bundle: config.ca_bundle.map_or(Vec::new(), |bundle| bundle.0),
        namespaces: named.and_then(|named| named.values).unwrap_or_default(),
    }
}
