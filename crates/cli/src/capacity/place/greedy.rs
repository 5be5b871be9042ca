//! One pod after the other, in the order of the template, each on the node that its scheduler prefers.

use super::fleet::Demand;
use super::free_resources::{FreeResources, Pin};
use super::rules::Domains;
use crate::capacity::node_order::NodeOrder;

/// A pod of a demand, by the demand's number, and its node.
pub type PodPlacement = (usize, usize);

/// A demand with its number, and the number of its pods to place.
pub type Wanted<'a> = (usize, &'a Demand, u32);

/// The pods that are placed for one gang.
pub struct Filling<'r, 'f> {
    /// The room that they take.
    pub room: &'r mut FreeResources<'f>,
    order: NodeOrder,
    /// The placed pods, in order.
    pub placements: Vec<PodPlacement>,
}

impl<'r, 'f> Filling<'r, 'f> {
    /// No pods yet.
    pub fn of(room: &'r mut FreeResources<'f>, order: NodeOrder) -> Self {
        Self {
            room,
            order,
            placements: Vec::new(),
        }
    }

    /// Places as many pods as it can and returns their number.
    pub fn fill(&mut self, wanted: &[Wanted<'_>]) -> u32 {
        self.fill_level(wanted, 0)
    }

    /// First the pods of packs of this level, domain by domain, then the others.
    fn fill_level(&mut self, wanted: &[Wanted<'_>], level: usize) -> u32 {
        let pack_of = |(_, demand, _): &Wanted<'_>| demand.packs.get(level).copied();
        let mut packs: Vec<usize> = wanted.iter().filter_map(pack_of).collect();
        packs.sort_unstable();
        packs.dedup();
        let mut placed = 0;
        for pack in packs {
            let of_pack: Vec<Wanted<'_>> = wanted
                .iter()
                .filter(|w| pack_of(w) == Some(pack))
                .copied()
                .collect();
            placed += self.fill_pack(&of_pack, level, pack);
        }
        for (number, demand, pods) in wanted.iter().filter(|w| pack_of(w).is_none()) {
            placed += self.place_pods(*number, demand, *pods);
        }
        placed
    }

    /// Fills the first domain that has room for all pods, or else the domain that has room for
    /// most.
    fn fill_pack(&mut self, wanted: &[Wanted<'_>], level: usize, pack: usize) -> u32 {
        let all: u32 = wanted.iter().map(|(_, _, pods)| *pods).sum();
        let pinned = self.room.pins.get(pack).and_then(Pin::domain);
        let count = self.room.fleet.packs.get(pack).map_or(0, Domains::count);
        let domains = (0..count).filter(|d| pinned.is_none_or(|pinned| pinned == *d));
        let mut best: Option<(u32, usize)> = None;
        for domain in domains {
            let before = self.placements.len();
            let placed = self.fill_domain(wanted, level, pack, domain);
            if placed == all {
                return placed;
            }
            self.undo(wanted, before);
            if best.is_none_or(|(most, _)| placed > most) {
                best = Some((placed, domain));
            }
        }
        best.map_or(0, |(_, domain)| {
            self.fill_domain(wanted, level, pack, domain)
        })
    }

    /// Places as many pods of a pack as it can in this domain. The pack is that of this level of all
    /// these demands.
    pub fn fill_domain(
        &mut self,
        wanted: &[Wanted<'_>],
        level: usize,
        pack: usize,
        domain: usize,
    ) -> u32 {
        self.limit(pack, Some(domain));
        let placed = self.fill_level(wanted, level + 1);
        self.limit(pack, None);
        placed
    }

    fn limit(&mut self, pack: usize, domain: Option<usize>) {
        if let Some(pin) = self.room.pins.get_mut(pack) {
            pin.limit = domain;
        }
    }

    /// Removes the pods of all placements but the first `before`.
    pub fn undo(&mut self, wanted: &[Wanted<'_>], before: usize) {
        for (number, node) in self
            .placements
            .drain(before.min(self.placements.len())..)
            .rev()
        {
            let found = wanted.iter().find(|(known, _, _)| *known == number);
            if let Some((_, demand, _)) = found {
                self.room.remove(demand, node);
            }
        }
    }

    fn place_pods(&mut self, number: usize, demand: &Demand, pods: u32) -> u32 {
        for placed in 0..pods {
            let Some(node) = choose_node(self.room, demand, self.order) else {
                return placed;
            };
            self.room.place(demand, node);
            self.placements.push((number, node));
        }
        pods
    }
}

fn choose_node(room: &FreeResources<'_>, demand: &Demand, order: NodeOrder) -> Option<usize> {
    let nodes = (0..room.fleet.nodes.len()).filter(|node| room.admits(demand, *node));
    let left = |node: &usize| share_left(room, demand, *node);
    match order {
        // Of equal nodes the first by name.
        NodeOrder::LeastAllocated => nodes.rev().max_by_key(left),
        NodeOrder::MostAllocated => nodes.min_by_key(left),
    }
}

/// The share of the node that the pod would leave free, in millionths, summed over the resources
/// that it requests.
fn share_left(room: &FreeResources<'_>, demand: &Demand, node: usize) -> i128 {
    let kind = room.fleet.kinds.get(demand.kind);
    let requests = kind.map_or(&[][..], |kind| &kind.requests);
    let free = room.free.get(node).map_or(&[][..], Vec::as_slice);
    let found = room.fleet.nodes.get(node);
    let shares = room
        .fleet
        .resources
        .iter()
        .zip(requests.iter().zip(free))
        .filter(|(_, (request, _))| **request > 0);
    let share = |(name, (request, free)): (&String, (&i64, &i64))| {
        let all = found.and_then(|node| node.allocatable.get(name)).copied();
        let all = i128::from(all.unwrap_or(1).max(1));
        (i128::from(*free) - i128::from(*request)) * 1_000_000 / all
    };
    shares.map(share).sum()
}
