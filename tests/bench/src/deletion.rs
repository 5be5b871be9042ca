//! When the last object is gone.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use futures::TryFutureExt as _;
use futures::future::try_join_all;
use kube::Client;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::calls;
use crate::watching::{Event, Metadata, Object, Watch};

const DEADLINE: Duration = Duration::from_mins(4);

const GROVE: &str = "apis/grove.io/v1alpha1";
const OF_OPERATOR: &str = "labelSelector=app.kubernetes.io%2Fmanaged-by%3Dgrove-operator";

/// Users' objects, and the operator's objects for them.
const KINDS: [(&str, &str, &str); 6] = [
    (GROVE, "podcliquesets", ""),
    (GROVE, "podcliquescalinggroups", OF_OPERATOR),
    (GROVE, "podcliques", OF_OPERATOR),
    ("apis/scheduler.grove.io/v1alpha1", "podgangs", OF_OPERATOR),
    ("api/v1", "pods", OF_OPERATOR),
    ("api/v1", "services", OF_OPERATOR),
];

/// Deletes all PodCliqueSets of the namespace with one request; returns the seconds until they and
/// all their objects are gone.
pub async fn delete_sets(client: &Client, namespace: &str) -> Result<f64> {
    let began = Instant::now();
    let sets = calls::path(GROVE, namespace, "podcliquesets");
    let ends = try_join_all(KINDS.map(|kind| end_of(client, namespace, kind)));
    let deleted = calls::send::<IgnoredAny>(client, calls::delete(&sets, None)?);
    let all = futures::future::try_join(ends, deleted.map_err(Into::into));
    let (ends, _) = tokio::time::timeout(DEADLINE, all)
        .await
        .context("the deleted sets, or what was made for them, are still there")??;
    let end = ends.into_iter().max().unwrap_or(began);
    Ok(end.duration_since(began).as_secs_f64())
}

/// When the last object of this kind is gone.
async fn end_of(
    client: &Client,
    namespace: &str,
    (group, resource, selector): (&str, &str, &str),
) -> Result<Instant> {
    let path = calls::path(group, namespace, resource);
    let list: List = calls::send(client, calls::get(&format!("{path}?{selector}"))?).await?;
    let mut names: HashSet<String> = list.items.into_iter().map(|o| o.metadata.name).collect();
    let version = &list.metadata.resource_version;
    let mut watch = Watch::<Any>::begin(client, &path, selector, version).await?;
    while !names.is_empty() {
        match watch.next().await? {
            Event::Is(object) => names.insert(object.metadata.name),
            Event::Gone(name) => names.remove(&name),
        };
    }
    Ok(Instant::now())
}

#[derive(Clone, Debug, Deserialize)]
struct List {
    metadata: ListMetadata,
    items: Vec<Any>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMetadata {
    resource_version: String,
}

#[derive(Clone, Debug, Deserialize)]
struct Any {
    metadata: Metadata,
}

impl Object for Any {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}
