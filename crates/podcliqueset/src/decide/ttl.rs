//! A job that is over is deleted when its `ttlAfterFinished` has passed (docs/semantics.md §15.4).
//!
//! The time follows from the stored end, so it also passes while the operator is down. Exactly the
//! version that was decided on is deleted: an edit that takes the time away wins.

use api::{PodCliqueSet, events};
use domain::object::ownership;
use domain::plan::{Action, Event, Purpose};

use crate::observe::Snapshot;

pub(super) fn delete(snapshot: &Snapshot) -> Action {
    Action::delete_as_seen::<PodCliqueSet>(&snapshot.stored.metadata, Purpose::ExpireJob)
}

pub(super) fn expired_event(snapshot: &Snapshot) -> Event {
    let kept = snapshot.stored.spec.training_spec.as_ref();
    let kept = kept.and_then(|limits| limits.ttl_after_finished.clone());
    let text = format!(
        "the job is over, and trainingSpec.ttlAfterFinished ({}) has passed: it is deleted",
        kept.unwrap_or_default()
    );
    let uid = ownership::uid(&snapshot.stored.metadata);
    Event::normal(events::TTL_EXPIRED, text).once(uid)
}
