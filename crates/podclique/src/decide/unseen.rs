//! A pod whose POST got no answer is looked for before anything is decided that it would change:
//! a second pod for its slot may get another name, and a PodClique that goes would leave it behind.

use jiff::{SignedDuration, Timestamp};

use crate::observe::Snapshot;

/// How soon it has been read live.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(1);

/// When to look again: that there is no such pod tells nobody.
pub(super) fn look_again(snapshot: &Snapshot, now: Timestamp) -> Option<Timestamp> {
    let is_waiting = snapshot.may_have_more;
    is_waiting.then(|| now.checked_add(LOOK_AGAIN).ok())?
}
