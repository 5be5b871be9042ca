//! Indexes that stay vacant in a turn while units of the replica are replaced (docs/semantics.md
//! §14.4, decision 168): a unit there has no room of its own, and would take that of another one.

use std::collections::BTreeSet;

use api::podcliqueset::ReplicaUpdateProgress;

use super::Component;

/// The vacant indexes of a clique or group in turn, and those that may become vacant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vacancies {
    /// The indexes that it holds vacant.
    pub held: BTreeSet<i32>,
    /// Indexes of the old units for which the scheduler has found no node.
    pub refused: BTreeSet<i32>,
    /// Indexes of old units, and of missing ones, that the base gang can do without.
    pub optional: BTreeSet<i32>,
}

/// The other cliques and groups of a replica in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Others {
    /// Whether one of them is not done.
    pub are_open: bool,
    /// Whether one of them has fewer available units than ran.
    pub miss_units: bool,
}

impl Vacancies {
    /// The indexes that it holds vacant next: as many as units have no node, but never so many that
    /// fewer units could exist than ran, or than are required. First the stored ones, then those of
    /// the units without a node, then the others from the highest one down: these are replaced first.
    ///
    /// Nothing is held in one that the update does not change, if no other one is updated, or beside
    /// surge, which has an order of its own. Indexes stay vacant until all are done, or until more units
    /// run while the others miss none: then there is room for these too.
    pub fn next_held(&self, numbers: &Component, others: Others) -> BTreeSet<i32> {
        let is_due = others.are_open || (!self.held.is_empty() && !numbers.is_done());
        let reached = numbers.next_reached();
        let Some(reached) = reached.filter(|_| is_due && !numbers.uses_surge()) else {
            return BTreeSet::new();
        };
        let ran = if others.miss_units {
            reached
        } else {
            reached.max(numbers.real_available())
        };
        let spare = count_spare(numbers.desired, numbers.minimum, Some(ran));
        let wanted = self.held.len().max(self.refused.len()).min(spare);
        self.choose(wanted)
    }

    fn choose(&self, wanted: usize) -> BTreeSet<i32> {
        let own: BTreeSet<i32> = self.optional.intersection(&self.refused).copied().collect();
        let sorted = [&self.held, &own, &self.optional];
        let mut chosen = BTreeSet::new();
        for index in sorted.into_iter().flat_map(|indexes| indexes.iter().rev()) {
            if chosen.len() < wanted {
                chosen.insert(*index);
            }
        }
        chosen
    }
}

/// The indexes that the turn holds vacant in a clique or group, as stored.
pub fn listed_vacant<'a>(turn: &'a ReplicaUpdateProgress, component: &str) -> &'a [i32] {
    let mut all = turn.holds_vacant.iter();
    let found = all.find(|listed| listed.component == component);
    found.map_or(&[], |listed| &listed.indexes)
}

/// Those of the listed indexes that stay vacant now, the highest ones: as many units may exist as ran
/// since the turn began, and as are required, whatever is listed.
pub fn held_indexes(
    listed: impl IntoIterator<Item = i32>,
    desired: i32,
    minimum: i32,
    reached: Option<i32>,
) -> BTreeSet<i32> {
    let listed: BTreeSet<i32> = listed.into_iter().collect();
    let spare = count_spare(desired, minimum, reached);
    listed.into_iter().rev().take(spare).collect()
}

/// The number of units that a component can do without.
fn count_spare(desired: i32, minimum: i32, reached: Option<i32>) -> usize {
    let needed = reached.unwrap_or(0).max(minimum);
    usize::try_from(desired.saturating_sub(needed)).unwrap_or(0)
}
