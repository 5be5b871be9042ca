//! One of fifteen kubelets shows a changed annotation in a pod's volume only at its next sync of
//! all pods, or when the annotation is changed once more (`start-order-child-stalled`).

use api::labels;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::life;
use super::play::Playing;
use crate::resource::Id;
use crate::store::Store;
use crate::{Rng, view};

/// The change that the kubelet does not show yet, and until when.
const MISSED: &str = "example.com/missed";
/// In this many of a thousand pods.
const MISSED_BY: usize = 67;
/// The longest recorded delay.
const UNTIL_NEXT_LOOK: SignedDuration = SignedDuration::from_secs(72);

/// The kubelet may miss that the pod may start; returns whether it does.
pub(super) fn miss(store: &mut Store, rng: &mut Rng, id: &Id, playing: Playing) -> bool {
    if playing == Playing::Nothing {
        return false;
    }
    let was_missed = store
        .get(id)
        .is_some_and(|pod| !view::annotation(pod, MISSED).is_empty());
    if was_missed || !rng.chance(MISSED_BY) {
        return false;
    }
    let until = store.now + UNTIL_NEXT_LOOK;
    store.edit("kubelet", id, |pod| {
        let missed = view::annotation(pod, labels::START).to_owned();
        pod["metadata"]["annotations"][MISSED] = json!(format!("{missed} {until}"));
    });
    true
}

/// When the pod sees the missed change, if it was not changed since.
pub(super) fn due(pod: &Value) -> Option<Timestamp> {
    let (missed, until) = view::annotation(pod, MISSED).rsplit_once(' ')?;
    let is_hidden = missed == view::annotation(pod, labels::START)
        && life::is_waiting(pod)
        && !view::is_terminating(pod);
    is_hidden.then(|| until.parse().ok())?
}
