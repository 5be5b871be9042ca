//! When two nodes are alike: whatever is placed on one could be placed on the other as well.

use std::collections::BTreeMap;

use super::fleet::Demand;
use super::room::{Pin, Room};

/// What makes a difference in one search.
#[derive(Clone, Debug, Default)]
pub struct Likeness {
    /// Of each node what does not change: which kinds it takes, and in which domains it is.
    classes: Vec<i64>,
    /// Resources that are requested.
    resources: Vec<usize>,
    /// Exclusions whose domains have one node each.
    single: Vec<usize>,
    /// Exclusions whose domains have more.
    shared: Vec<usize>,
    packs: Vec<usize>,
}

impl Likeness {
    /// For pods of these demands.
    pub fn of<'d>(room: &Room<'_>, demands: impl Iterator<Item = &'d Demand> + Clone) -> Self {
        let fleet = room.fleet;
        let kinds = sorted(demands.clone().map(|demand| demand.kind));
        let of_kinds = || kinds.iter().filter_map(|kind| fleet.kinds.get(*kind));
        let excluded = of_kinds().flat_map(|kind| kind.owns.iter().chain(&kind.member_of));
        let is_single = |e: &usize| fleet.exclusions.get(*e).is_some_and(|d| d.are_single());
        let (single, shared) = sorted(excluded.copied()).into_iter().partition(is_single);
        let requested = |resource: &usize| {
            let amount = |kind: &super::fleet::PodKind| kind.requests.get(*resource).copied();
            of_kinds().any(|kind| amount(kind).is_some_and(|amount| amount > 0))
        };
        let mut likeness = Self {
            classes: Vec::new(),
            resources: (0..fleet.resources.len()).filter(requested).collect(),
            single,
            shared,
            packs: sorted(demands.flat_map(|demand| demand.packs.iter().copied())),
        };
        likeness.classes = likeness.classify(room, &kinds);
        likeness
    }

    fn classify(&self, room: &Room<'_>, kinds: &[usize]) -> Vec<i64> {
        let fleet = room.fleet;
        let mut known: BTreeMap<(Vec<bool>, Vec<Option<usize>>), i64> = BTreeMap::new();
        let class_of = |node: usize| {
            let kinds = kinds.iter().filter_map(|kind| fleet.kinds.get(*kind));
            let shared = self.shared.iter().filter_map(|e| fleet.exclusions.get(*e));
            let packs = self.packs.iter().filter_map(|p| fleet.packs.get(*p));
            let facts = (
                kinds.map(|kind| kind.is_eligible(node)).collect(),
                shared
                    .chain(packs)
                    .map(|domains| domains.domain(node))
                    .collect(),
            );
            let next = i64::try_from(known.len()).unwrap_or(i64::MAX);
            *known.entry(facts).or_insert(next)
        };
        (0..fleet.nodes.len()).map(class_of).collect()
    }

    /// Two nodes with the same are alike.
    pub fn of_node(&self, room: &Room<'_>, node: usize) -> Vec<i64> {
        let mut all = vec![self.classes.get(node).copied().unwrap_or(-1)];
        let free = room.free.get(node).map_or(&[][..], Vec::as_slice);
        all.extend(self.resources.iter().filter_map(|r| free.get(*r).copied()));
        for exclusion in &self.single {
            let domains = room.fleet.exclusions.get(*exclusion);
            let domain = domains.and_then(|domains| domains.domain(node));
            // Without a domain it is never excluded.
            let count = |counts: &[Vec<u32>]| {
                let found = domain.and_then(|d| counts.get(*exclusion)?.get(d));
                found.is_some_and(|pods| *pods > 0)
            };
            let state = i64::from(count(&room.owners)) + 2 * i64::from(count(&room.members));
            all.push(if domain.is_some() { state } else { -1 });
        }
        all
    }

    /// Two states with the same are alike for the items from that one on.
    pub fn of_all(&self, room: &Room<'_>, nodes: &[usize], item: usize) -> Vec<i64> {
        let mut each: Vec<Vec<i64>> = nodes.iter().map(|node| self.of_node(room, *node)).collect();
        each.sort_unstable();
        let mut all = vec![i64::try_from(item).unwrap_or(i64::MAX)];
        all.extend(each.into_iter().flatten());
        for exclusion in &self.shared {
            let counts = [&room.owners, &room.members].into_iter();
            let counts = counts.filter_map(|counts| counts.get(*exclusion));
            all.extend(counts.flatten().map(|pods| i64::from(*pods > 0)));
        }
        let pins = self.packs.iter().filter_map(|pack| room.pins.get(*pack));
        let domain = |pin: &Pin| pin.domain().and_then(|d| i64::try_from(d).ok());
        all.extend(pins.map(|pin| domain(pin).unwrap_or(-1)));
        all
    }
}

fn sorted(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut all: Vec<usize> = numbers.collect();
    all.sort_unstable();
    all.dedup();
    all
}
