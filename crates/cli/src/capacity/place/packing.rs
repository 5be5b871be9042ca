//! Which gangs fit beside each other, and where their pods are.

use std::collections::BTreeMap;

use super::Outcome;
use super::fleet::Demand;
use super::greedy::{self, Policy, Step, Wanted};
use super::neighbours::neighbours_of;
use super::room::Room;
use super::search::{Found, search};

/// How many times one search may look at a node.
const EFFORT_OF_SEARCH: u64 = 2_000_000;

/// Of a gang that fits: of each demand the nodes of its pods.
type Nodes = Vec<Vec<usize>>;

/// Pods of a demand on a node: the numbers of both, guaranteed pods, best-effort pods.
pub type Share = ((usize, usize), (u32, u32));

/// Gangs that have been placed.
pub struct Packing<'a> {
    /// Of each gang, by number.
    demands: &'a [Vec<Demand>],
    /// What is left.
    pub room: Room<'a>,
    /// How many times searches may look at a node from now on.
    effort: u64,
    /// Of the gangs that fit, by number.
    fitting: BTreeMap<usize, Nodes>,
    /// What was found of gangs of these kinds of pods when so many others fitted.
    known: BTreeMap<(Vec<(usize, u32)>, usize), Outcome>,
}

impl<'a> Packing<'a> {
    /// None yet, of gangs with these demands.
    pub fn of(demands: &'a [Vec<Demand>], room: Room<'a>, effort: u64) -> Self {
        Self {
            demands,
            room,
            effort,
            fitting: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    /// What a gang still needs.
    pub fn demands_of(&self, number: usize) -> &'a [Demand] {
        self.demands.get(number).map_or(&[], Vec::as_slice)
    }

    /// Whether the gang of that number fits; if so, it is placed.
    pub fn find_outcome(&mut self, number: usize) -> Outcome {
        let demands = self.demands_of(number);
        let kinds = demands.iter().map(|demand| (demand.kind, demand.pods));
        let mut kinds: Vec<(usize, u32)> = kinds.filter(|(_, pods)| *pods > 0).collect();
        kinds.sort_unstable();
        let key = (kinds, self.fitting.len());
        let is_free = demands.iter().all(|demand| demand.packs.is_empty());
        if let Some(outcome) = self.known.get(&key).filter(|_| is_free) {
            return *outcome;
        }
        let outcome = match self.find_beside(demands) {
            Found::Placement(nodes) => self.accept(BTreeMap::from([(number, nodes)])),
            alone => self.find_together(number, &alone),
        };
        if outcome != Outcome::Fits && is_free {
            self.known.insert(key, outcome);
        }
        outcome
    }

    /// Beside those that have been placed, as they are.
    pub fn find_beside(&mut self, demands: &[Demand]) -> Found {
        for policy in [Policy::Spread, Policy::Tight] {
            if let Some(nodes) = fill_all(&mut self.room, demands, policy) {
                return Found::Placement(nodes);
            }
        }
        self.search(&self.room.clone(), demands)
    }

    /// Together with those that have been placed and may be in its way.
    fn find_together(&mut self, number: usize, alone: &Found) -> Outcome {
        let own = self.demands_of(number);
        let others = self
            .fitting
            .keys()
            .map(|other| (*other, self.demands_of(*other)));
        let others: Vec<(usize, &[Demand])> = others.collect();
        let mut together = neighbours_of(self.room.fleet, own, &others);
        if together.is_empty() {
            return match alone {
                Found::Nothing => Outcome::DoesNotFit,
                _ => Outcome::Unknown,
            };
        }
        let mut room = self.room.clone();
        for other in &together {
            change(
                &mut room,
                self.demands_of(*other),
                self.fitting.get(other),
                false,
            );
        }
        together.push(number);
        let all = together.iter().flat_map(|one| self.demands_of(*one));
        let all: Vec<Demand> = all.cloned().collect();
        match self.search(&room, &all) {
            Found::Nothing => Outcome::DoesNotFit,
            Found::GaveUp => Outcome::Unknown,
            Found::Placement(nodes) => {
                let mut nodes = nodes.into_iter();
                let of = |one: &usize| (*one, self.demands_of(*one).len());
                let shares: Vec<(usize, usize)> = together.iter().map(of).collect();
                let split = shares
                    .into_iter()
                    .map(|(one, demands)| (one, nodes.by_ref().take(demands).collect()));
                self.accept(split.collect())
            }
        }
    }

    fn search(&mut self, room: &Room<'_>, demands: &[Demand]) -> Found {
        let given = self.effort.min(EFFORT_OF_SEARCH);
        let mut left = given;
        let found = search(room, demands, &mut left);
        self.effort -= given - left;
        found
    }

    /// Places these, instead of where they were before.
    fn accept(&mut self, placements: BTreeMap<usize, Nodes>) -> Outcome {
        for number in placements.keys() {
            let (before, demands) = (self.fitting.remove(number), self.demands_of(*number));
            change(&mut self.room, demands, before.as_ref(), false);
        }
        for (number, nodes) in placements {
            let demands = self.demands_of(number);
            change(&mut self.room, demands, Some(&nodes), true);
            self.fitting.insert(number, nodes);
        }
        Outcome::Fits
    }

    /// Places best-effort pods of a gang that fits: how many that are, and where all its pods are.
    pub fn finish(&mut self, number: usize) -> (u32, Vec<Share>) {
        let demands = self.demands_of(number);
        let wanted: Vec<Wanted<'_>> = numbered(demands, |demand| demand.extra);
        let mut steps: Vec<Step> = Vec::new();
        let placed = greedy::fill(&mut self.room, &wanted, Policy::Spread, &mut steps);
        let guaranteed = self.fitting.get(&number).into_iter().flatten().enumerate();
        let guaranteed = guaranteed.flat_map(|(d, nodes)| nodes.iter().map(move |n| (d, *n)));
        let mut shares: BTreeMap<Step, (u32, u32)> = BTreeMap::new();
        for step in guaranteed {
            shares.entry(step).or_default().0 += 1;
        }
        for step in steps {
            shares.entry(step).or_default().1 += 1;
        }
        (placed, shares.into_iter().collect())
    }
}

/// Demands by number, each with how much of it is wanted.
pub fn numbered(demands: &[Demand], wanted: impl Fn(&Demand) -> u32) -> Vec<Wanted<'_>> {
    let all = demands.iter().enumerate();
    all.map(|(number, demand)| (number, demand, wanted(demand)))
        .collect()
}

/// Finds nodes for all guaranteed pods; the room is as before afterwards.
fn fill_all(room: &mut Room<'_>, demands: &[Demand], policy: Policy) -> Option<Nodes> {
    let wanted = numbered(demands, |demand| demand.pods);
    let all: u32 = wanted.iter().map(|(_, _, pods)| *pods).sum();
    let mut steps = Vec::new();
    let placed = greedy::fill(room, &wanted, policy, &mut steps);
    let mut nodes = vec![Vec::new(); demands.len()];
    for (number, node) in &steps {
        if let Some(of_demand) = nodes.get_mut(*number) {
            of_demand.push(*node);
        }
    }
    greedy::undo(room, &wanted, &mut steps, 0);
    (placed == all).then_some(nodes)
}

/// Puts all pods where they belong, or takes them away.
fn change(room: &mut Room<'_>, demands: &[Demand], nodes: Option<&Nodes>, is_placed: bool) {
    for (demand, nodes) in demands.iter().zip(nodes.into_iter().flatten()) {
        for node in nodes {
            if is_placed {
                room.place(demand, *node);
            } else {
                room.remove(demand, *node);
            }
        }
    }
}
