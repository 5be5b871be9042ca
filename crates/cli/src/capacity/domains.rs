//! The topology domains that a gang could use, with their room: for `explain`.

use std::collections::{BTreeMap, BTreeSet};

use domain::object::quantity_text::write_amount;
use serde::Serialize;

use super::gang::{Gang, Pack};
use super::place::{DomainRoom, Outcome, PackRooms, find_rooms, place_gangs};
use super::snapshot::{BoundPod, ClusterSnapshot};

/// Domains that are listed.
const MOST_LISTED: usize = 10;
/// Holders of a resource that are listed for a domain.
const MOST_HOLDERS: usize = 2;

/// The domains of the scope that keeps a gang from starting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomainsOfGang {
    /// The best ones, by room.
    pub domains: Vec<Domain>,
    /// What else is to be said: how many are not listed, and whether a broader level would do.
    pub notes: Vec<String>,
}

/// The room of one topology domain for pods that have to share it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Domain {
    /// Name of the level, such as `rack`.
    pub level: String,
    /// The values of the node labels of this level and of those above it, as in `z0/r1`.
    pub domain: String,
    /// How many of the pods it has room for.
    pub fits: u32,
    /// How many pods wait for a node.
    pub need: u32,
    /// What it lacks for the others, by resource.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, String>,
    /// Who holds most of that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held_by: Vec<Holder>,
}

/// Pods that hold a resource in a domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    /// The resource.
    pub resource: String,
    /// Namespace and name of their PodClique, or of the pod.
    pub pods: String,
    /// How much they hold.
    pub amount: String,
}

/// The domains for the gang of that name: of its narrowest scope for which no domain has room, else of
/// the outermost. None without a scope that waits.
pub fn domains_of(snapshot: &ClusterSnapshot, gangs: &[Gang], name: &str) -> Option<DomainsOfGang> {
    let index = gangs.iter().position(|gang| gang.name == name)?;
    let scopes = find_rooms(snapshot, gangs, index);
    let waiting = || scopes.iter().filter(|scope| scope.need > 0);
    let failing = waiting().filter(|scope| !scope.has_room());
    let depth = |scope: &&PackRooms| scope.pack.levels.as_slice().len();
    // Of equal scopes the first.
    let failing = failing.rev().max_by_key(depth);
    let scope = failing.or_else(|| waiting().next())?;
    let listed = scope.domains.iter().take(MOST_LISTED);
    let others = scope.count.saturating_sub(MOST_LISTED);
    let more = (others > 0).then(|| format!("{others} more with no more room"));
    let broader = judge_broader(snapshot, gangs, index, scope);
    Some(DomainsOfGang {
        domains: listed
            .map(|room| describe_domain(snapshot, scope, room))
            .collect(),
        notes: more.into_iter().chain(Some(broader)).collect(),
    })
}

fn describe_domain(snapshot: &ClusterSnapshot, scope: &PackRooms, room: &DomainRoom) -> Domain {
    let missing = room.missing.iter();
    Domain {
        level: scope.pack.level().to_owned(),
        domain: room.name.clone(),
        fits: room.fits,
        need: scope.need,
        missing: missing
            .map(|(name, amount)| (name.clone(), write_amount(name, *amount)))
            .collect(),
        held_by: room
            .missing
            .keys()
            .flat_map(|resource| find_holders(snapshot, room, resource))
            .collect(),
    }
}

/// Those who hold most of the resource on the nodes of the domain.
fn find_holders(snapshot: &ClusterSnapshot, room: &DomainRoom, resource: &str) -> Vec<Holder> {
    let nodes: BTreeSet<&str> = room.nodes.iter().map(String::as_str).collect();
    let mut held: BTreeMap<String, i64> = BTreeMap::new();
    for pod in snapshot
        .pods
        .iter()
        .filter(|pod| nodes.contains(&*pod.node))
    {
        if let Some(amount) = pod.requests.get(resource).filter(|amount| **amount > 0) {
            let sum = held.entry(describe_holder(pod)).or_default();
            *sum = sum.saturating_add(*amount);
        }
    }
    let mut held: Vec<(String, i64)> = held.into_iter().collect();
    held.sort_by_key(|(_, amount)| std::cmp::Reverse(*amount));
    held.into_iter()
        .take(MOST_HOLDERS)
        .map(|(pods, amount)| Holder {
            resource: resource.to_owned(),
            pods,
            amount: write_amount(resource, amount),
        })
        .collect()
}

fn describe_holder(pod: &BoundPod) -> String {
    let podclique = pod.labels.get(api::labels::POD_CLIQUE);
    let name = podclique.unwrap_or(&pod.name);
    format!("{}/{name}", pod.namespace)
}

/// Whether the next broader level would do, or no constraint.
fn judge_broader(
    snapshot: &ClusterSnapshot,
    gangs: &[Gang],
    index: usize,
    scope: &PackRooms,
) -> String {
    let broader = scope.pack.broader();
    let gangs: Vec<Gang> = gangs
        .iter()
        .map(|gang| with_pack(gang, &scope.pack.scope, broader.as_ref()))
        .collect();
    let Some(broader) = broader else {
        let alone: Vec<Gang> = gangs.into_iter().skip(index).take(1).collect();
        let verdicts = place_gangs(snapshot, &alone);
        let fits = verdicts.iter().all(|v| v.outcome == Outcome::Fits);
        let text = if fits {
            "without the constraint it would fit"
        } else {
            "it would not fit without the constraint either"
        };
        return text.to_owned();
    };
    let (level, need) = (broader.level().to_owned(), scope.need);
    let rooms = find_rooms(snapshot, &gangs, index);
    let mut rooms = rooms.iter().filter(|rooms| rooms.pack == broader);
    let best = rooms.next().and_then(|rooms| rooms.domains.first());
    let (name, fits) = best.map_or(("", 0), |best| (&*best.name, best.fits));
    if fits == need {
        format!("level {level} would do: {name} has room for {need} pods")
    } else {
        format!("level {level} would not do: the best, {name}, has room for {fits} of {need} pods")
    }
}

/// The gang with another pack for the scope, or with none.
fn with_pack(gang: &Gang, scope: &str, pack: Option<&Pack>) -> Gang {
    let mut gang = gang.clone();
    for part in &mut gang.parts {
        let packs = std::mem::take(&mut part.packs);
        let change = |own: Pack| {
            if own.scope == scope {
                pack.cloned()
            } else {
                Some(own)
            }
        };
        part.packs = packs.into_iter().filter_map(change).collect();
    }
    gang
}
