//! Gangs that ran before their set named a queue: they keep running, and use no quota of it.

use domain::scheduling::quota;

use crate::observe::Snapshot;

/// That the gang runs outside the quota of its queue, for the message of condition `Scheduled`.
pub(crate) fn describe(snapshot: &Snapshot) -> Option<String> {
    let gang = &snapshot.gang;
    let queue = snapshot.queueing.as_ref()?.queue.as_deref()?;
    let is_counted = quota::is_reserved(gang) || quota::is_held(gang);
    let runs = snapshot.parts.iter().any(|part| !part.pods.is_empty());
    (runs && !is_counted).then(|| {
        format!(
            ", outside the quota of queue {queue}: the gang ran before its set named the queue, and asks for \
             quota when it starts again as a whole (suspend the set and resume it)"
        )
    })
}
