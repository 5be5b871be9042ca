//! Gangs that may get into each other's way.

use std::collections::BTreeSet;

use super::fleet::{Demand, Fleet};

/// Where the pods of a gang may be, and what they keep away or together.
struct Reach {
    nodes: Vec<bool>,
    exclusions: BTreeSet<usize>,
}

/// Of these gangs, those that may compete with the one of these demands: on its nodes, or by way of
/// others.
pub fn neighbours_of(
    fleet: &Fleet<'_>,
    own: &[Demand],
    others: &[(usize, &[Demand])],
) -> Vec<usize> {
    let mut reach = Reach::of(fleet, own);
    let mut left: Vec<(usize, Reach)> = others
        .iter()
        .map(|(number, demands)| (*number, Reach::of(fleet, demands)))
        .collect();
    let mut found = Vec::new();
    loop {
        let (near, far): (Vec<_>, Vec<_>) = left.into_iter().partition(|(_, r)| reach.meets(r));
        if near.is_empty() {
            found.sort_unstable();
            return found;
        }
        for (number, of_near) in near {
            reach.add(of_near);
            found.push(number);
        }
        left = far;
    }
}

impl Reach {
    fn of(fleet: &Fleet<'_>, demands: &[Demand]) -> Self {
        let placed = demands.iter().filter(|demand| demand.pods > 0);
        let kinds = placed.filter_map(|demand| fleet.kinds.get(demand.kind));
        let mut reach = Self {
            nodes: vec![false; fleet.nodes.len()],
            exclusions: BTreeSet::new(),
        };
        for kind in kinds {
            for (is_in, is_eligible) in reach.nodes.iter_mut().zip(&kind.eligible) {
                *is_in |= is_eligible;
            }
            reach
                .exclusions
                .extend(kind.owns.iter().chain(&kind.member_of));
        }
        reach
    }

    fn meets(&self, other: &Self) -> bool {
        let mut both = self.nodes.iter().zip(&other.nodes);
        both.any(|(a, b)| *a && *b) || !self.exclusions.is_disjoint(&other.exclusions)
    }

    fn add(&mut self, other: Self) {
        for (is_in, more) in self.nodes.iter_mut().zip(other.nodes) {
            *is_in |= more;
        }
        self.exclusions.extend(other.exclusions);
    }
}
