//! One pod after the other, largest first, each where it seems best: how a scheduler goes about it.

use super::fleet::Demand;
use super::room::{Pin, Room};
use super::rules::Domains;

/// Which of the nodes that take a pod gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The one with the most left, as kube-scheduler chooses (`LeastAllocated`).
    Spread,
    /// The one with the least left.
    Tight,
}

/// A pod of a demand, by the demand's number, and its node.
pub type Step = (usize, usize);

/// A demand by its number, and how many pods of it are placed.
pub type Wanted<'a> = (usize, &'a Demand, u32);

/// Places what it can, and returns how much that is.
pub fn fill(
    room: &mut Room<'_>,
    wanted: &[Wanted<'_>],
    policy: Policy,
    steps: &mut Vec<Step>,
) -> u32 {
    let mut ordered = wanted.to_vec();
    let weight = |demand: &Demand| room.fleet.kinds.get(demand.kind).map_or(0, |k| k.weight);
    ordered.sort_by_key(|(number, demand, _)| (std::cmp::Reverse(weight(demand)), *number));
    fill_level(room, &ordered, 0, policy, steps)
}

/// Those of one pack first, domain by domain, then those that are in none at this level.
fn fill_level(
    room: &mut Room<'_>,
    wanted: &[Wanted<'_>],
    level: usize,
    policy: Policy,
    steps: &mut Vec<Step>,
) -> u32 {
    let pack_of = |(_, demand, _): &Wanted<'_>| demand.packs.get(level).copied();
    let mut packs: Vec<usize> = wanted.iter().filter_map(pack_of).collect();
    packs.sort_unstable();
    packs.dedup();
    let mut placed = 0;
    for pack in packs {
        let of_pack = wanted.iter().filter(|w| pack_of(w) == Some(pack));
        let of_pack: Vec<Wanted<'_>> = of_pack.copied().collect();
        placed += fill_pack(room, &of_pack, level, policy, steps);
    }
    for (number, demand, pods) in wanted.iter().filter(|w| pack_of(w).is_none()) {
        placed += place_pods(room, (*number, demand), *pods, policy, steps);
    }
    placed
}

/// The first domain that has room for all, else the one that has room for most.
fn fill_pack(
    room: &mut Room<'_>,
    wanted: &[Wanted<'_>],
    level: usize,
    policy: Policy,
    steps: &mut Vec<Step>,
) -> u32 {
    let all: u32 = wanted.iter().map(|(_, _, pods)| *pods).sum();
    let pack = wanted
        .first()
        .and_then(|(_, d, _)| d.packs.get(level).copied());
    let Some(pack) = pack else { return 0 };
    let pinned = room.pins.get(pack).and_then(Pin::domain);
    let count = room.fleet.packs.get(pack).map_or(0, Domains::count);
    let domains = (0..count).filter(|d| pinned.is_none_or(|pinned| pinned == *d));
    let mut best: Option<(u32, usize)> = None;
    for domain in domains {
        let before = steps.len();
        let placed = fill_domain(room, wanted, (level, pack, domain), policy, steps);
        if placed == all {
            return placed;
        }
        undo(room, wanted, steps, before);
        if best.is_none_or(|(most, _)| placed > most) {
            best = Some((placed, domain));
        }
    }
    best.map_or(0, |(_, domain)| {
        fill_domain(room, wanted, (level, pack, domain), policy, steps)
    })
}

fn fill_domain(
    room: &mut Room<'_>,
    wanted: &[Wanted<'_>],
    (level, pack, domain): (usize, usize, usize),
    policy: Policy,
    steps: &mut Vec<Step>,
) -> u32 {
    let limit = |room: &mut Room<'_>, domain| {
        if let Some(pin) = room.pins.get_mut(pack) {
            pin.limit = domain;
        }
    };
    limit(room, Some(domain));
    let placed = fill_level(room, wanted, level + 1, policy, steps);
    limit(room, None);
    placed
}

/// Takes back what was placed since there were `before` steps.
pub fn undo(room: &mut Room<'_>, wanted: &[Wanted<'_>], steps: &mut Vec<Step>, before: usize) {
    for (number, node) in steps.split_off(before.min(steps.len())).into_iter().rev() {
        let found = wanted.iter().find(|(known, _, _)| *known == number);
        if let Some((_, demand, _)) = found {
            room.remove(demand, node);
        }
    }
}

fn place_pods(
    room: &mut Room<'_>,
    (number, demand): (usize, &Demand),
    pods: u32,
    policy: Policy,
    steps: &mut Vec<Step>,
) -> u32 {
    for placed in 0..pods {
        let Some(node) = choose_node(room, demand, policy) else {
            return placed;
        };
        room.place(demand, node);
        steps.push((number, node));
    }
    pods
}

fn choose_node(room: &Room<'_>, demand: &Demand, policy: Policy) -> Option<usize> {
    let nodes = (0..room.fleet.nodes.len()).filter(|node| room.admits(demand, *node));
    let left = |node: &usize| share_left(room, demand, *node);
    match policy {
        // Of equal ones the first by name.
        Policy::Spread => nodes.rev().max_by_key(left),
        Policy::Tight => nodes.min_by_key(left),
    }
}

/// How much of the node is left after the pod, in millionths, over the resources that it requests.
pub fn share_left(room: &Room<'_>, demand: &Demand, node: usize) -> i128 {
    let kind = room.fleet.kinds.get(demand.kind);
    let requests = kind.map_or(&[][..], |kind| &kind.requests);
    let free = room.free.get(node).map_or(&[][..], Vec::as_slice);
    let found = room.fleet.nodes.get(node);
    let shares = room.fleet.resources.iter().zip(requests.iter().zip(free));
    let shares = shares.filter(|(_, (request, _))| **request > 0);
    let share = |(name, (request, free)): (&String, (&i64, &i64))| {
        let all = found.and_then(|node| node.allocatable.get(name)).copied();
        let all = i128::from(all.unwrap_or(1).max(1));
        (i128::from(*free) - i128::from(*request)) * 1_000_000 / all
    };
    shares.map(share).sum()
}
