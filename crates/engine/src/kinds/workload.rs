//! Facts by which workloads are judged.

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::{Key, Node, Pod};

use crate::caches::Caches;

impl Caches {
    /// Whether the node exists, is Ready and not out of service. If this operator may not read
    /// nodes, the state is unknown and the node counts as lost.
    pub fn is_node_in_service(&self, name: &str) -> bool {
        let node = self.of::<Node>().get(&Key::new("", name));
        self.is_served::<Node>("") && node.is_some_and(|node| node.is_in_service())
    }

    /// Whether the cached sets, scaling groups, PodCliques or pods of this namespace may be out of
    /// date: the watch of one of these kinds is lost. Nothing that runs is torn down then because
    /// of the cached objects (docs/semantics.md §3.3).
    pub fn is_workload_outdated(&self, namespace: &str) -> bool {
        self.is_outdated::<Pod>(namespace)
            || self.is_outdated::<PodClique>(namespace)
            || self.is_outdated::<PodCliqueScalingGroup>(namespace)
            || self.is_outdated::<PodCliqueSet>(namespace)
    }
}
