//! Chooses the claim that new pods use, under its own name or one with a number.

use jiff::Timestamp;

use super::ClaimFacts;
use crate::object::ownership;
use crate::scheduling::kubernetes::probe_name;

/// Names tried for a claim.
const PROBES: usize = 20;

/// The claim under which new pods use devices, whether it exists or not. In this order: the one
/// that pods use, as a second one would silently part their devices; the lowest one that exists;
/// the lowest one that is not held by lost pods alone, whose nodes would keep every new pod away. A number
/// that another owner's claim has is skipped; `owner` is the uid of this one.
pub(super) fn choose(facts: &ClaimFacts, name: &str, owner: &str, now: Timestamp) -> String {
    let holders = &facts.holders;
    let is_taken = |claim: &str| {
        let found = facts.found.get(claim).filter(|_| claim != name);
        let controller = found.and_then(|claim| ownership::controller(&claim.metadata));
        controller.is_some_and(|controller| controller.uid != owner)
    };
    let is_free = |claim: &str| !holders.is_lost(claim, now) && !is_taken(claim);
    let stays = |claim: &str| {
        let found = facts.found.get(claim);
        found.is_some_and(|claim| !claim.is_terminating())
    };
    let find = |holds: &dyn Fn(&str) -> bool| probes(name).find(|claim| holds(claim));
    find(&|claim| holders.is_kept(claim))
        .or_else(|| find(&|claim| holders.is_in_use(claim, now)))
        .or_else(|| find(&|claim| stays(claim) && is_free(claim)))
        .or_else(|| find(&is_free))
        .unwrap_or_else(|| name.to_owned())
}

/// All names of a claim.
pub(super) fn probes(name: &str) -> impl Iterator<Item = String> {
    (0..PROBES).map(move |probe| probe_name(name, probe))
}
