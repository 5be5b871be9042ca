//! Why a gang finds no topology domain: its scheduler's numbers, or the room that the nodes have when
//! they are empty.

use domain::Pod;
use domain::health::readiness::{NoDomain, find_no_domain};
use domain::placement::{FailedScope, explain_no_room};

use crate::gang_part::GangPart;
use crate::room::GangRoom;

/// The sentence, which PodCliques and sets repeat; none if only pins keep the pods from their nodes and
/// nodes cannot be read.
pub(crate) fn explain(parts: &[GangPart], room: &GangRoom) -> Option<String> {
    let unplaced = pods_of(parts).filter(|pod| !pod.is_scheduled());
    let told: Vec<NoDomain<'_>> = unplaced
        .filter_map(|pod| find_no_domain(pod, true))
        .collect();
    of_best(&told, room)
        .or_else(|| of_stray(&told, parts, room))
        .or_else(|| of_nodes(&told, room))
        .or_else(|| Some(told.first()?.describe(None)))
}

fn pods_of(parts: &[GangPart]) -> impl Iterator<Item = &Pod> {
    parts.iter().flat_map(|part| &part.pods).map(AsRef::as_ref)
}

/// The best domain in the words of a scheduler that lists all of them.
fn of_best(told: &[NoDomain<'_>], room: &GangRoom) -> Option<String> {
    let complete = told.iter().filter_map(|told| Some((told.best?, told)));
    let (_, told) = complete.min_by_key(|(best, _)| (best.missing(), best.domain))?;
    let level = told.key.and_then(|key| {
        let position = room.levels.position_of_key(key)?;
        room.levels.as_slice().get(position)
    });
    Some(told.describe(level.map(|level| level.domain.as_str())))
}

/// Pods that have a node, and because of which no other can join.
fn of_stray(told: &[NoDomain<'_>], parts: &[GangPart], room: &GangRoom) -> Option<String> {
    let told = told.iter().find(|told| told.stray.is_some())?;
    let name = told.pod_without_domain();
    let pod = name.and_then(|name| pods_of(parts).find(|pod| pod.name() == name));
    let Some((pod, node)) = pod.and_then(|pod| Some((pod, pod.spec.node_name.as_ref()?))) else {
        return Some(told.describe(None));
    };
    let keys = room
        .levels
        .as_slice()
        .iter()
        .map(|level| level.key.as_str());
    let (pod, keys) = (pod.name(), keys.collect::<Vec<_>>().join(", "));
    Some(format!(
        "pod {pod} is on {node}, which has no label of its topology level (one of {keys}): label \
         the node, or delete the pod"
    ))
}

fn of_nodes(told: &[NoDomain<'_>], room: &GangRoom) -> Option<String> {
    let scopes = told.iter().map(|told| FailedScope {
        tried: told.tried,
        minimum: told.minimum,
    });
    let failed = scopes.max_by_key(|scope| scope.minimum.is_some());
    explain_no_room(&room.scopes, failed.unwrap_or_default())
}
