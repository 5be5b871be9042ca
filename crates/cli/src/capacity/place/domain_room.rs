//! The room that the domains of a level have now for pods that have to share one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::fleet::{self, Demand, Fleet, PodKind};
use super::free_resources::FreeResources;
use super::greedy::{Filling, Wanted};
use crate::capacity::amounts::Amounts;
use crate::capacity::gang::{Gang, Pack};
use crate::capacity::snapshot::ClusterSnapshot;

/// Pods are placed in at most this many domains of a level: those with the most room.
const MOST_TRIED: usize = 40;

/// The room for the guaranteed pods of one scope of a gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackRooms {
    /// The scope and its levels.
    pub pack: Pack,
    /// Guaranteed pods without a node.
    pub need: u32,
    /// How many domains they may use.
    pub count: usize,
    /// The domains that were tried, the best first.
    pub domains: Vec<DomainRoom>,
}

/// The room of one domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainRoom {
    /// Its name: the values of its node labels, as in `z0/r1`.
    pub name: String,
    /// Names of its nodes.
    pub nodes: Vec<String>,
    /// How many of the pods it has room for.
    pub fits: u32,
    /// What it lacks for the others.
    pub missing: Amounts,
}

impl PackRooms {
    /// Whether a domain has room for all the pods.
    pub fn has_room(&self) -> bool {
        self.domains.iter().any(|domain| domain.fits == self.need)
    }
}

/// The room for each scope of one of these gangs whose pods have to share a domain, outermost first.
/// Each is measured by itself, on the nodes as they are: the others only tell where pods of a common
/// scope run.
pub fn find_rooms(snapshot: &ClusterSnapshot, gangs: &[Gang], index: usize) -> Vec<PackRooms> {
    let Some(gang) = gangs.get(index) else {
        return Vec::new();
    };
    let (fleet, demands, rules) = fleet::number(snapshot, gangs);
    let room = FreeResources::of(&fleet, snapshot, &rules);
    let mut finder = Finder {
        fleet: &fleet,
        gang,
        demands: demands.get(index).map_or(&[], Vec::as_slice),
        room,
    };
    let scopes = finder.scopes().into_iter();
    scopes.map(|scope| finder.measure(&scope)).collect()
}

/// A scope of a gang.
struct Scope {
    pack: Pack,
    /// Number of the pack.
    number: usize,
    /// Its place among the packs of its demands.
    level: usize,
}

struct Finder<'a> {
    fleet: &'a Fleet<'a>,
    gang: &'a Gang,
    demands: &'a [Demand],
    room: FreeResources<'a>,
}

