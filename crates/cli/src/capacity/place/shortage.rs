//! Why a gang does not fit: what the first pods without a node lack.

use std::collections::{BTreeMap, BTreeSet};

use super::fleet::{Demand, PODS, PodKind};
use super::greedy::{self, Policy, Step};
use super::placer::numbered;
use super::room::Room;
use crate::capacity::eligibility::{Refusal, find_refusal};
use crate::capacity::gang::Gang;
use crate::capacity::needs::PodNeeds;
use crate::quantity_text::write_amount;

/// Cliques that are spoken of.
const MOST_TOLD: usize = 3;

/// Places what fits of the gang, for a moment: how many pods that are, and why not more.
pub fn explain(room: &Room<'_>, gang: &Gang, demands: &[Demand]) -> (u32, Vec<String>) {
    let wanted = numbered(demands, |demand| demand.pods);
    let tries = [Policy::Spread, Policy::Tight].map(|policy| {
        let (mut room, mut steps) = (room.clone(), Vec::new());
        let placed = greedy::fill(&mut room, &wanted, policy, &mut steps);
        (placed, room, steps)
    });
    let [spread, tight] = tries;
    let (placed, room, steps) = if tight.0 > spread.0 { tight } else { spread };
    let mut reasons: Vec<String> = Vec::new();
    for (number, demand) in demands.iter().enumerate() {
        if count(&steps, number) < demand.pods {
            let Some(part) = gang.parts.get(demand.part) else {
                continue;
            };
            let reason = format!("{} {}", part.clique, why_not(&room, demand, &part.needs));
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    reasons.truncate(MOST_TOLD);
    (placed, reasons)
}

fn count(steps: &[Step], number: usize) -> u32 {
    let of = steps.iter().filter(|(demand, _)| *demand == number);
    u32::try_from(of.count()).unwrap_or(u32::MAX)
}

/// What comes after the clique's name.
fn why_not(room: &Room<'_>, demand: &Demand, needs: &PodNeeds) -> String {
    let Some(kind) = room.fleet.kinds.get(demand.kind) else {
        return String::new();
    };
    let nodes = 0..room.fleet.nodes.len();
    let eligible: Vec<usize> = nodes.filter(|node| kind.is_eligible(*node)).collect();
    if eligible.is_empty() {
        return may_be_nowhere(room, needs);
    }
    let inside = |node: &usize| room.is_in_packs(demand, *node);
    let inside: Vec<usize> = eligible.into_iter().filter(inside).collect();
    let place = place_of(room, demand);
    if inside.is_empty() {
        return format!("may be on no node{place}");
    }
    let lacking = lacking_everywhere(room, kind, &inside, &place);
    if !lacking.is_empty() {
        return format!("needs {}", lacking.join(", and "));
    }
    let with_room = inside.iter().filter(|node| room.has_room(kind, **node));
    let with_room: Vec<usize> = with_room.copied().collect();
    if !with_room.is_empty() {
        return format!(
            "has room{place} on {}",
            but_excluded(room, kind, &with_room)
        );
    }
    format!("needs {}", closest(room, kind, &inside, &place))
}

/// What keeps it off the nodes that have room for it.
fn but_excluded(room: &Room<'_>, kind: &PodKind, nodes: &[usize]) -> String {
    let exclusions = nodes
        .iter()
        .flat_map(|node| room.exclusions_at(kind, *node));
    let exclusions: BTreeSet<usize> = exclusions.collect();
    let called = exclusions
        .into_iter()
        .filter_map(|e| room.fleet.exclusions.get(e));
    let called: BTreeSet<&str> = called.map(|domains| &*domains.called).collect();
    let called: Vec<&str> = called.into_iter().collect();
    let (count, what) = (nodes.len(), called.join(" and "));
    let nodes = if count == 1 { "node" } else { "nodes" };
    format!("{count} {nodes}, but is kept off by {what}")
}

/// The domain that the others of its packs are in.
fn place_of(room: &Room<'_>, demand: &Demand) -> String {
    let named = demand.packs.iter().rev().find_map(|pack| {
        let domain = room.pins.get(*pack)?.domain()?;
        let domains = room.fleet.packs.get(*pack)?;
        let name = domains.names.get(domain)?;
        Some(format!(
            " of {} {name}, where the others are",
            domains.called
        ))
    });
    named.unwrap_or_else(|| match demand.packs.last() {
        Some(pack) => {
            let domains = room.fleet.packs.get(*pack);
            let level = domains.map_or("domain", |domains| &domains.called);
            format!(" of one {level}")
        }
        None => String::new(),
    })
}

/// Resources of which no node has enough, with the most that any has.
fn lacking_everywhere(
    room: &Room<'_>,
    kind: &PodKind,
    nodes: &[usize],
    place: &str,
) -> Vec<String> {
    let resources = room.fleet.resources.iter().zip(&kind.requests).enumerate();
    let lacking = resources.filter_map(|(number, (name, request))| {
        let free = |node: &usize| room.free.get(*node)?.get(number).copied();
        // Of equal ones the first by name.
        let largest = nodes.iter().rev().max_by_key(|node| free(node))?;
        let most = free(largest)?;
        if *request <= 0 || *request <= most {
            return None;
        }
        let node = room.fleet.nodes.get(*largest).map_or("", |node| &node.name);
        if name == PODS {
            return Some(format!(
                "a node{place} for one more pod: each has all that it takes"
            ));
        }
        let (request, most) = (
            write_amount(name, *request),
            write_amount(name, most.max(0)),
        );
        Some(format!(
            "{request} {name} on one node{place}: largest free is {most} ({node})"
        ))
    });
    lacking.collect()
}

/// The node that lacks least, where no single resource is short everywhere.
fn closest(room: &Room<'_>, kind: &PodKind, nodes: &[usize], place: &str) -> String {
    let all = room.fleet.resources.iter().zip(&kind.requests);
    let all = all.filter(|(name, request)| **request > 0 && *name != PODS);
    let all: Vec<String> = all
        .map(|(name, request)| format!("{} {name}", write_amount(name, *request)))
        .collect();
    let near = nodes.iter().copied().min_by_key(|node| {
        let missing = missing_on(room, kind, *node);
        let shares = missing
            .iter()
            .map(|(_, request, missing)| missing * 1_000_000 / request);
        (missing.len(), shares.sum::<i128>())
    });
    let name = near.and_then(|node| room.fleet.nodes.get(node));
    let name = name.map_or("", |node| &node.name);
    let missing = near.map_or(Vec::new(), |node| missing_on(room, kind, node));
    let missing = missing.into_iter().map(|(name, _, missing)| match name {
        PODS => "room for one more pod".to_owned(),
        _ => format!("{} {name}", write_amount(name, missing)),
    });
    let missing: Vec<String> = missing.collect();
    let (all, missing) = (all.join(" and "), missing.join(" and "));
    format!("{all} on one node{place}: closest is {name}, which lacks {missing}")
}

/// Of each resource that the node has too little of: its name, the request, and what is missing.
fn missing_on<'a>(room: &Room<'a>, kind: &PodKind, node: usize) -> Vec<(&'a str, i128, i128)> {
    let free = room.free.get(node).map_or(&[][..], Vec::as_slice);
    let all = room
        .fleet
        .resources
        .iter()
        .zip(kind.requests.iter().zip(free));
    let short = all.filter(|(_, (request, free))| **request > 0 && request > free);
    short
        .map(|(name, (request, free))| {
            let (request, free) = (i128::from(*request), i128::from(*free.max(&0)));
            (&**name, request, request - free)
        })
        .collect()
}

/// Why no node takes it, however much room there is.
fn may_be_nowhere(room: &Room<'_>, needs: &PodNeeds) -> String {
    let mut refusals: BTreeMap<Refusal, usize> = BTreeMap::new();
    for node in room.fleet.nodes {
        if let Some(refusal) = find_refusal(needs, node) {
            *refusals.entry(refusal).or_default() += 1;
        }
    }
    let mut counted: Vec<(Refusal, usize)> = refusals.into_iter().collect();
    counted.sort_by_key(|(_, nodes)| std::cmp::Reverse(*nodes));
    let counted = counted.into_iter().take(MOST_TOLD).map(|(refusal, nodes)| {
        let what = match refusal {
            Refusal::Unschedulable => "cordoned".to_owned(),
            Refusal::Taint(taint) => format!("with taint {taint}"),
            Refusal::Selector => "without the labels of its nodeSelector".to_owned(),
            Refusal::Affinity => "that its node affinity does not select".to_owned(),
        };
        format!("{nodes} {what}")
    });
    let counted: Vec<String> = counted.collect();
    match room.fleet.nodes.len() {
        0 => "has no node to be on: there is none".to_owned(),
        nodes => format!("may be on none of {nodes} nodes: {}", counted.join(", ")),
    }
}
