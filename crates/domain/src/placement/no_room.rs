//! Why a gang finds no topology domain, as far as nodes tell.

use super::room::ScopeRoom;
use crate::topology::in_plural;

/// What the scheduler tells of the scope that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailedScope {
    /// How many domains it tried.
    pub tried: Option<u64>,
    /// How many pods, or groups of pods, it had to place in one.
    pub minimum: Option<u64>,
}

/// Why a gang with these scopes finds no domain. Told is the narrowest of the scopes that can never be
/// placed, else of those that the scheduler means, else of all.
pub fn explain_no_room(rooms: &[ScopeRoom], failed: FailedScope) -> Option<String> {
    let claims: [&dyn Fn(&ScopeRoom) -> bool; 4] = [
        &|room| room.domains == 0,
        &|room| room.missing() > 0,
        &|room| is_meant(room, failed),
        &|_| true,
    ];
    let narrowest = |claim: &dyn Fn(&ScopeRoom) -> bool| {
        // Of equal scopes the first.
        let scopes = rooms.iter().rev().filter(|room| claim(room));
        scopes.max_by_key(|room| (room.position, room.missing()))
    };
    let room = claims.into_iter().find_map(narrowest)?;
    Some(describe(room, rooms.len() > 1))
}

/// Whether the scheduler's numbers are those of the scope. One that has to join others has only one
/// domain to try.
fn is_meant(room: &ScopeRoom, failed: FailedScope) -> bool {
    let domains = room.pinned.as_ref().map_or(room.domains, |_| 1);
    failed.tried == u64::try_from(domains).ok() && failed.minimum == Some(room.need)
}

fn describe(room: &ScopeRoom, is_one_of_several: bool) -> String {
    let of = room.within.as_ref();
    let of = of.map_or(String::new(), |domain| format!(" of {domain}"));
    let text = match &room.largest {
        None => describe_labels(room, &of),
        Some((domain, holds)) if room.missing() > 0 => format!(
            "no {}{of} can hold {}: the largest, {domain}, holds {holds} when it is empty, {} too \
             few: use a broader level, or fewer or smaller pods",
            room.level,
            describe_pods(room),
            room.missing(),
        ),
        Some((domain, holds)) => match &room.pinned {
            // It says whose pods they are.
            Some(pinned) => return format!("{pinned}, which has no room"),
            None => describe_full(room, &of, domain, *holds),
        },
    };
    match room.owner.as_ref().filter(|_| is_one_of_several) {
        Some(owner) => format!("{owner}: {text}"),
        None => text,
    }
}

/// "no node has label topology.kubernetes.io/rack".
fn describe_labels(room: &ScopeRoom, of: &str) -> String {
    let labels = room.missing_labels.join(" and ");
    let word = if room.missing_labels.len() == 1 {
        "label"
    } else {
        "labels"
    };
    format!("no node{of} has {word} {labels}")
}

/// "none of 4 racks has room for 5 pods now (the largest, z0/r3, holds 8 when it is empty)".
fn describe_full(room: &ScopeRoom, of: &str, domain: &str, holds: u64) -> String {
    let (level, pods) = (&room.level, describe_pods(room));
    if room.domains == 1 {
        return format!(
            "the only {level}{of}, {domain}, has no room for {pods} now (it holds {holds} when it is \
             empty)"
        );
    }
    let levels = in_plural(level);
    format!(
        "none of {} {levels}{of} has room for {pods} now (the largest, {domain}, holds {holds} when \
         it is empty)",
        room.domains
    )
}

/// "40 pods that request nvidia.com/gpu".
fn describe_pods(room: &ScopeRoom) -> String {
    let need = room.need;
    let pods = if need == 1 { "pod" } else { "pods" };
    let request = room.resource.as_ref();
    let request = request.map_or(String::new(), |name| format!(" that request {name}"));
    format!("{need} {pods}{request}")
}
