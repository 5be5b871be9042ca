//! What can be seen by counting: if this says no, no placement exists.

use super::fleet::{Demand, PodKind};
use super::room::{Pin, Room};
use super::rules::Domains;

/// How much all pods of a search request together.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    total: Vec<i64>,
}

impl Bounds {
    /// For these demands.
    pub fn of<'d>(room: &Room<'_>, demands: impl Iterator<Item = &'d Demand>) -> Self {
        let mut total = vec![0_i64; room.fleet.resources.len()];
        for demand in demands {
            add_demand(room, demand, &mut total);
        }
        Self { total }
    }

    /// More than all of them request makes no difference.
    pub fn clip(&self, room: &mut Room<'_>) {
        for free in &mut room.free {
            for (free, most) in free.iter_mut().zip(&self.total) {
                *free = (*free).min(*most);
            }
        }
    }

    /// Whether the rest of the demands may find room on these nodes.
    pub fn can_do(&self, room: &Room<'_>, nodes: &[usize], left: &[Demand]) -> bool {
        let has_room = |demand: &Demand| {
            let pods = u64::from(demand.pods);
            self.most_of(room, nodes, demand, pods) >= pods
        };
        left.iter().all(has_room)
            && is_enough_in_all(room, nodes, left)
            && have_domains(room, nodes, left)
    }

    /// How many pods of a demand the nodes may hold, counted up to `enough`: in one domain, if they
    /// have to share one.
    pub fn most_of(&self, room: &Room<'_>, nodes: &[usize], demand: &Demand, enough: u64) -> u64 {
        let unpinned = |pack: &&usize| room.pins.get(**pack).is_some_and(|p| p.domain().is_none());
        let Some(pack) = demand.packs.iter().rfind(unpinned) else {
            return sum_up_to(
                nodes.iter().map(|node| most_on(room, demand, *node)),
                enough,
            );
        };
        let count = room.fleet.packs.get(*pack).map_or(0, Domains::count);
        let mut domains = vec![0_u64; count];
        for node in nodes {
            let domain = room.domain_in(*pack, *node);
            if let Some(sum) = domain.and_then(|domain| domains.get_mut(domain)) {
                *sum = sum.saturating_add(most_on(room, demand, *node));
            }
        }
        domains.into_iter().max().unwrap_or(0)
    }
}

fn sum_up_to(counts: impl Iterator<Item = u64>, enough: u64) -> u64 {
    let mut sum = 0_u64;
    for count in counts {
        sum = sum.saturating_add(count);
        if sum >= enough {
            break;
        }
    }
    sum
}

/// How many pods of a demand one node may hold.
fn most_on(room: &Room<'_>, demand: &Demand, node: usize) -> u64 {
    let kind = room.fleet.kinds.get(demand.kind);
    let Some(kind) = kind.filter(|_| room.admits(demand, node)) else {
        return 0;
    };
    let has_domain = |exclusion: usize| {
        let domains = room.fleet.exclusions.get(exclusion);
        domains.is_some_and(|domains| domains.domain(node).is_some())
    };
    if kind.excludes_itself().any(has_domain) {
        return 1;
    }
    most_by_resources(room, kind, node)
}

fn most_by_resources(room: &Room<'_>, kind: &PodKind, node: usize) -> u64 {
    let free = room.free.get(node).map_or(&[][..], Vec::as_slice);
    let both = kind.requests.iter().zip(free);
    let requested = both.filter(|(request, _)| **request > 0);
    let most = requested
        .map(|(request, free)| free.max(&0) / request)
        .min();
    most.and_then(|most| u64::try_from(most).ok()).unwrap_or(0)
}

/// Whether what is free altogether is as much as they request altogether.
fn is_enough_in_all(room: &Room<'_>, nodes: &[usize], left: &[Demand]) -> bool {
    let mut wanted = vec![0_i64; room.fleet.resources.len()];
    for demand in left {
        add_demand(room, demand, &mut wanted);
    }
    let mut free = vec![0_i64; wanted.len()];
    let is_of_use = |node: &&usize| left.iter().any(|demand| room.admits(demand, **node));
    for node in nodes.iter().filter(is_of_use) {
        let of_node = room.free.get(*node).into_iter().flatten();
        for (sum, free) in free.iter_mut().zip(of_node) {
            *sum = sum.saturating_add(*free.max(&0));
        }
    }
    wanted
        .iter()
        .zip(&free)
        .all(|(wanted, free)| wanted <= free)
}

/// Whether each pack has a domain in which each of its demands may find room.
fn have_domains(room: &Room<'_>, nodes: &[usize], left: &[Demand]) -> bool {
    let mut packs: Vec<usize> = left.iter().flat_map(|d| d.packs.clone()).collect();
    packs.sort_unstable();
    packs.dedup();
    let pinned = |pack: &usize| room.pins.get(*pack).and_then(Pin::domain);
    packs.retain(|pack| pinned(pack).is_none());
    packs.iter().all(|pack| {
        let count = room.fleet.packs.get(*pack).map_or(0, Domains::count);
        let members = || left.iter().filter(|demand| demand.packs.contains(pack));
        (0..count).any(|domain| {
            let inside = nodes
                .iter()
                .filter(|n| room.domain_in(*pack, **n) == Some(domain));
            let inside: Vec<usize> = inside.copied().collect();
            members().all(|demand| {
                let pods = u64::from(demand.pods);
                let counts = inside.iter().map(|node| most_on(room, demand, *node));
                sum_up_to(counts, pods) >= pods
            }) && is_enough_in_all(room, &inside, &members().cloned().collect::<Vec<_>>())
        })
    })
}

fn add_demand(room: &Room<'_>, demand: &Demand, sum: &mut [i64]) {
    let requests = room
        .fleet
        .kinds
        .get(demand.kind)
        .map_or(&[][..], |kind| &kind.requests);
    for (sum, request) in sum.iter_mut().zip(requests) {
        let all = request.max(&0).saturating_mul(i64::from(demand.pods));
        *sum = sum.saturating_add(all);
    }
}
