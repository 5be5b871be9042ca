//! The watch of one object by its name.

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use kube::Api;
use kube::core::DynamicObject;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, Event, watcher};
use tokio::time::{Instant, timeout_at};

/// A list that takes longer than this hangs.
const LIST_TIMEOUT: Duration = Duration::from_mins(1);
/// The interval at which the watch restarts: a dead watch looks like one without events.
const RELIST_INTERVAL: Duration = Duration::from_mins(10);

/// Watches forever, and sends the object, or its absence.
pub(super) async fn watch_by_name(
    api: Api<DynamicObject>,
    name: &str,
    mut tell: impl FnMut(Option<DynamicObject>),
) {
    loop {
        watch_until_relist(api.clone(), name, &mut tell).await;
    }
}

async fn watch_until_relist(
    api: Api<DynamicObject>,
    name: &str,
    tell: &mut impl FnMut(Option<DynamicObject>),
) {
    let config = Config::default().fields(&format!("metadata.name={name}"));
    let resource = api.resource_url().to_owned();
    let mut events = pin!(watcher(api, config).default_backoff());
    let mut until = Instant::now() + LIST_TIMEOUT;
    let mut listed = None;
    while let Ok(Some(event)) = timeout_at(until, events.next()).await {
        match event {
            Ok(Event::Init) => listed = None,
            Ok(Event::InitApply(object)) => listed = Some(object),
            Ok(Event::InitDone) => {
                until = Instant::now() + RELIST_INTERVAL;
                tell(listed.take());
            }
            Ok(Event::Apply(object)) => tell(Some(object)),
            Ok(Event::Delete(_)) => tell(None),
            Err(error) => tracing::warn!(
                resource,
                name,
                %error,
                "watch failed, trying again; if it is forbidden, the chart's role grants it"
            ),
        }
    }
}
