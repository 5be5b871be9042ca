//! Kinds that the API server may not serve: their CustomResourceDefinition comes and goes, or the
//! operator has no right on them.

use std::time::Duration;

use domain::plan::Kind;

use super::Informer;
use super::failures::Failures;
use crate::caches::Gap;
use crate::caches::watched::Watched;

/// The pauses before the API server is asked again for a kind that it does not serve, the first and
/// the longest: a definition that is replaced, or installed along with the operator, is soon there.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

impl Informer {
    /// The definition of the kind may be gone. If only a watch could not be restarted, a list shows
    /// whether that is so, and the operator stays ready meanwhile: it needs no optional kind.
    pub(super) async fn look_for_definition<K: Watched>(
        &self,
        is_listed: bool,
        failures: &mut Failures,
    ) {
        failures.count(1);
        if is_listed {
            failures.pause().await;
        } else {
            self.note_absence::<K>();
            failures.pause_between(FIRST_PAUSE, LONGEST_PAUSE).await;
        }
    }

    /// The kind is not served: its objects went with it, and no controller waits for it.
    fn note_absence<K: Watched>(&self) {
        // First of all, so that no controller takes the cleared objects for deleted ones.
        let has_changed = self.context.caches.open_gap::<K>(&self.scope, Gap::Absent);
        if has_changed {
            tracing::info!(kind = %Kind::of::<K>(), "not served by this cluster, or the operator may not read it; the operator asks again from time to time");
        }
        self.unreadable.forget();
        for change in self.context.caches.of::<K>().clear(&self.scope) {
            self.context.publish(Some(change));
        }
        if has_changed {
            self.context.wake_readers::<K>();
        }
        let metrics = &self.context.metrics;
        self.context.sync.stop_listening(&self.watch, metrics);
        self.open_gate();
    }
}
