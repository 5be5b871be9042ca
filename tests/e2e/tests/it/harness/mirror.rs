//! The objects of a control plane as watches show them. Who waits looks several times a second: lists
//! of everything each time, or watches of each namespace, take more of the machine than what is looked
//! at.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use kube::api::{Api, DynamicObject, ListParams, WatchEvent, WatchParams};
use serde_json::Value;
use tokio::task::JoinHandle;

use super::client::{self, KINDS};

/// Before a watch that ended is begun again.
const PAUSE: Duration = Duration::from_millis(250);

/// The kinds that tests look at, of all namespaces, a moment late: what is found here has to be
/// confirmed by a list.
#[derive(Debug)]
pub struct Mirror {
    kept: Arc<Mutex<Kept>>,
    watches: Vec<JoinHandle<()>>,
}

/// By namespace and name, of each kind that was listed.
type Kept = [Option<Objects>; KINDS.len()];

type Objects = BTreeMap<String, BTreeMap<String, Arc<Value>>>;

impl Mirror {
    /// Begins to watch that control plane.
    pub fn of(kubeconfig: &Path) -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let watch = |place| {
            let objects = client::objects_of(kubeconfig, place);
            let kept = kept.clone();
            client::spawn(async move {
                loop {
                    // It ends now and then, and is begun anew. A kind that is not served has no
                    // objects any more.
                    if follow(&objects, place, &kept).await.is_err() {
                        locked(&kept)[place] = None;
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            })
        };
        let watches = (0..KINDS.len()).map(watch).collect();
        Self { kept, watches }
    }

    /// Those of a namespace, kind after kind, once each kind was listed.
    pub fn objects_in(&self, namespace: &str) -> Option<Vec<Vec<Arc<Value>>>> {
        let kept = locked(&self.kept);
        let of_kind = |objects: &Option<Objects>| {
            let there = objects.as_ref()?.get(namespace);
            Some(there.map_or_else(Vec::new, |there| there.values().cloned().collect()))
        };
        kept.iter().map(of_kind).collect()
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.watches.iter().for_each(JoinHandle::abort);
    }
}

async fn follow(
    objects: &Api<DynamicObject>,
    place: usize,
    kept: &Mutex<Kept>,
) -> kube::Result<()> {
    let list = objects.list(&ListParams::default()).await?;
    let version = list.metadata.resource_version.clone().unwrap_or_default();
    let mut listed = Objects::new();
    for object in list.items {
        keep(&mut listed, place, object);
    }
    locked(kept)[place] = Some(listed);
    let mut events = objects
        .watch(&WatchParams::default(), &version)
        .await?
        .boxed();
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                keep(locked(kept)[place].get_or_insert_default(), place, object);
            }
            WatchEvent::Deleted(object) => {
                let (namespace, name) = called(&object);
                if let Some(objects) = &mut locked(kept)[place] {
                    objects.entry(namespace).or_default().remove(&name);
                }
            }
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(_) => break,
        }
    }
    Ok(())
}

fn keep(objects: &mut Objects, place: usize, object: DynamicObject) {
    let (namespace, name) = called(&object);
    let object = Arc::new(client::typed(object, place));
    objects.entry(namespace).or_default().insert(name, object);
}

fn called(object: &DynamicObject) -> (String, String) {
    let meta = &object.metadata;
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    (text(&meta.namespace), text(&meta.name))
}

fn locked(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
