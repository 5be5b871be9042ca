//! Pods that were created, or adopted, by a request that the operator had given up, or had
//! forgotten when it was carried out: maybe one too many, and for a while unseen. A pod that is
//! adopted by a PodClique which is deleted at that moment is left to Kubernetes' garbage collector.

use std::collections::BTreeMap;

use serde_json::Value;

use super::window::Window;
use crate::resource::Resource;
use crate::view;

/// Their positions in the log, by uid.
#[derive(Clone, Debug, Default)]
pub(super) struct LateRequests(BTreeMap<String, usize>);

impl LateRequests {
    pub(super) fn note(&mut self, pod: &Value, position: usize) {
        self.0.insert(view::uid(pod).to_owned(), position);
    }

    /// Whether the pod came late and may not have been observed at this decision.
    pub(super) fn is_unseen(&self, window: &Window<'_>, pod: &Value) -> bool {
        let born = self.0.get(view::uid(pod));
        born.is_some_and(|born| *born >= window.horizon.of(Resource::Pod))
    }

    /// How many indexes of these pods are held twice because one of the two came late.
    pub(super) fn twins<'a>(&self, pods: impl Iterator<Item = &'a Value>) -> usize {
        let mut slots: BTreeMap<Option<i64>, (usize, bool)> = BTreeMap::new();
        for pod in pods {
            let (count, is_late) = slots.entry(view::index(pod)).or_default();
            *count += 1;
            *is_late |= self.0.contains_key(view::uid(pod));
        }
        slots
            .values()
            .filter(|(_, is_late)| *is_late)
            .map(|(count, _)| count - 1)
            .sum()
    }
}
