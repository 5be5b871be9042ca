//! A watch that resumes where it ended: the API server ends the watch of a slow client, and on a
//! busy machine a test is slow.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use e2e::objects::{Kind, Objects};
use futures::TryStreamExt as _;
use kube::api::{ListParams, WatchEvent};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::harness::namespace::Namespace;
use crate::harness::proxy::client;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// All changes of the namespace's pods from now on; existing pods come first. It ends with the
/// runtime.
pub fn begin(ns: &Namespace<'_>) -> (Receiver<Value>, Runtime) {
    begin_of(ns, ("", "v1", "Pod"))
}

/// The same for another kind.
pub fn begin_of(ns: &Namespace<'_>, kind: Kind) -> (Receiver<Value>, Runtime) {
    let (tell, events) = mpsc::channel();
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
    let kubeconfig = &ns.control_plane.kubeconfig;
    let (objects, version) = runtime.block_on(async {
        let objects = Objects::of(client(kubeconfig).await, kind, Some(&ns.name));
        let version = list(&objects, &tell).await;
        (objects, version)
    });
    runtime.spawn(follow(objects, tell, version));
    (events, runtime)
}

/// Judges each event up to the end of that time: for what must *not* happen.
pub fn throughout(events: &Receiver<Value>, time: Duration, mut judge: impl FnMut(&Value)) {
    let end = Instant::now() + time;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match events.recv_timeout(left) {
            Ok(event) => judge(&event),
            Err(RecvTimeoutError::Timeout) => return,
            Err(RecvTimeoutError::Disconnected) => panic!("the watch has ended"),
        }
    }
}

/// Sends the existing objects; returns the version from which a watch continues.
async fn list(objects: &Objects, tell: &Sender<Value>) -> String {
    let list = objects.list(&ListParams::default()).await.unwrap();
    for object in &list.objects {
        tell.send(event("ADDED", object)).unwrap();
    }
    list.version
}

/// Sends every change since, until the receiver is closed or the API server has dropped that
/// version.
async fn follow(objects: Objects, tell: Sender<Value>, mut version: String) {
    loop {
        let Ok(mut events) = objects.watch(&version).await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
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
            let now = object["metadata"]["resourceVersion"].as_str();
            now.unwrap().clone_into(&mut version);
            if tell.send(event(kind, &object)).is_err() {
                return;
            }
        }
    }
}

fn event(kind: &str, object: &Value) -> Value {
    json!({"type": kind, "object": object})
}