impl Finder<'_> {
    fn scopes(&self) -> Vec<Scope> {
        let mut scopes: BTreeMap<(usize, usize), Pack> = BTreeMap::new();
        for demand in self.demands {
            let Some(part) = self.gang.parts.get(demand.part) else {
                continue;
            };
            for (level, (number, pack)) in demand.packs.iter().zip(&part.packs).enumerate() {
                scopes.insert((level, *number), pack.clone());
            }
        }
        scopes
            .into_iter()
            .map(|((level, number), pack)| Scope {
                pack,
                number,
                level,
            })
            .collect()
    }

    fn measure(&mut self, scope: &Scope) -> PackRooms {
        let demands = self.demands;
        let wanted: Vec<Wanted<'_>> = demands
            .iter()
            .enumerate()
            .filter(|(_, demand)| demand.packs.contains(&scope.number))
            .map(|(number, demand)| (number, demand, demand.pods))
            .collect();
        let allowed = self.allowed(scope, &wanted);
        let mut ranked: Vec<(Reverse<u64>, usize)> = allowed
            .iter()
            .map(|domain| (Reverse(self.rank(scope, *domain, &wanted)), *domain))
            .collect();
        ranked.sort_unstable();
        let tried = ranked.into_iter().take(MOST_TRIED);
        let mut domains: Vec<DomainRoom> = tried
            .map(|(_, domain)| self.try_domain(scope, domain, &wanted))
            .collect();
        domains.sort_by(|a, b| (Reverse(a.fits), &a.name).cmp(&(Reverse(b.fits), &b.name)));
        PackRooms {
            pack: scope.pack.clone(),
            need: wanted.iter().map(|(_, _, pods)| *pods).sum(),
            count: allowed.len(),
            domains,
        }
    }

    /// The domains that the scope may use: where pods of it or around it run, else all.
    fn allowed(&self, scope: &Scope, wanted: &[Wanted<'_>]) -> BTreeSet<usize> {
        let is_in = |node: &usize| {
            let mut demands = wanted.iter().map(|(_, demand, _)| demand);
            demands.any(|demand| self.room.is_in_packs(demand, *node))
        };
        let nodes = (0..self.fleet.nodes.len()).filter(is_in);
        nodes
            .filter_map(|node| self.room.domain_in(scope.number, node))
            .collect()
    }

    fn nodes_of(&self, scope: &Scope, domain: usize) -> impl Iterator<Item = usize> {
        let domains = self.fleet.packs.get(scope.number);
        let nodes = 0..self.fleet.nodes.len();
        nodes.filter(move |node| domains.and_then(|d| d.domain(*node)) == Some(domain))
    }

    /// About how many of the pods the domain has room for, whatever keeps them apart.
    fn rank(&self, scope: &Scope, domain: usize, wanted: &[Wanted<'_>]) -> u64 {
        let most = |node: usize| {
            let kinds = wanted.iter().filter_map(|(_, demand, _)| self.kind(demand));
            let counts = kinds.map(|kind| count_on(&self.room, kind, node));
            counts.max().unwrap_or(0)
        };
        let nodes = self.nodes_of(scope, domain);
        nodes.map(most).fold(0, u64::saturating_add)
    }

    fn kind(&self, demand: &Demand) -> Option<&PodKind> {
        self.fleet.kinds.get(demand.kind)
    }

    fn try_domain(&mut self, scope: &Scope, domain: usize, wanted: &[Wanted<'_>]) -> DomainRoom {
        let order = self.gang.node_order;
        let mut filling = Filling::of(&mut self.room, order);
        let fits = filling.fill_domain(wanted, scope.level, scope.number, domain);
        let placed = std::mem::take(&mut filling.placements);
        let missing = self.missing(scope, domain, wanted, |number| {
            let own = placed.iter().filter(|(demand, _)| *demand == number);
            u32::try_from(own.count()).unwrap_or(u32::MAX)
        });
        let mut filling = Filling::of(&mut self.room, order);
        filling.placements = placed;
        filling.undo(wanted, 0);
        let names = self.fleet.packs.get(scope.number).map(|d| &d.names);
        let nodes = self.nodes_of(scope, domain);
        let nodes = nodes.filter_map(|node| self.fleet.nodes.get(node));
        DomainRoom {
            name: names
                .and_then(|n| n.get(domain))
                .cloned()
                .unwrap_or_default(),
            nodes: nodes.map(|node| node.name.clone()).collect(),
            fits,
            missing,
        }
    }

    /// What the pods request that found no place, less the most that one node has left, of each
    /// resource of which no node has enough for one of them.
    fn missing(
        &self,
        scope: &Scope,
        domain: usize,
        wanted: &[Wanted<'_>],
        placed: impl Fn(usize) -> u32,
    ) -> Amounts {
        let mut missing = Amounts::new();
        for (resource, name) in self.fleet.resources.iter().enumerate() {
            let (mut requested, mut most) = (0_i64, i64::MAX);
            for (number, demand, pods) in wanted {
                let left = pods.saturating_sub(placed(*number));
                let Some(kind) = self.kind(demand).filter(|_| left > 0) else {
                    continue;
                };
                let request = kind.requests.get(resource).copied().unwrap_or(0);
                let nodes = self.nodes_of(scope, domain);
                let eligible = nodes.filter(|node| kind.is_eligible(*node));
                let free = eligible.filter_map(|node| self.room.free.get(node)?.get(resource));
                let largest = free.copied().max().unwrap_or(0).max(0);
                if request > largest {
                    requested = requested.saturating_add(request.saturating_mul(i64::from(left)));
                    most = most.min(largest);
                }
            }
            if requested > 0 {
                missing.insert(name.clone(), requested.saturating_sub(most));
            }
        }
        missing
    }
}

/// How many pods of the kind the node has room for.
fn count_on(room: &FreeResources<'_>, kind: &PodKind, node: usize) -> u64 {
    if !kind.is_eligible(node) {
        return 0;
    }
    let free = room.free.get(node).map_or(&[][..], Vec::as_slice);
    let requested = kind.requests.iter().zip(free);
    let counts = requested
        .filter(|(request, _)| **request > 0)
        .map(|(request, free)| u64::try_from(free / request).unwrap_or(0));
    counts.min().unwrap_or(0)
}
