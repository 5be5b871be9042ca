//! A recording of a pod: the statuses that its kubelet wrote, one line each.
//!
//! The form is that of `crates/testkit/recordings`, which the inner rings replay: the first line
//! describes the pod; then a line for each version that a watch showed, without the parts that
//! differ from run to run.

mod head;
mod line;

use std::pin::pin;

use anyhow::{Context as _, Result};
use futures::TryStreamExt as _;
use kube::Client;
use kube::api::{Api, DynamicObject, ListParams, WatchEvent, WatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use line::Said;

/// The pod to record: the first one in this namespace with this selector.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its namespace.
    pub namespace: String,
    /// Label selector, such as `grove.io/podclique=job-0-w`.
    pub selector: String,
    /// The behaviour of the pod, or the events that it meets.
    pub about: String,
}

/// Writes the first line, and one for each status of the pod, until it is gone. A status equal to
/// the previous one is left out. The caller gives the times: `date` of the first line, `t` of the
/// others.
pub async fn record(
    client: Client,
    wanted: &Wanted,
    mut write: impl FnMut(Value) -> Result<()>,
) -> Result<()> {
    let pod = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Pod"));
    let pods = Api::<DynamicObject>::namespaced_with(client.clone(), &wanted.namespace, &pod);
    let selected = ListParams::default().labels(&wanted.selector);
    let listed = pods.list(&selected).await;
    let listed = listed.context("the pods cannot be listed")?;
    let version = listed.metadata.resource_version.unwrap_or_default();
    let watched = WatchParams::default().labels(&wanted.selector);
    let mut events = pin!(pods.watch(&watched, &version).await?);
    let mut said = Said::default();
    let mut next = listed.items.into_iter().next().map(WatchEvent::Added);
    while let Some(event) = take(&mut next, &mut events).await? {
        let Some((event, pod)) = shown(event) else {
            continue;
        };
        if said.is_new(&pod) {
            write(head::of(&client, wanted, &pod).await?)?;
        }
        if let Some(line) = said.next(event, &pod) {
            write(line)?;
        }
        if event == "DELETED" && said.is_of(&pod) {
            break;
        }
    }
    Ok(())
}

async fn take<S>(
    first: &mut Option<WatchEvent<DynamicObject>>,
    events: &mut S,
) -> Result<Option<WatchEvent<DynamicObject>>>
where
    S: futures::TryStream<Ok = WatchEvent<DynamicObject>, Error = kube::Error> + Unpin,
{
    match first.take() {
        Some(event) => Ok(Some(event)),
        None => events.try_next().await.context("the watch ended"),
    }
}

fn shown(event: WatchEvent<DynamicObject>) -> Option<(&'static str, Value)> {
    match event {
        WatchEvent::Added(pod) => Some(("ADDED", json!(pod))),
        WatchEvent::Modified(pod) => Some(("MODIFIED", json!(pod))),
        WatchEvent::Deleted(pod) => Some(("DELETED", json!(pod))),
        WatchEvent::Bookmark(_) | WatchEvent::Error(_) => None,
    }
}
