//! The part of a replica that has to be up.

use super::{Group, LayoutSlot, Replica};
use crate::workload::gang;

impl Replica<'_> {
    /// Whether the required part is up: every standalone clique, and of each existing group the
    /// minimum number of replicas with all their cliques.
    pub fn has_its_minimum(
        &self,
        is_up: impl Fn(&LayoutSlot<'_>) -> bool,
        is_there: impl Fn(&Group<'_>) -> bool,
    ) -> bool {
        let is_group_up = |group: &Group<'_>| is_there(group) && group.has_its_minimum(&is_up);
        self.standalone.iter().all(&is_up) && self.groups.iter().all(is_group_up)
    }
}

impl Group<'_> {
    /// A surge replica counts: it serves while the update replaces another one.
    fn has_its_minimum(&self, is_up: impl Fn(&LayoutSlot<'_>) -> bool) -> bool {
        let up = self
            .all_replicas()
            .filter(|r| r.cliques.iter().all(&is_up))
            .count();
        let live = i32::try_from(self.replicas.len()).unwrap_or(i32::MAX);
        let minimum = gang::group_minimum(self.config).min(live);
        i32::try_from(up).unwrap_or(i32::MAX) >= minimum
    }
}
