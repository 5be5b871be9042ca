//! Event `PodCliqueFailed` of a training job (seed 002), on the set, where the user looks. Said of
//! what is stored, and by a PodClique on its way out too: with no delay its replica is torn down as
//! soon as the breach is known.

use api::conditions::{self, ConditionType};
use domain::Key;
use domain::availability::StoredBreach;
use domain::ownership;
use domain::plan::{Kind, Note, Target};
use jiff::{SignedDuration, Timestamp};

use crate::observe::Snapshot;

/// The event may be posted again for so long; saying it again is one event.
const FRESH: SignedDuration = SignedDuration::from_mins(1);

pub(super) fn note(snapshot: &Snapshot, now: Timestamp) -> Option<Note> {
    let set = snapshot.set.as_ref().filter(|_| snapshot.is_training())?;
    let meta = &snapshot.podclique.metadata;
    let status = snapshot.podclique.status.as_ref()?;
    let breach = conditions::find(&status.conditions, ConditionType::MinAvailableBreached)?;
    // A crash loop is one breach, and is told of once.
    let since = StoredBreach::from(status).since()?;
    let is_fresh = now.duration_since(breach.last_transition_time.0) < FRESH;
    let message = format!("PodClique {}: {}", ownership::name(meta), breach.message);
    let about = Target {
        kind: Kind::PodCliqueSet,
        key: Key::new(meta.namespace.clone().unwrap_or_default(), set.name.clone()),
        uid: set.uid.clone(),
    };
    let identity = format!("{}/{since}", ownership::uid(meta));
    is_fresh.then(|| {
        Note::warning("PodCliqueFailed", message)
            .once(identity)
            .about(about)
    })
}
