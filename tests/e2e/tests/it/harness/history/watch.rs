//! A watch that is resumed where it ended: the API server ends the watch of a slow client, and on a
//! busy machine a test is one.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use kube::api::{Api, DynamicObject, ListParams, WatchEvent, WatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::harness::namespace::Namespace;
use crate::harness::proxy::client;

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// What happens to the pods of the namespace from now on; those that exist come first. It ends with
/// the runtime.
pub fn begin(ns: &Namespace<'_>) -> (Receiver<Value>, Runtime) {
    let (tell, events) = mpsc::channel();
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
    let kubeconfig = &ns.control_plane.kubeconfig;
    let (pods, version) = runtime.block_on(async {
        let pods = pods(kubeconfig, &ns.name).await;
        let version = list(&pods, &tell).await;
        (pods, version)
    });
    runtime.spawn(follow(pods, tell, version));
    (events, runtime)
}

/// The pods of a namespace.
async fn pods(kubeconfig: &Path, namespace: &str) -> Api<DynamicObject> {
    let pods = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Pod"));
    Api::namespaced_with(client(kubeconfig).await, namespace, &pods)
}

/// Sends the objects that exist; returns the version from which a watch continues.
async fn list(pods: &Api<DynamicObject>, tell: &Sender<Value>) -> String {
    let list = pods.list(&ListParams::default()).await.unwrap();
    for pod in list.items {
        tell.send(event("ADDED", &pod)).unwrap();
    }
    list.metadata.resource_version.unwrap()
}

/// Sends every change since, until the receiver is closed or the API server has forgotten that
/// version.
async fn follow(pods: Api<DynamicObject>, tell: Sender<Value>, mut version: String) {
    loop {
        let events = pods.watch(&WatchParams::default(), &version).await;
        let Ok(events) = events else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let mut events = events.boxed();
        while let Ok(Some(next)) = events.try_next().await {
            let (kind, pod) = match next {
                WatchEvent::Added(pod) => ("ADDED", pod),
                WatchEvent::Modified(pod) => ("MODIFIED", pod),
                WatchEvent::Deleted(pod) => ("DELETED", pod),
                WatchEvent::Bookmark(mark) => {
                    version = mark.metadata.resource_version;
                    continue;
                }
                WatchEvent::Error(status) if status.code == 410 => return,
                WatchEvent::Error(_) => break,
            };
            version = pod.metadata.resource_version.clone().unwrap();
            if tell.send(event(kind, &pod)).is_err() {
                return;
            }
        }
    }
}

fn event(kind: &str, pod: &DynamicObject) -> Value {
    json!({"type": kind, "object": pod})
}
