//! All placements that differ in something that matters, until one is found or none is left.
//!
//! Pods of one kind are placed in the order of the nodes, and of nodes that are alike only the first
//! is tried. What was seen to fail is not tried again, and what cannot do by counting alone is not
//! tried at all. If the search ends without a placement, there is none.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::bounds::Bounds;
use super::fleet::Demand;
use super::greedy::share_left;
use super::likeness::Likeness;
use super::room::Room;

/// Pods in one search; it goes one level deeper with each.
const MOST_PODS: u32 = 500;
/// Numbers that are kept of what failed.
const MOST_KEPT: usize = 4_000_000;

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// With a placement: of each demand the nodes of its pods.
    Placement(Vec<Vec<usize>>),
    /// There is none.
    Nothing,
    /// It was given up: too large to decide.
    GaveUp,
}

/// Looks for a placement of all demands. `effort` is how many times it may look at a node; what it
/// took is taken off.
pub fn search(room: &Room<'_>, demands: &[Demand], effort: &mut u64) -> Found {
    let mut search = Search::of(room, demands, *effort);
    let found = search.begin(0);
    *effort = search.effort;
    match found {
        Ok(true) => Found::Placement(search.placement()),
        Ok(false) => Found::Nothing,
        Err(GaveUp) => Found::GaveUp,
    }
}

struct GaveUp;

struct Search<'a> {
    room: Room<'a>,
    /// In the order in which they are placed; those that make no difference are one.
    items: Vec<Demand>,
    /// Of each item the demands that it is made of, and their pods.
    shares: Vec<Vec<(usize, u32)>>,
    bounds: Bounds,
    likeness: Likeness,
    /// Nodes that are tried, by preference.
    nodes: Vec<usize>,
    effort: u64,
    failed: HashSet<Vec<i64>>,
    kept: usize,
    /// Of each placed pod its item and its node.
    steps: Vec<(usize, usize)>,
}

impl<'a> Search<'a> {
    fn of(room: &Room<'a>, demands: &[Demand], effort: u64) -> Self {
        let (items, shares) = merge(room, demands);
        let bounds = Bounds::of(room, items.iter());
        let likeness = Likeness::of(room, items.iter());
        let mut room = room.clone();
        bounds.clip(&mut room);
        let mut search = Self {
            nodes: Vec::new(),
            room,
            items,
            shares,
            bounds,
            likeness,
            effort,
            failed: HashSet::new(),
            kept: 0,
            steps: Vec::new(),
        };
        search.nodes = search.choose_nodes();
        search
    }

    /// Those that any pod may be on, the fullest first, and of those that are alike no more than there
    /// are pods.
    fn choose_nodes(&self) -> Vec<usize> {
        let pods: u32 = self.items.iter().map(|demand| demand.pods).sum();
        let most = usize::try_from(pods).unwrap_or(usize::MAX);
        let is_of_use = |node: &usize| {
            let mut items = self.items.iter();
            items.any(|demand| self.room.admits(demand, *node))
        };
        let mut nodes: Vec<usize> = (0..self.room.fleet.nodes.len()).filter(is_of_use).collect();
        if let Some(first) = self.items.first() {
            nodes.sort_by_key(|node| (share_left(&self.room, first, *node), *node));
        }
        let mut seen = HashMap::new();
        nodes.retain(|node| {
            let count: &mut usize = seen
                .entry(self.likeness.of_node(&self.room, *node))
                .or_default();
            *count += 1;
            *count <= most
        });
        nodes
    }

