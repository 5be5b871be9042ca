//! Pods that are pinned to a topology domain in which their scope does not run any more: their
//! pods are gone, or run elsewhere. A node selector cannot be taken back, so they are replaced.

use std::collections::HashSet;

use domain::Pod;
use domain::plan::{Action, Purpose};
use domain::topology::{Levels, ScopeState, Selector};

use super::places::{Place, Places};
use super::scopes::{self, Scope};

/// Deletes them as seen: a pod that got its node meanwhile stays.
pub(super) fn plan_freeing(places: &Places<'_>) -> Vec<Action> {
    let snapshot = places.snapshot();
    if !snapshot.topology.may_read_nodes || snapshot.view.is_outdated {
        return Vec::new();
    }
    let mut actions = Vec::new();
    for place in places.iter() {
        let stranded = find_stranded(places, place);
        let pods = place
            .part
            .staying()
            .filter(|pod| stranded.contains(pod.uid()));
        actions
            .extend(pods.map(|pod| Action::delete_as_seen::<Pod>(&pod.metadata, Purpose::FreePod)));
    }
    actions
}

/// The uids of such pods in the scopes of a PodClique.
fn find_stranded(places: &Places<'_>, place: &Place<'_>) -> HashSet<String> {
    let is_waiting = place.part.staying().any(|pod| !pod.is_scheduled());
    let facts = &places.snapshot().topology;
    let levels = place.levels.as_ref().or(facts.levels.as_ref());
    let Some(levels) = levels.filter(|_| is_waiting) else {
        return HashSet::new();
    };
    let keys = scopes::keys_of(places, place.part.name(), levels);
    let scopes = keys.iter().map(|key| {
        let scope = Scope::of(places, key, place.slot.replica);
        let state = scope.state(levels, facts);
        (scope, state)
    });
    let scopes: Vec<(Scope<'_>, ScopeState)> = scopes.collect();
    let chosen = scopes::unite(scopes.iter().map(|(_, state)| state));
    scopes
        .iter()
        .flat_map(|(scope, state)| find_stranded_in(scope, state, &chosen, levels))
        .collect()
}

/// `chosen` are the node labels of all domains in which scopes of the PodClique run.
fn find_stranded_in(
    scope: &Scope<'_>,
    state: &ScopeState,
    chosen: &Selector,
    levels: &Levels,
) -> Vec<String> {
    let key = scope.key(levels).unwrap_or_default();
    let pinned = scope.pinned_pods(levels);
    pinned
        .filter(|(_, pin)| match state {
            // An enclosing scope may have chosen the domain already.
            ScopeState::Unbound => pin.get(key) != chosen.get(key),
            ScopeState::In(domain) => contradicts(domain, pin),
            ScopeState::Scattered | ScopeState::NodeUnknown => false,
        })
        .map(|(pod, _)| pod.uid().to_owned())
        .collect()
}

fn contradicts(domain: &Selector, pin: &Selector) -> bool {
    domain.iter().any(|(key, value)| {
        let pinned = pin.get(key);
        pinned.is_some_and(|pinned| pinned != value)
    })
}
