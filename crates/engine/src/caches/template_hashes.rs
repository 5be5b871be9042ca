//! Hashes of the pods that cliques make, as far as they were computed.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use api::PodCliqueSet;
use domain::object::ownership;

/// The hashes of the cliques of each PodCliqueSet, by its uid. Every PodClique asks for its own at
/// every decision, and a pod's template may be long.
#[derive(Debug, Default)]
pub struct TemplateHashes(RwLock<HashMap<String, Computed>>);

#[derive(Debug)]
struct Computed {
    /// What they were computed from. Not its generation: in a restored etcd the same one may have
    /// another template.
    set: Weak<PodCliqueSet>,
    by_clique: HashMap<String, String>,
}

impl Computed {
    fn is_of(&self, set: &Arc<PodCliqueSet>) -> bool {
        std::ptr::eq(self.set.as_ptr(), Arc::as_ptr(set))
    }
}

impl TemplateHashes {
    /// The hash of that clique of the set, computed if it is not known.
    pub fn of(
        &self,
        set: &Arc<PodCliqueSet>,
        clique: &str,
        compute: impl FnOnce() -> String,
    ) -> String {
        self.find(set, clique).unwrap_or_else(|| {
            let hash = compute();
            self.keep(set, clique, &hash);
            hash
        })
    }

    fn find(&self, set: &Arc<PodCliqueSet>, clique: &str) -> Option<String> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let computed = all.get(ownership::uid(&set.metadata))?;
        let known = computed.by_clique.get(clique);
        known.filter(|_| computed.is_of(set)).cloned()
    }

    fn keep(&self, set: &Arc<PodCliqueSet>, clique: &str, hash: &str) {
        let begin = || Computed {
            set: Arc::downgrade(set),
            by_clique: HashMap::new(),
        };
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let uid = ownership::uid(&set.metadata).to_owned();
        let computed = all.entry(uid).or_insert_with(begin);
        if !computed.is_of(set) {
            *computed = begin();
        }
        computed
            .by_clique
            .insert(clique.to_owned(), hash.to_owned());
    }

    /// The set is gone.
    pub fn clear(&self, set_uid: &str) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.remove(set_uid);
    }
}
