//! Kinds that the API server may not serve: their CustomResourceDefinition comes and goes, or the
//! operator has no right on them.

use std::time::Duration;

use domain::plan::Kind;

use super::Informer;
use crate::caches::Gap;
use crate::caches::watched::Watched;

/// The pause before the API server is asked again for a kind that it does not serve.
const ABSENT_PAUSE: Duration = Duration::from_secs(30);

impl Informer {
    /// The kind is not served: its objects went with it, and no controller waits for it.
    pub(super) async fn wait_until_served<K: Watched>(&self) {
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
        tokio::time::sleep(ABSENT_PAUSE).await;
    }
}