    /// Goes on with that item, if it can do.
    fn begin(&mut self, item: usize) -> Result<bool, GaveUp> {
        if item == self.items.len() {
            return Ok(true);
        }
        if item > 0 {
            self.spend(self.nodes.len() * (self.items.len() - item))?;
        }
        let left = self.items.get(item..).unwrap_or_default();
        if !self.bounds.can_do(&self.room, &self.nodes, left) {
            return Ok(false);
        }
        if item == 0 && left.iter().map(|d| d.pods).sum::<u32>() > MOST_PODS {
            return Err(GaveUp);
        }
        let key = self.likeness.of_all(&self.room, &self.nodes, item);
        if self.failed.contains(&key) {
            return Ok(false);
        }
        let found = self.descend(item, 0, 0)?;
        if !found && self.kept < MOST_KEPT {
            self.kept += key.len();
            self.failed.insert(key);
        }
        Ok(found)
    }

    /// Places the rest of an item, of which so many pods are placed, on nodes from that place on.
    fn descend(&mut self, item: usize, placed: u32, from: usize) -> Result<bool, GaveUp> {
        let Some(demand) = self.items.get(item).cloned() else {
            return Ok(true);
        };
        if placed == demand.pods {
            return self.begin(item + 1);
        }
        self.spend(self.nodes.len() - from)?;
        let rest = self.nodes.get(from..).unwrap_or_default();
        let pods = u64::from(demand.pods - placed);
        if self.bounds.most_of(&self.room, rest, &demand, pods) < pods {
            return Ok(false);
        }
        let mut tried = HashSet::new();
        for place in from..self.nodes.len() {
            let Some(node) = self.nodes.get(place).copied() else {
                break;
            };
            if !self.room.admits(&demand, node)
                || !tried.insert(self.likeness.of_node(&self.room, node))
            {
                continue;
            }
            self.room.place(&demand, node);
            self.steps.push((item, node));
            if self.descend(item, placed + 1, place)? {
                return Ok(true);
            }
            self.steps.pop();
            self.room.remove(&demand, node);
        }
        Ok(false)
    }

    fn spend(&mut self, looks: usize) -> Result<(), GaveUp> {
        let looks = u64::try_from(looks).unwrap_or(u64::MAX);
        self.effort = self.effort.checked_sub(looks).ok_or(GaveUp)?;
        Ok(())
    }

    fn placement(&self) -> Vec<Vec<usize>> {
        let demands = self.shares.iter().map(Vec::len).sum();
        let mut nodes = vec![Vec::new(); demands];
        for (item, shares) in self.shares.iter().enumerate() {
            let of_item = self.steps.iter().filter(|(of, _)| *of == item);
            let mut of_item = of_item.map(|(_, node)| *node);
            for (number, pods) in shares {
                let pods = usize::try_from(*pods).unwrap_or(usize::MAX);
                if let Some(of_demand) = nodes.get_mut(*number) {
                    of_demand.extend(of_item.by_ref().take(pods));
                }
            }
        }
        nodes
    }
}

type Merged = (Vec<Demand>, Vec<Vec<(usize, u32)>>);

/// Those that have to share a domain first, together; then by size. Pods for which it makes no
/// difference which is which are one item.
fn merge(room: &Room<'_>, demands: &[Demand]) -> Merged {
    let mut numbered: Vec<(usize, &Demand)> = demands.iter().enumerate().collect();
    let weight = |demand: &Demand| room.fleet.kinds.get(demand.kind).map_or(0, |k| k.weight);
    numbered.sort_by_key(|(number, demand)| {
        let packs = demand.packs.clone();
        let size = (Reverse(weight(demand)), demand.kind);
        (packs.is_empty(), packs, size, *number)
    });
    let (mut items, mut shares): Merged = (Vec::new(), Vec::new());
    for (number, demand) in numbered {
        let last = items.last_mut().zip(shares.last_mut());
        let is_like = |d: &Demand| (d.kind, &d.packs) == (demand.kind, &demand.packs);
        match last.filter(|(item, _)| is_like(item)) {
            Some((item, share)) => {
                item.pods = item.pods.saturating_add(demand.pods);
                share.push((number, demand.pods));
            }
            None => {
                items.push(demand.clone());
                shares.push(vec![(number, demand.pods)]);
            }
        }
    }
    (items, shares)
}
