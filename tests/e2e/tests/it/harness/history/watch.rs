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
    begin_of(ns, &GroupVersionKind::gvk("", "v1", "Pod"))
}

/// The same of another kind.
pub fn begin_of(ns: &Namespace<'_>, kind: &GroupVersionKind) -> (Receiver<Value>, Runtime) {
    let (tell, events) = mpsc::channel();
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
    let kubeconfig = &ns.control_plane.kubeconfig;
    let (objects, version) = runtime.block_on(async {
        let objects = objects(kubeconfig, &ns.name, kind).await;
        let version = list(&objects, &tell).await;
        (objects, version)
    });
    runtime.spawn(follow(objects, tell, version));
    (events, runtime)
}

/// The objects of that kind in a namespace.
async fn objects(
    kubeconfig: &Path,
    namespace: &str,
    kind: &GroupVersionKind,
) -> Api<DynamicObject> {
    let kind = ApiResource::from_gvk(kind);
    Api::namespaced_with(client(kubeconfig).await, namespace, &kind)
}

/// Sends the objects that exist; returns the version from which a watch continues.
async fn list(objects: &Api<DynamicObject>, tell: &Sender<Value>) -> String {
    let list = objects.list(&ListParams::default()).await.unwrap();
    for object in list.items {
        tell.send(event("ADDED", &object)).unwrap();
    }
    list.metadata.resource_version.unwrap()
}

/// Sends every change since, until the receiver is closed or the API server has forgotten that
/// version.
async fn follow(objects: Api<DynamicObject>, tell: Sender<Value>, mut version: String) {
    loop {
        let events = objects.watch(&WatchParams::default(), &version).await;
        let Ok(events) = events else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let mut events = events.boxed();
        while let Ok(Some(next)) = events.try_next().await {
            let (kind, object) = match next {
                WatchEvent::Added(object) => ("ADDED", object),
                WatchEvent::Modified(object) => ("MODIFIED", object),
                WatchEvent::Deleted(object) => ("DELETED", object),
                WatchEvent::Bookmark(mark) => {
                    version = mark.metadata.resource_version;
                    continue;
                }
                WatchEvent::Error(status) if status.code == 410 => return,
                WatchEvent::Error(_) => break,
            };
            version = object.metadata.resource_version.clone().unwrap();
            if tell.send(event(kind, &object)).is_err() {
                return;
            }
        }
    }
}

fn event(kind: &str, object: &DynamicObject) -> Value {
    json!({"type": kind, "object": object})
}
