//! The room of topology domains when they are empty: the most that could ever be placed in one.
//!
//! Only nodes are read, not the pods on them: a domain that is too small when it is empty will
//! always be, and one that is large enough may be full now.

use std::collections::BTreeMap;

use super::demand::Demand;
use crate::Node;
use crate::object::ownership;
use crate::topology::{Levels, Selector};

/// Pods that have to share a domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScopeDemand {
    /// What the pods belong to, if that is not the gang as a whole.
    pub owner: Option<String>,
    /// Position of the required level.
    pub position: usize,
    /// What the pods need ([`super::demands_of`]).
    pub demands: Vec<Demand>,
    /// The broader domain that it has to be in, because pods around it run there; of any node if it
    /// is empty.
    pub within: Selector,
    /// The domain that it has to join.
    pub pinned: Option<PinnedScope>,
}

/// Pods that run already, and that the others have to join.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PinnedScope {
    /// What the pods belong to: `its replica`.
    pub owner: String,
    /// The labels of their nodes.
    pub domain: Selector,
    /// How many they are.
    pub pods: usize,
}

/// The room that the nodes of the cluster have for a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeRoom {
    /// What the pods belong to, if that is not the gang as a whole.
    pub owner: Option<String>,
    /// Position of the required level.
    pub position: usize,
    /// Name of the required level.
    pub level: String,
    /// How many pods have to share a domain.
    pub need: u64,
    /// The resource that they request and others of the scope do not, if the largest domain has too
    /// little of that.
    pub resource: Option<String>,
    /// How many domains there are.
    pub domains: usize,
    /// The largest domain, and how many of the pods it holds when it is empty.
    pub largest: Option<(String, u64)>,
    /// The broader domain that it has to be in: `zone z0`.
    pub within: Option<String>,
    /// What it has to join: `its replica is in rack z0/r1 (12 pods)`.
    pub pinned: Option<String>,
    /// Node labels of the level that no node has, or not together with the others, if there is no
    /// domain.
    pub missing_labels: Vec<String>,
}

impl ScopeRoom {
    /// How many of the pods do not fit into the largest domain when it is empty.
    pub fn missing(&self) -> u64 {
        let holds = self.largest.as_ref().map_or(0, |(_, holds)| *holds);
        self.need.saturating_sub(holds)
    }
}

/// The room for each scope.
pub fn measure_rooms(scopes: &[ScopeDemand], levels: &Levels, nodes: &[&Node]) -> Vec<ScopeRoom> {
    let mut meter = Meter {
        levels,
        nodes,
        known: Vec::new(),
    };
    let rooms = scopes.iter().filter_map(|scope| meter.measure(scope));
    rooms.collect()
}

/// What is measured: scopes of equal pods have the same room.
type Question = (usize, Selector, Demand);

#[derive(Clone, Debug)]
struct Answer {
    domains: usize,
    largest: Option<(String, u64)>,
}

struct Meter<'a> {
    levels: &'a Levels,
    nodes: &'a [&'a Node],
    known: Vec<(Question, Answer)>,
}

impl Meter<'_> {
    /// The room for the demand of which most is missing; none without pods or without that level.
    fn measure(&mut self, scope: &ScopeDemand) -> Option<ScopeRoom> {
        let level = self.levels.as_slice().get(scope.position)?.domain.clone();
        let answers = scope.demands.iter().map(|demand| {
            let question = (scope.position, scope.within.clone(), demand.clone());
            (demand, self.answer(question))
        });
        let rooms = answers.map(|(demand, answer)| ScopeRoom {
            owner: scope.owner.clone(),
            position: scope.position,
            level: level.clone(),
            need: demand.pods,
            resource: demand.resource.clone(),
            domains: answer.domains,
            largest: answer.largest,
            ..ScopeRoom::default()
        });
        // Of equal shortages the first counts: that of all pods.
        let worst = rooms.reduce(|worst, room| {
            if room.missing() > worst.missing() {
                room
            } else {
                worst
            }
        })?;
        Some(ScopeRoom {
            within: self.describe_within(&scope.within),
            pinned: scope.pinned.as_ref().map(|p| self.describe_pinned(p)),
            missing_labels: if worst.domains == 0 {
                self.find_missing_labels(scope)
            } else {
                Vec::new()
            },
            ..worst
        })
    }

    fn answer(&mut self, question: Question) -> Answer {
        let mut known = self.known.iter();
        if let Some((_, answer)) = known.find(|(asked, _)| *asked == question) {
            return answer.clone();
        }
        let (position, within, demand) = &question;
        let mut rooms: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
        for node in self.nodes.iter().filter(|node| is_in(node, within)) {
            if let Some(domain) = self.levels.domain_of(node, *position) {
                let room = rooms.entry(domain).or_default();
                *room = room.saturating_add(demand.capacity_of(node));
            }
        }
        // Of equal domains the first by name.
        let largest = rooms.iter().rev().max_by_key(|(_, room)| **room);
        let answer = Answer {
            domains: rooms.len(),
            largest: largest.map(|(domain, room)| (domain.join("/"), *room)),
        };
        self.known.push((question, answer.clone()));
        answer
    }

    /// "zone z0".
    fn describe_within(&self, within: &Selector) -> Option<String> {
        let values = self.values_of(within);
        let level = self.levels.as_slice().get(values.len().checked_sub(1)?)?;
        Some(format!("{} {}", level.domain, values.join("/")))
    }

    /// "its replica is in rack z0/r1 (12 pods)".
    fn describe_pinned(&self, pinned: &PinnedScope) -> String {
        let (owner, count) = (&pinned.owner, pinned.pods);
        let domain = self.describe_within(&pinned.domain).unwrap_or_default();
        let pods = if count == 1 { "pod" } else { "pods" };
        format!("{owner} is in {domain} ({count} {pods})")
    }

    /// The values of the labels, broadest level first.
    fn values_of<'s>(&self, domain: &'s Selector) -> Vec<&'s str> {
        let levels = self.levels.as_slice().iter();
        levels
            .map_while(|level| domain.get(&level.key))
            .map(String::as_str)
            .collect()
    }

    /// The labels that no node has; all if each of them is on some node.
    fn find_missing_labels(&self, scope: &ScopeDemand) -> Vec<String> {
        let needed = self.levels.down_to(scope.position);
        let keys = needed.as_slice().iter().map(|level| &level.key);
        let is_missing = |key: &&String| {
            let mut nodes = self.nodes.iter().filter(|node| is_in(node, &scope.within));
            !nodes.any(|node| ownership::label(&node.metadata, key).is_some())
        };
        let missing: Vec<String> = keys.clone().filter(is_missing).cloned().collect();
        if missing.is_empty() {
            keys.cloned().collect()
        } else {
            missing
        }
    }
}

/// Whether the node is in the domain with these labels.
pub(super) fn is_in(node: &Node, domain: &Selector) -> bool {
    let has = |(key, value): (&String, &String)| {
        ownership::label(&node.metadata, key) == Some(value.as_str())
    };
    domain.iter().all(has)
}
