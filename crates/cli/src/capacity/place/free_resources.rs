//! Free resources while pods are placed.

use super::fleet::{Demand, Fleet, PODS, PodKind};
use super::rules::Rules;
use crate::capacity::snapshot::ClusterSnapshot;

/// Free resources, and the pods that exclude others.
pub struct FreeResources<'a> {
    /// Nodes, kinds and rules.
    pub fleet: &'a Fleet<'a>,
    /// The free amount of each resource of each node; negative on an overcommitted node.
    pub free: Vec<Vec<i64>>,
    /// The number of pods that cause each exclusion, by domain.
    pub owners: Vec<Vec<u32>>,
    /// The number of pods that each exclusion keeps off, by domain.
    pub members: Vec<Vec<u32>>,
    /// The domain of each pack.
    pub pins: Vec<Pin>,
}

/// The domain of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pin {
    domain: Option<usize>,
    pods: u32,
    /// The domain that is being tried, before the pack has a pod.
    pub limit: Option<usize>,
}

impl Pin {
    /// The domain that further pods of the pack must use.
    pub fn domain(&self) -> Option<usize> {
        self.limit.or(self.domain.filter(|_| self.pods > 0))
    }
}

impl<'a> FreeResources<'a> {
    /// The room that the bound pods of the snapshot leave.
    pub fn of(fleet: &'a Fleet<'a>, snapshot: &ClusterSnapshot, rules: &Rules) -> Self {
        let counts = || {
            fleet
                .exclusions
                .iter()
                .map(|e| vec![0; e.count()])
                .collect()
        };
        let pin = |held: Option<usize>| Pin {
            domain: held,
            pods: u32::from(held.is_some()),
            limit: None,
        };
        let mut room = Self {
            fleet,
            free: allocatable(fleet),
            owners: counts(),
            members: counts(),
            pins: rules.packs.iter().map(|pack| pin(pack.held)).collect(),
        };
        for pod in &snapshot.pods {
            let place = snapshot.nodes.binary_search_by(|n| n.name.cmp(&pod.node));
            let Ok(node) = place else { continue };
            let held = fleet.resources.iter().map(|name| match &**name {
                PODS => 1,
                name => pod.requests.get(name).copied().unwrap_or(0),
            });
            room.take(node, &held.collect::<Vec<_>>(), 1);
            let (owns, member_of) = rules.exclusions_of_bound(pod);
            room.count(node, &owns, &member_of, 1);
        }
        room
    }

    /// Whether the node can take a pod now.
    pub fn admits(&self, demand: &Demand, node: usize) -> bool {
        let Some(kind) = self.fleet.kinds.get(demand.kind) else {
            return false;
        };
        kind.is_eligible(node)
            && self.has_room(kind, node)
            && self.is_in_packs(demand, node)
            && !self.is_excluded(kind, node)
    }

    /// Whether the requested resources of the node are enough.
    pub fn has_room(&self, kind: &PodKind, node: usize) -> bool {
        let free = self.free.get(node).map_or(&[][..], Vec::as_slice);
        kind.requests
            .iter()
            .zip(free)
            .all(|(request, free)| *request <= 0 || request <= free)
    }

    /// Whether anti-affinity or a host port keeps the pod off the node.
    pub fn is_excluded(&self, kind: &PodKind, node: usize) -> bool {
        self.exclusions_at(kind, node).next().is_some()
    }

    /// The exclusions that keep the pod off the node.
    pub fn exclusions_at<'k>(
        &self,
        kind: &'k PodKind,
        node: usize,
    ) -> impl Iterator<Item = usize> + use<'_, 'a, 'k> {
        let is_any = move |counts: &[Vec<u32>], exclusion: usize| {
            let domains = self.fleet.exclusions.get(exclusion);
            let domain = domains.and_then(|domains| domains.domain(node));
            let found = domain.and_then(|d| counts.get(exclusion)?.get(d));
            found.is_some_and(|pods| *pods > 0)
        };
        let own = kind
            .owns
            .iter()
            .copied()
            .filter(move |exclusion| is_any(&self.members, *exclusion));
        let of_others = kind.member_of.iter().copied();
        own.chain(of_others.filter(move |exclusion| is_any(&self.owners, *exclusion)))
    }

    /// Whether the node is in the domains of the pod's packs.
    pub fn is_in_packs(&self, demand: &Demand, node: usize) -> bool {
        demand.packs.iter().all(|pack| {
            let own = self.domain_in(*pack, node);
            let pinned = self.pins.get(*pack).and_then(Pin::domain);
            own.is_some() && pinned.is_none_or(|domain| own == Some(domain))
        })
    }

    /// The domain of a node at the level of a pack.
    pub fn domain_in(&self, pack: usize, node: usize) -> Option<usize> {
        self.fleet.packs.get(pack)?.domain(node)
    }

    /// Adds a pod to the node.
    pub fn place(&mut self, demand: &Demand, node: usize) {
        self.change(demand, node, 1);
        for pack in &demand.packs {
            let domain = self.domain_in(*pack, node);
            if let Some(pin) = self.pins.get_mut(*pack) {
                pin.domain = domain;
                pin.pods = pin.pods.saturating_add(1);
            }
        }
    }

    /// Removes a pod from the node.
    pub fn remove(&mut self, demand: &Demand, node: usize) {
        self.change(demand, node, -1);
        for pack in &demand.packs {
            if let Some(pin) = self.pins.get_mut(*pack) {
                pin.pods = pin.pods.saturating_sub(1);
            }
        }
    }

    fn change(&mut self, demand: &Demand, node: usize, sign: i64) {
        let fleet = self.fleet;
        if let Some(kind) = fleet.kinds.get(demand.kind) {
            self.take(node, &kind.requests, sign);
            self.count(node, &kind.owns, &kind.member_of, sign);
        }
    }

    fn take(&mut self, node: usize, amounts: &[i64], sign: i64) {
        let free = self.free.get_mut(node).into_iter().flatten();
        for (free, amount) in free.zip(amounts) {
            *free = free.saturating_sub(amount.saturating_mul(sign));
        }
    }

    fn count(&mut self, node: usize, owns: &[usize], member_of: &[usize], sign: i64) {
        for (counts, exclusions) in [(&mut self.owners, owns), (&mut self.members, member_of)] {
            for exclusion in exclusions {
                let domains = self.fleet.exclusions.get(*exclusion);
                let domain = domains.and_then(|domains| domains.domain(node));
                let found = domain.and_then(|d| counts.get_mut(*exclusion)?.get_mut(d));
                if let Some(pods) = found {
                    *pods = pods.saturating_add_signed(if sign > 0 { 1 } else { -1 });
                }
            }
        }
    }
}

fn allocatable(fleet: &Fleet<'_>) -> Vec<Vec<i64>> {
    let of = |node: &crate::capacity::snapshot::NodeSnapshot| {
        fleet
            .resources
            .iter()
            .map(|name| node.allocatable.get(name).copied().unwrap_or(0))
            .collect()
    };
    fleet.nodes.iter().map(of).collect()
}
