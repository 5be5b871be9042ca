//! Publishes events about objects that cannot be read.

use std::sync::Arc;
use std::time::Duration;

use api::events;
use domain::plan::Event;
use futures::future;
use tokio::time::timeout;

use super::unreadable::{Unread, Unreadable};
use crate::caches::watched::Watched;
use crate::context::Context;
use crate::event_recorder::{self, EventRecorder};
use crate::list_item::has_bare_form;

/// How often an unpublished event is tried again: another process may have led, or an answer was
/// lost.
const PUBLISH_INTERVAL: Duration = Duration::from_mins(1);

/// Publishes an event about each object of this kind that cannot be read, for ever.
pub(super) async fn publish_unreadable<K: Watched>(context: &Context, of: &[Arc<Unreadable>]) {
    if !has_bare_form::<K>() {
        return;
    }
    let recorder = EventRecorder::default();
    loop {
        if !context.is_standby() {
            for unread in of.iter().flat_map(|scope| scope.all()) {
                let about = event_recorder::reference_to(unread.object.clone());
                let now = context.now();
                recorder
                    .publish(context, about, &warn_of(&unread), now)
                    .await;
            }
        }
        let found = of.iter().map(|scope| Box::pin(scope.found.notified()));
        let _ = timeout(PUBLISH_INTERVAL, future::select_all(found)).await;
    }
}

/// The text of the event, with a remedy.
fn warn_of(unread: &Unread) -> Event {
    let Unread {
        object, problem, ..
    } = unread;
    let message = if unread.goes {
        format!(
            "cannot be read: {problem}; it is being deleted, so the operator removes it and the \
             objects that it controls by their metadata"
        )
    } else {
        let (kind, key) = (object.kind.name().to_lowercase(), &object.key);
        format!(
            "cannot be read: {problem}; the operator ignores it until it is deleted or corrected: \
             kubectl edit {kind} {} -n {}{}",
            key.name,
            key.namespace,
            subresource(problem),
        )
    };
    Event::warning(events::UNREADABLE, message)
}

fn subresource(problem: &str) -> &'static str {
    if problem.starts_with("status") {
        " --subresource=status"
    } else {
        ""
    }
}
