//! Reads the installation. A part that may not be read is unknown.

use api::PodCliqueSet;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration, WebhookClientConfig,
};
use k8s_openapi::api::apps::v1::Deployment;
use kube::Api;
use kube::api::PostParams;
use serde::Deserialize as _;
use serde_json::json;

use super::observed::{Observed, ObservedLease, Read, WebhookAnswer};
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
/// With these words the API server refuses the user, not the set.
const MAY_NOT_CREATE: &str = "cannot create resource";
const NOT_CALLED: &str = "failed calling webhook";
const DENIED: &str = "denied the request";

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
    Ok(Observed {
        served: read_kinds(cluster).await,
        deployments,
        leases,
        bundles: read_bundles(cluster).await,
        answer: ask_webhook(cluster).await,
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

async fn read_bundles(cluster: &Cluster) -> Read<Vec<Vec<u8>>> {
    let validating = cluster.list_everywhere::<ValidatingWebhookConfiguration>(OPERATOR);
    let mutating = cluster.list_everywhere::<MutatingWebhookConfiguration>(OPERATOR);
    let both = futures::try_join!(validating, mutating);
    let (validating, mutating) = both.map_err(|failure| failure.to_string())?;
    let validating = validating.into_iter().filter_map(|all| all.webhooks);
    let mutating = mutating.into_iter().filter_map(|all| all.webhooks);
    let bundle = |config: WebhookClientConfig| config.ca_bundle.map_or(Vec::new(), |b| b.0);
    let validating = validating
        .flatten()
        .map(|webhook| bundle(webhook.client_config));
    let mutating = mutating
        .flatten()
        .map(|webhook| bundle(webhook.client_config));
    Ok(validating.chain(mutating).collect())
}

/// Sends a set as a dry run: the API server asks the webhook and stores nothing.
async fn ask_webhook(cluster: &Cluster) -> WebhookAnswer {
    let set = PodCliqueSet::deserialize(&json!({
        "metadata": {"name": "status-check"},
        "spec": {"replicas": 1, "template": {"cliques": [{"name": "a", "spec": {
            "roleName": "a", "replicas": 1,
            "podSpec": {"containers": [{"name": "main", "image": "example.com/none:1"}]},
        }}]}},
    }));
    let set = match set {
        Ok(set) => set,
        Err(error) => return WebhookAnswer::NotAsked(error.to_string()),
    };
    let params = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let sets: Api<PodCliqueSet> = cluster.namespaced();
    match sets.create(&params, &set).await {
        Ok(_) => WebhookAnswer::Answered,
        Err(kube::Error::Api(status)) => interpret_answer(status.code, &status.message),
        Err(error) => WebhookAnswer::NotAsked(error.to_string()),
    }
}

/// The answer to the set, by the API server's status code and message.
pub fn interpret_answer(code: u16, message: &str) -> WebhookAnswer {
    if message.contains(NOT_CALLED) {
        return WebhookAnswer::Failed(message.to_owned());
    }
    match code {
        409 => WebhookAnswer::Answered,
        _ if message.contains(DENIED) => WebhookAnswer::Answered,
        403 if message.contains(MAY_NOT_CREATE) => {
            WebhookAnswer::NotAsked("you have no right to create PodCliqueSets".to_owned())
        }
        _ => WebhookAnswer::NotAsked(message.to_owned()),
    }
}
