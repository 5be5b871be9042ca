//! A recording of pods: what their kubelet wrote into their statuses, one line for each.
//!
//! The format is that of the recordings which the inner rings play: the first line says what the
//! pod does; then a line per version that a watch showed, without what differs from run to run.

mod line;

use anyhow::{Context as _, Result};
use futures::TryStreamExt as _;
use kube::Client;
use kube::api::{Api, DynamicObject, ListParams, WatchEvent, WatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

/// Writes a line for each status of the pods of that namespace and selector, until `write` fails or the
/// watch ends. A status that says the same as the one before it is left out.
pub async fn record(
    client: Client,
    namespace: &str,
    selector: &str,
    mut write: impl FnMut(&Value) -> Result<()>,
) -> Result<()> {
    write(&json!({"about": "", "scenario": format!("{namespace} {selector}")}))?;
    let pod = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Pod"));
    let pods = Api::<DynamicObject>::namespaced_with(client, namespace, &pod);
    let listed = pods.list(&ListParams::default().labels(selector)).await;
    let listed = listed.context("the pods cannot be listed")?;
    let mut said = line::Said::default();
    for pod in &listed.items {
        if let Some(line) = said.next("ADDED", &json!(pod)) {
            write(&line)?;
        }
    }
    let version = listed.metadata.resource_version.unwrap_or_default();
    let params = WatchParams::default().labels(selector);
    let events = pods.watch(&params, &version).await?;
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.try_next().await? {
        let (kind, pod) = match event {
            WatchEvent::Added(pod) => ("ADDED", pod),
            WatchEvent::Modified(pod) => ("MODIFIED", pod),
            WatchEvent::Deleted(pod) => ("DELETED", pod),
            WatchEvent::Bookmark(_) | WatchEvent::Error(_) => continue,
        };
        if let Some(line) = said.next(kind, &json!(pod)) {
            write(&line)?;
        }
    }
    Ok(())
}
