//! The objects of a control plane, kept by watches. Waiting tests read them several times a second:
//! a list of everything each time, or watches of each namespace, would load the machine more than
//! the operator does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::TryStreamExt as _;
use kube::Client;
use kube::api::{ListParams, WatchEvent};
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::objects::{KINDS, Objects};

/// The pause before an ended watch begins again.
const PAUSE: Duration = Duration::from_millis(250);

/// The kinds that tests read, of all namespaces, a moment late: a list has to confirm any result.
#[derive(Debug)]
pub struct Mirror {
    kinds: Vec<Arc<Kept>>,
    watches: Vec<JoinHandle<()>>,
}

/// The objects of a kind after its first list.
type Kept = Mutex<Option<ByNamespace>>;

type ByNamespace = BTreeMap<String, BTreeMap<String, Arc<Value>>>;

impl Mirror {
    /// Begins to watch the control plane of that client.
    pub fn of(client: &Client, runtime: &Handle) -> Self {
        let watch = |kind| {
            let kept = Arc::<Kept>::default();
            let objects = Objects::of(client.clone(), kind, None);
            let watch = runtime.spawn(follow_for_ever(objects, kept.clone()));
            (kept, watch)
        };
        let (kinds, watches) = KINDS.map(watch).into_iter().unzip();
        Self { kinds, watches }
    }

    /// The objects of a namespace, kind by kind, once each kind was listed.
    pub fn objects_in(&self, namespace: &str) -> Option<Vec<Vec<Arc<Value>>>> {
        let of_kind = |kept: &Arc<Kept>| {
            let objects = locked(kept);
            let there = objects.as_ref()?.get(namespace);
            Some(there.map_or_else(Vec::new, |there| there.values().cloned().collect()))
        };
        self.kinds.iter().map(of_kind).collect()
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.watches.iter().for_each(JoinHandle::abort);
    }
}

/// Restarts the watch whenever it ends.
async fn follow_for_ever(objects: Objects, kept: Arc<Kept>) {
    loop {
        // A kind that is not served any more has no objects.
        if follow(&objects, &kept).await.is_err() {
            *locked(&kept) = None;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn follow(objects: &Objects, kept: &Kept) -> kube::Result<()> {
    let list = objects.list(&ListParams::default()).await?;
    let mut listed = ByNamespace::new();
    for object in list.objects {
        keep(&mut listed, object);
    }
    *locked(kept) = Some(listed);
    let mut events = objects.watch(&list.version).await?;
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                keep(locked(kept).get_or_insert_default(), object);
            }
            WatchEvent::Deleted(object) => {
                let (namespace, name) = called(&object);
                if let Some(objects) = &mut *locked(kept) {
                    objects.entry(namespace).or_default().remove(&name);
                }
            }
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(_) => break,
        }
    }
    Ok(())
}

fn keep(objects: &mut ByNamespace, object: Value) {
    let (namespace, name) = called(&object);
    let named = objects.entry(namespace).or_default();
    named.insert(name, Arc::new(object));
}

fn called(object: &Value) -> (String, String) {
    let text = |field: &str| {
        let text = object.pointer(field).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    (text("/metadata/namespace"), text("/metadata/name"))
}

fn locked(kept: &Kept) -> MutexGuard<'_, Option<ByNamespace>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
