//! Single objects read live, for when the watch is not reliable or shows nothing.

use api::labels;
use domain::Key;
use domain::object::ownership;
use domain::plan::Kind;
use futures::{FutureExt, StreamExt};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::Context;
use crate::caches::watched::Watched;
use crate::requests::RequestError;

/// Live reads in flight per kind.
const MAX_CONCURRENT_READS: usize = 16;

impl Context {
    /// Reads the object live and takes the result over, unless the object changed meanwhile.
    /// Returns whether the API server answered: if it did not, further reads are of no use.
    pub async fn read_live<K: Watched>(&self, key: &Key) -> bool {
        let Err(error) = self.read_meta::<K>(key).await else {
            return true;
        };
        let (namespace, name) = (&key.namespace, &key.name);
        tracing::warn!(kind = %Kind::of::<K>(), namespace, name, %error, "live read failed");
        !matches!(
            error,
            RequestError::Unavailable(_) | RequestError::Throttled { .. }
        )
    }

    /// The same, and returns the metadata of the object; `None` if the object does not exist.
    ///
    /// # Errors
    /// If the object cannot be read.
    pub(crate) async fn read_meta<K: Watched>(
        &self,
        key: &Key,
    ) -> Result<Option<ObjectMeta>, RequestError> {
        let cache = self.caches.of::<K>();
        let before = cache.seen(key);
        let found = match self.requests.get::<K>(key).await {
            Ok(object) => Some(object),
            Err(RequestError::NotFound) => None,
            Err(error) => return Err(error),
        };
        let meta = found.as_ref().map(|object| object.meta().clone());
        let doubted = cache.unsettled(key);
        let foreign = found.as_ref().filter(|o| self.is_foreign::<K>(o.meta()));
        let change = match foreign {
            Some(foreign) => cache.let_go(key, &before, foreign.meta()),
            None => cache.read_live(key, &before, found),
        };
        self.publish(change);
        if let Some(settled) = doubted.filter(|_| cache.unsettled(key).is_none()) {
            self.wake::<K>(&settled);
        }
        Ok(meta)
    }

    /// Whether an object that no watch shows belongs to no known owner.
    fn is_foreign<K: Watched>(&self, meta: &ObjectMeta) -> bool {
        let is_followed = ownership::label(meta, labels::MANAGED_BY) == Some(labels::MANAGER);
        K::SELECTION.is_by_label()
            && !is_followed
            && self
                .sync
                .is_synced_in(meta.namespace.as_deref().unwrap_or_default())
            && !self.caches.is_concerned(meta)
    }

    /// Reads live the expired objects, some at once; failed reads are repeated later.
    pub(crate) async fn verify_expired<K: Watched>(&self) {
        let cache = self.caches.of::<K>();
        cache.tidy();
        let expired = cache.expired();
        let reads: Vec<_> = expired
            .iter()
            .map(|key| self.read_live::<K>(key).boxed())
            .collect();
        let mut reads = futures::stream::iter(reads).buffer_unordered(MAX_CONCURRENT_READS);
        while let Some(is_answered) = reads.next().await {
            if !is_answered {
                return;
            }
        }
    }
}
