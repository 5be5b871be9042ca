//! A watch that resumes where it ended: the API server closes watches that it cannot serve fast
//! enough, which happens on an overloaded machine.

use std::collections::BTreeMap;
use std::pin::Pin;

use anyhow::{Result, bail};
use futures::{Stream, StreamExt as _};
use kube::Client;
use kube::api::WatchEvent;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::calls;
use crate::progress::say;

/// kube's client ends a watch that is idle for 295 s.
const SECONDS: u32 = 290;

/// The metadata that a watch needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// Its name.
    pub name: String,
    /// The resourceVersion from which the watch is resumed.
    pub resource_version: String,
    /// Its labels.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Present while it is terminating.
    pub deletion_timestamp: Option<String>,
}

/// The decoded part of an object.
pub trait Object: Clone + DeserializeOwned + Send + 'static {
    /// Its metadata.
    fn metadata(&self) -> &Metadata;
}

/// A change of an object.
#[derive(Clone, Debug)]
pub enum Event<T> {
    /// Its present state.
    Is(T),
    /// The object of that name is gone.
    Gone(String),
}

type Events<T> = Pin<Box<dyn Stream<Item = kube::Result<WatchEvent<T>>> + Send>>;

/// A watch of the objects at a path.
pub struct Watch<T> {
    client: Client,
    path: String,
    selector: String,
    version: String,
    events: Events<T>,
}

impl<T: Object> Watch<T> {
    /// Watches changes after this version; version 0 includes the existing objects.
    pub async fn begin(client: &Client, path: &str, selector: &str, version: &str) -> Result<Self> {
        let events = events(client, path, selector, version).await?;
        Ok(Self {
            client: client.clone(),
            path: path.to_owned(),
            selector: selector.to_owned(),
            version: version.to_owned(),
            events,
        })
    }

    /// Waits for the next event.
    pub async fn next(&mut self) -> Result<Event<T>> {
        loop {
            let (object, is_gone) = match self.events.next().await {
                Some(Ok(WatchEvent::Added(object) | WatchEvent::Modified(object))) => {
                    (object, false)
                }
                Some(Ok(WatchEvent::Deleted(object))) => (object, true),
                Some(Ok(WatchEvent::Bookmark(_))) => continue,
                Some(Ok(WatchEvent::Error(status))) => bail!("{}: {status:?}", self.path),
                Some(Err(_)) | None => {
                    say(&format!(
                        "    the watch of {} goes on where it ended",
                        self.path
                    ));
                    self.events =
                        events(&self.client, &self.path, &self.selector, &self.version).await?;
                    continue;
                }
            };
            self.version.clone_from(&object.metadata().resource_version);
            return Ok(if is_gone {
                Event::Gone(object.metadata().name.clone())
            } else {
                Event::Is(object)
            });
        }
    }
}

async fn events<T: Object>(
    client: &Client,
    path: &str,
    selector: &str,
    version: &str,
) -> Result<Events<T>> {
    let query = format!("watch=true&resourceVersion={version}&timeoutSeconds={SECONDS}");
    let call = calls::get(&format!("{path}?{query}&{selector}"))?;
    Ok(Box::pin(client.request_events::<T>(call).await?))
}
