//! Nodes, kinds of pods, exclusions and packs, by number: they do not change while pods are placed.

use std::collections::HashMap;
use std::rc::Rc;

use super::rules::{Domains, Rules};
use crate::capacity::eligibility::find_refusal;
use crate::capacity::gang::{Gang, GangPart};
use crate::capacity::needs::PodNeeds;
use crate::capacity::snapshot::{ClusterSnapshot, NodeSnapshot};

/// The resource that counts pods on a node.
pub const PODS: &str = "pods";

/// Nodes, kinds and rules.
pub struct Fleet<'a> {
    /// Nodes by number.
    pub nodes: &'a [NodeSnapshot],
    /// Resources by number; [`PODS`] first.
    pub resources: Vec<String>,
    /// Kinds of pods by number.
    pub kinds: Vec<PodKind>,
    /// Exclusions by number.
    pub exclusions: Vec<Domains>,
    /// Packs by number.
    pub packs: Vec<Domains>,
}

/// Pods of one template, under the same exclusions.
#[derive(Clone, Debug, PartialEq)]
pub struct PodKind {
    /// The request of each resource.
    pub requests: Vec<i64>,
    /// Whether each node admits it by taints, selectors and affinity.
    pub eligible: Vec<bool>,
    /// Exclusions that it causes.
    pub owns: Vec<usize>,
    /// Exclusions that keep it off.
    pub member_of: Vec<usize>,
}

/// Pods of one part of a gang that are still to be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Number of the part in its gang.
    pub part: usize,
    /// Their kind.
    pub kind: usize,
    /// Their packs, outermost first.
    pub packs: Vec<usize>,
    /// Guaranteed pods to place.
    pub pods: u32,
    /// Best-effort pods to place.
    pub extra: u32,
}

impl PodKind {
    /// Whether the node admits it, however much is free.
    pub fn is_eligible(&self, node: usize) -> bool {
        self.eligible.get(node).copied().unwrap_or(false)
    }
}

/// Numbers the nodes, resources, kinds and rules of these gangs.
pub fn number<'a>(
    snapshot: &'a ClusterSnapshot,
    gangs: &[Gang],
) -> (Fleet<'a>, Vec<Vec<Demand>>, Rules) {
    let rules = Rules::of(snapshot, gangs);
    let mut numbering = Numbering {
        snapshot,
        resources: resources_of(gangs),
        rules: &rules,
        kinds: Vec::new(),
        known: HashMap::new(),
    };
    let demands = gangs
        .iter()
        .map(|gang| numbering.demands_of(gang))
        .collect();
    let fleet = Fleet {
        nodes: &snapshot.nodes,
        resources: numbering.resources,
        kinds: numbering.kinds,
        exclusions: rules.exclusions.iter().map(|e| e.domains.clone()).collect(),
        packs: rules.packs.iter().map(|p| p.domains.clone()).collect(),
    };
    (fleet, demands, rules)
}

fn resources_of(gangs: &[Gang]) -> Vec<String> {
    let requests = gangs
        .iter()
        .flat_map(|gang| &gang.parts)
        .flat_map(|part| &part.needs.requests);
    let mut names: Vec<String> = requests
        .filter(|(_, amount)| **amount > 0)
        .map(|(name, _)| name.clone())
        .collect();
    names.retain(|name| name != PODS);
    names.sort();
    names.dedup();
    names.insert(0, PODS.to_owned());
    names
}

struct Numbering<'a> {
    snapshot: &'a ClusterSnapshot,
    resources: Vec<String>,
    rules: &'a Rules,
    kinds: Vec<PodKind>,
    known: HashMap<(*const PodNeeds, Vec<usize>, Vec<usize>), usize>,
}

impl Numbering<'_> {
    fn demands_of(&mut self, gang: &Gang) -> Vec<Demand> {
        let demands = gang.parts.iter().enumerate().map(|(number, part)| Demand {
            part: number,
            kind: self.kind_of(gang, part),
            packs: self.rules.packs_of(gang, part),
            pods: part.guaranteed_left(),
            extra: part.best_effort_left(),
        });
        demands.collect()
    }

    /// Parts of one clique share its template, so they are found by its pointer.
    fn kind_of(&mut self, gang: &Gang, part: &GangPart) -> usize {
        let (owns, member_of) = self.rules.exclusions_of(gang, part);
        let key = (Rc::as_ptr(&part.needs), owns, member_of);
        if let Some(kind) = self.known.get(&key) {
            return *kind;
        }
        let kind = self.build_kind(part, key.1.clone(), key.2.clone());
        let number = self.kinds.len();
        self.kinds.push(kind);
        self.known.insert(key, number);
        number
    }

    fn build_kind(&mut self, part: &GangPart, owns: Vec<usize>, member_of: Vec<usize>) -> PodKind {
        let requests: Vec<i64> = self
            .resources
            .iter()
            .map(|name| match &**name {
                PODS => 1,
                name => part.needs.requests.get(name).copied().unwrap_or(0),
            })
            .collect();
        let nodes = self.snapshot.nodes.iter();
        let eligible = nodes.map(|node| find_refusal(&part.needs, node).is_none());
        PodKind {
            requests,
            eligible: eligible.collect(),
            owns,
            member_of,
        }
    }
}
