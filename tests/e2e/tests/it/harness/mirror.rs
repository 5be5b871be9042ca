//! The objects of a namespace as watches show them. Who waits looks several times a second: lists of
//! everything each time take more of the machine than what is looked at.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use kube::api::{Api, DynamicObject, ListParams, WatchEvent, WatchParams};
use serde_json::Value;
use tokio::task::JoinHandle;

use super::client;

/// Before a watch that ended is begun again.
const PAUSE: Duration = Duration::from_millis(100);

/// The kinds that tests look at, of one namespace, a moment late: what is found here has to be
/// confirmed by a list.
#[derive(Debug)]
pub struct Mirror {
    kept: Arc<Mutex<Kept>>,
    watches: Vec<JoinHandle<()>>,
}

/// By name, of each kind that was listed.
type Kept = BTreeMap<usize, BTreeMap<String, Value>>;

impl Mirror {
    /// Begins to watch that namespace.
    pub fn of(kubeconfig: &Path, namespace: &str) -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let watch = |place| {
            let objects = client::objects_of(kubeconfig, namespace, place);
            let kept = kept.clone();
            client::spawn(async move {
                loop {
                    // It ends now and then, and is begun anew.
                    let _ = follow(&objects, place, &kept).await;
                    tokio::time::sleep(PAUSE).await;
                }
            })
        };
        let watches = (0..client::KINDS.len()).map(watch).collect();
        Self { kept, watches }
    }

    /// All of them, kind after kind, once each kind was listed.
    pub fn objects(&self) -> Option<Vec<Value>> {
        let kept = locked(&self.kept);
        let is_complete = kept.len() == client::KINDS.len();
        let all = kept.values().flat_map(BTreeMap::values);
        is_complete.then(|| all.cloned().collect())
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
    let items = list.items.into_iter();
    let all = items.map(|object| (name(&object), client::typed(object, place)));
    let all = all.collect();
    locked(kept).insert(place, all);
    let mut events = objects
        .watch(&WatchParams::default(), &version)
        .await?
        .boxed();
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                let (name, object) = (name(&object), client::typed(object, place));
                locked(kept).entry(place).or_default().insert(name, object);
            }
            WatchEvent::Deleted(object) => {
                locked(kept)
                    .entry(place)
                    .or_default()
                    .remove(&name(&object));
            }
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(_) => break,
        }
    }
    Ok(())
}

fn name(object: &DynamicObject) -> String {
    object.metadata.name.clone().unwrap_or_default()
}

fn locked(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
