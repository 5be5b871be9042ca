//! What workloads are judged by.

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::{Key, Node, Pod};

use crate::caches::Caches;

impl Caches {
    /// Whether the node is there, Ready and not out of service. Of one that this operator may not read
    /// nobody knows, and it counts as lost.
    pub fn is_node_in_service(&self, name: &str) -> bool {
        let node = self.of::<Node>().get(&Key::new("", name));
        self.is_served::<Node>("") && node.is_some_and(|node| node.is_in_service())
    }

    /// Whether sets, scaling groups, PodCliques or pods of this namespace may be other than they are
    /// seen: the watch of one of them is lost. Nothing that runs is torn down then for what is seen
    /// (docs/semantics.md §3.3).
    pub fn is_workload_outdated(&self, namespace: &str) -> bool {
        self.is_outdated::<Pod>(namespace)
            || self.is_outdated::<PodClique>(namespace)
            || self.is_outdated::<PodCliqueScalingGroup>(namespace)
            || self.is_outdated::<PodCliqueSet>(namespace)
    }
}
