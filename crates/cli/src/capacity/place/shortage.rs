//! The shortage of a gang without a placement: the needs of its pods without a node.

use std::collections::{BTreeMap, BTreeSet};

use domain::object::quantity_text::write_amount;

use super::fleet::{Demand, PODS, PodKind};
use super::free_resources::FreeResources;
use super::greedy::PodPlacement;
use crate::capacity::eligibility::{Refusal, find_refusal};
use crate::capacity::gang::Gang;
use crate::capacity::needs::PodNeeds;
use crate::lint::nearest_resource;

/// Reasons that are listed.
const MOST_LISTED: usize = 3;

/// One reason for each clique with pods that these placements did not place.
pub fn find_shortages(
    room: &FreeResources<'_>,
    gang: &Gang,
    demands: &[Demand],
    placements: &[PodPlacement],
) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for (number, demand) in demands.iter().enumerate() {
        let Some(part) = gang.parts.get(demand.part) else {
            continue;
        };
        if count(placements, number) < demand.pods {
            let reason = format!("{} {}", part.clique, why_not(room, demand, &part.needs));
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    reasons.truncate(MOST_LISTED);
    reasons
}

fn count(placements: &[PodPlacement], number: usize) -> u32 {
    let of = placements.iter().filter(|(demand, _)| *demand == number);
    u32::try_from(of.count()).unwrap_or(u32::MAX)
}

/// The reason without the clique's name.
fn why_not(room: &FreeResources<'_>, demand: &Demand, needs: &PodNeeds) -> String {
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
    let with_room: Vec<usize> = inside
        .iter()
        .filter(|node| room.has_room(kind, **node))
        .copied()
        .collect();
    if !with_room.is_empty() {
        return format!(
            "has room{place} on {}",
            but_excluded(room, kind, &with_room)
        );
    }
    format!("needs {}", closest(room, kind, &inside, &place))
}

/// The exclusions on the nodes that have room for it.
fn but_excluded(room: &FreeResources<'_>, kind: &PodKind, nodes: &[usize]) -> String {
    let exclusions: BTreeSet<usize> = nodes
        .iter()
        .flat_map(|node| room.exclusions_at(kind, *node))
        .collect();
    let called: BTreeSet<&str> = exclusions
        .into_iter()
        .filter_map(|e| room.fleet.exclusions.get(e))
        .map(|domains| &*domains.called)
        .collect();
    let called: Vec<&str> = called.into_iter().collect();
    let (count, cause) = (nodes.len(), called.join(" and "));
    let nodes = if count == 1 { "node" } else { "nodes" };
    format!("{count} {nodes}, but {cause} keeps it off")
}

/// The domain of the other pods of its packs.
fn place_of(room: &FreeResources<'_>, demand: &Demand) -> String {
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

/// Resources that are short on every node, with the most that one node has.
fn lacking_everywhere(
    room: &FreeResources<'_>,
    kind: &PodKind,
    nodes: &[usize],
    place: &str,
) -> Vec<String> {
    let resources = room.fleet.resources.iter().zip(&kind.requests).enumerate();
    resources
        .filter_map(|(number, (name, request))| {
            let free = |node: &usize| room.free.get(*node)?.get(number).copied();
            // Of equal nodes the first by name.
            let largest = nodes.iter().rev().max_by_key(|node| free(node))?;
            let most = free(largest)?;
            if *request <= 0 || *request <= most {
                return None;
            }
            let node = room.fleet.nodes.get(*largest).map_or("", |node| &node.name);
            if name == PODS {
                return Some(format!(
                    "a node{place} that takes one more pod: each has its maximum"
                ));
            }
            if let Some(nobody) = on_no_node(room, name) {
                return Some(format!("{} {name}, {nobody}", write_amount(name, *request)));
            }
            let (request, most) = (
                write_amount(name, *request),
                write_amount(name, most.max(0)),
            );
            Some(format!(
                "{request} {name} on one node{place}: largest free is {most} ({node})"
            ))
        })
        .collect()
}

/// The words for a resource that no node has, with the nearest name of one that a node has.
fn on_no_node(room: &FreeResources<'_>, resource: &str) -> Option<String> {
    let offered = room
        .fleet
        .nodes
        .iter()
        .flat_map(|node| node.allocatable.keys());
    let offered: BTreeSet<&str> = offered.map(String::as_str).collect();
    if offered.contains(resource) {
        return None;
    }
    let offered: Vec<&str> = offered.into_iter().collect();
    Some(match nearest_resource(&offered, resource) {
        Some(meant) => format!("which no node has: did you mean {meant}?"),
        None => "which no node has".to_owned(),
    })
}

/// The node that lacks least, if no single resource is short on every node.
fn closest(room: &FreeResources<'_>, kind: &PodKind, nodes: &[usize], place: &str) -> String {
    let all: Vec<String> = room
        .fleet
        .resources
        .iter()
        .zip(&kind.requests)
        .filter(|(name, request)| **request > 0 && *name != PODS)
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
    let missing: Vec<String> = missing
        .into_iter()
        .map(|(name, _, missing)| match name {
            PODS => "room for one more pod".to_owned(),
            _ => format!("{} {name}", write_amount(name, missing)),
        })
        .collect();
    let (all, missing) = (all.join(" and "), missing.join(" and "));
    format!("{all} on one node{place}: closest is {name}, which lacks {missing}")
}

/// Each resource that is short on the node: its name, the request, and the missing amount.
fn missing_on<'a>(
    room: &FreeResources<'a>,
    kind: &PodKind,
    node: usize,
) -> Vec<(&'a str, i128, i128)> {
    let free = room.free.get(node).map_or(&[][..], Vec::as_slice);
    room.fleet
        .resources
        .iter()
        .zip(kind.requests.iter().zip(free))
        .filter(|(_, (request, free))| **request > 0 && request > free)
        .map(|(name, (request, free))| {
            let (request, free) = (i128::from(*request), i128::from(*free.max(&0)));
            (&**name, request, request - free)
        })
        .collect()
}

/// The reasons of the nodes, if none of them admits the pod however much is free.
fn may_be_nowhere(room: &FreeResources<'_>, needs: &PodNeeds) -> String {
    let mut refusals: BTreeMap<Refusal, usize> = BTreeMap::new();
    for node in room.fleet.nodes {
        if let Some(refusal) = find_refusal(needs, node) {
            *refusals.entry(refusal).or_default() += 1;
        }
    }
    let mut counted: Vec<(Refusal, usize)> = refusals.into_iter().collect();
    counted.sort_by_key(|(_, nodes)| std::cmp::Reverse(*nodes));
    let counted: Vec<String> = counted
        .into_iter()
        .take(MOST_LISTED)
        .map(|(refusal, nodes)| {
            let nodes_are = match refusal {
                Refusal::Unschedulable => "cordoned".to_owned(),
                Refusal::Taint(taint) => format!("with taint {taint}"),
                Refusal::Selector => "without the labels of its nodeSelector".to_owned(),
                Refusal::Affinity => "not selected by its node affinity".to_owned(),
            };
            format!("{nodes} {nodes_are}")
        })
        .collect();
    match room.fleet.nodes.len() {
        0 => "has no node: the cluster has none".to_owned(),
        nodes => format!("may be on none of {nodes} nodes: {}", counted.join(", ")),
    }
}
