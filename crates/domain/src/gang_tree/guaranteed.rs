//! The core of a tree: the pods without which it is not satisfied. All others are surplus, and may be
//! preempted (seed 001, "Semi-Preemptible Considerations").

use std::collections::BTreeMap;

use super::TreeNode;

/// The number of guaranteed pods of each leaf.
pub type Guaranteed = BTreeMap<String, u32>;

impl TreeNode {
    /// A smallest set of existing pods that satisfies the tree: of each node the first satisfied
    /// children that it requires, in natural order, and of a leaf `minMember` pods. If a node's
    /// `minMember` exceeds the pods of these children, pods of the first leaves are added. None if
    /// the tree is not satisfied.
    pub fn guaranteed(&self, pods: &dyn Fn(&str) -> u32) -> Option<Guaranteed> {
        let min_member = self.min_member.unwrap_or(0);
        if self.is_leaf() {
            let is_satisfied = pods(&self.name) >= min_member;
            return is_satisfied.then(|| Guaranteed::from([(self.name.clone(), min_member)]));
        }
        let required = usize::try_from(self.required_children()).ok()?;
        let cores: Vec<Guaranteed> = self
            .children_in_order()
            .into_iter()
            .filter_map(|child| child.guaranteed(pods))
            .take(required)
            .collect();
        if cores.len() < required {
            return None;
        }
        let mut core: Guaranteed = cores.into_iter().flatten().collect();
        self.top_up(&mut core, min_member, pods).then_some(core)
    }

    /// Adds pods of the first leaves until `wanted` is reached; returns whether that is possible.
    fn top_up(&self, core: &mut Guaranteed, wanted: u32, pods: &dyn Fn(&str) -> u32) -> bool {
        let mut missing = u64::from(wanted).saturating_sub(count(core));
        for leaf in self.leaves_in_order() {
            if missing == 0 {
                break;
            }
            let held = core.get(&leaf.name).copied().unwrap_or(0);
            let spare = u64::from(pods(&leaf.name).saturating_sub(held));
            let added = u32::try_from(spare.min(missing)).unwrap_or(u32::MAX);
            if added > 0 {
                core.insert(leaf.name.clone(), held.saturating_add(added));
                missing -= u64::from(added);
            }
        }
        missing == 0
    }

    fn leaves_in_order(&self) -> Vec<&Self> {
        if self.is_leaf() {
            return vec![self];
        }
        self.children_in_order()
            .into_iter()
            .flat_map(Self::leaves_in_order)
            .collect()
    }

    /// The number of pods that may not be preempted: the `minMember` written on the root, else the
    /// pods of its core (seed 001, option 2: "`minMember` always represents total descendant
    /// pods").
    pub fn non_preemptible_pods(&self) -> u64 {
        self.min_member.map_or_else(|| self.count_core(), u64::from)
    }

    /// The pods of its core if enough pods exist.
    pub(super) fn count_core(&self) -> u64 {
        self.guaranteed(&|_| u32::MAX).as_ref().map_or(0, count)
    }
}

fn count(core: &Guaranteed) -> u64 {
    core.values().copied().map(u64::from).sum()
}
