//! Own writes are known before any watch shows them.

use domain::Key;

use super::Context;
use crate::cache::PendingCreate;
use crate::caches::watched::Watched;

impl Context {
    /// The answer to an own write of this object.
    pub fn wrote<K: Watched>(&self, object: K) {
        self.publish(self.caches.of::<K>().wrote(object));
    }

    /// The object with this uid was deleted by an own write.
    pub fn wrote_delete<K: Watched>(&self, key: &Key, uid: &str) {
        let cache = self.caches.of::<K>();
        self.publish(cache.wrote_delete(key, uid, self.now()));
    }

    /// A POST was answered.
    pub fn observe_answer<K: Watched>(&self, key: &Key) {
        if let Some(settled) = self.caches.of::<K>().observe_answer(key) {
            self.wake::<K>(&settled);
        }
    }

    /// A POST got no answer: the object is read live at once.
    pub fn create_unknown<K: Watched>(&self, key: &Key) {
        self.caches.of::<K>().create_unknown(key);
        self.doubt::<K>();
    }

    /// Triggers the objects that wait for an object that may exist: no watch reports that it does
    /// not exist.
    pub(super) fn wake<K: Watched>(&self, settled: &PendingCreate) {
        let triggers = &self.controllers.triggers;
        for (controller, key) in triggers.after_settling::<K>(settled, &self.caches) {
            self.enqueue(controller, key);
        }
    }
}
