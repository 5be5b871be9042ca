//! Pins: a pod that joins pods which already run in a topology domain may only be placed there
//! (docs/topology.md). No scheduler does that by itself for parts that join later.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use api::PodGang;
use api::podgang::{PodGroup, PodPlacement};
use domain::Pod;
use domain::roster::ObservedClique;
use domain::topology::{Levels, ScopeState, Selector};

use super::places::Places;
use super::scopes::{self, Scope, ScopeKey};

/// The inputs of pins for one gang.
pub(super) struct Pins<'a> {
    places: &'a Places<'a>,
    /// The levels that are in force for the gang.
    levels: &'a Levels,
    /// The scopes that were judged, as parts of a gang share them.
    judged: HashMap<ScopeKey, Judged>,
    /// Whether the gates of all parts that are new in the list hold up pods that are listed.
    are_waited_for: bool,
}

/// A scope as seen.
#[derive(Clone, Debug)]
struct Judged {
    state: ScopeState,
    /// The pins of its pods without a node, by the node label of its level.
    pins: BTreeSet<(String, String)>,
    has_listed_pod: bool,
}

impl Judged {
    /// Whether a pod waits for another domain than these, which enclosing scopes have chosen.
    fn is_pinned_beside(&self, chosen: &Selector) -> bool {
        let mut pins = self.pins.iter();
        pins.any(|(key, value)| chosen.get(key) != Some(value))
    }
}

/// The pods of a part that may be listed beside those that are listed already.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Joining {
    /// All, on nodes with these labels.
    All(Selector),
    /// Its minimum, on nodes with these labels: it is placed before the rest.
    Minimum(Selector),
    /// None until the pods of a scope have a node, or are gone.
    Nothing,
}

impl<'a> Pins<'a> {
    /// The pins of a gang with these levels.
    pub(super) fn of(places: &'a Places<'a>, levels: &'a Levels) -> Self {
        Self {
            places,
            levels,
            judged: HashMap::new(),
            are_waited_for: false,
        }
    }

    /// The parts with the pods that may be listed now, and with the placements of these.
    pub(super) fn complete(
        &mut self,
        groups: Vec<PodGroup>,
        existing: Option<&PodGang>,
    ) -> Vec<PodGroup> {
        let before: HashMap<&str, &PodGroup> = existing
            .into_iter()
            .flat_map(|gang| &gang.spec.pod_groups)
            .map(|group| (group.name.as_str(), group))
            .collect();
        let is_new = |group: &&PodGroup| {
            !before.contains_key(group.name.as_str()) && !group.pod_references.is_empty()
        };
        let mut new = groups.iter().filter(is_new);
        self.are_waited_for = new.all(|group| self.holds_up_listed(&group.name));
        groups
            .into_iter()
            .filter_map(|group| {
                let before = before.get(group.name.as_str()).copied();
                if self.places.snapshot().topology.may_read_nodes {
                    self.complete_part(group, before)
                } else {
                    Some(self.keep_placements(group, before))
                }
            })
            .collect()
    }

    /// The part while nodes cannot be read: nobody is pinned. A pod that takes the index of an earlier one does
    /// not inherit its pin, which nobody would give up.
    fn keep_placements(&self, mut group: PodGroup, before: Option<&PodGroup>) -> PodGroup {
        if let Some(place) = self.places.find(&group.name) {
            let listed = PartBefore::of(before);
            group.placements = placements_of(&group, place.part, &listed, &Joining::Nothing);
        }
        group
    }

    /// None for a part that has to wait and has no place in the list yet.
    fn complete_part(
        &mut self,
        mut group: PodGroup,
        before: Option<&PodGroup>,
    ) -> Option<PodGroup> {
        let Some(place) = self.places.find(&group.name) else {
            return Some(group);
        };
        let keys = scopes::keys_of(self.places, &group.name, self.levels);
        if keys.is_empty() {
            return Some(group);
        }
        let listed = PartBefore::of(before);
        let is_open = |pod: &&Arc<Pod>| !listed.names(pod) || pod.gate_position().is_some();
        let joining = if place.part.staying().any(|pod| is_open(&pod)) {
            let has_place = before.is_some() || self.are_waited_for;
            self.judge(&keys, place.slot.replica, has_place)
        } else {
            Joining::Nothing
        };
        let has_pods = !group.pod_references.is_empty();
        keep_listed(&mut group, place.part, &listed, &joining);
        if before.is_none() && has_pods && group.pod_references.is_empty() {
            return None;
        }
        group.placements = placements_of(&group, place.part, &listed, &joining);
        Some(group)
    }

    /// Whether the pods of a part are in the PodGroup of listed pods, and its scheduler places none of these
    /// while one of a group has its gate. It keeps a group in one domain itself.
    fn holds_up_listed(&self, part: &str) -> bool {
        let waits_for_gates = self.places.snapshot().scheduler.backend.waits_for_gates();
        let Some(place) = self.places.find(part).filter(|_| waits_for_gates) else {
            return false;
        };
        let own = place.part.staying().filter_map(|pod| pod.pod_group());
        let own: HashSet<&str> = own.collect();
        let is_beside = |pod: &Pod| pod.pod_group().is_some_and(|group| own.contains(group));
        let mut others = self.places.in_replica(place.slot.replica);
        others.any(|other| {
            let mut pods = other.part.staying();
            pods.any(|pod| other.listed.contains(pod.name()) && is_beside(pod))
        })
    }

    /// What the scopes of a part allow together. A part without a place in the list does not join a
    /// scope of which others are listed and wait for their nodes.
    fn judge(&mut self, keys: &[ScopeKey], replica: i32, has_place: bool) -> Joining {
        let keys = keys.iter();
        let scopes: Vec<Judged> = keys.map(|key| self.look_at(key, replica)).collect();
        let chosen = scopes::unite(scopes.iter().map(|scope| &scope.state));
        let waits = |scope: &Judged| match scope.state {
            ScopeState::NodeUnknown => true,
            ScopeState::In(_) | ScopeState::Scattered => false,
            ScopeState::Unbound => {
                scope.is_pinned_beside(&chosen) || (!has_place && scope.has_listed_pod)
            }
        };
        if scopes.iter().any(waits) {
            return Joining::Nothing;
        }
        let is_start = |scope: &Judged| scope.state == ScopeState::Unbound;
        // The scheduler keeps all pods of a group in one domain itself, and would look at none of them
        // while the others have their gates.
        let waits_for_gates = self.places.snapshot().scheduler.backend.waits_for_gates();
        if scopes.iter().any(is_start) && !waits_for_gates {
            Joining::Minimum(chosen)
        } else {
            Joining::All(chosen)
        }
    }

    fn look_at(&mut self, key: &ScopeKey, replica: i32) -> Judged {
        if let Some(known) = self.judged.get(key) {
            return known.clone();
        }
        let scope = Scope::of(self.places, key, replica);
        let facts = &self.places.snapshot().topology;
        let label = scope.key(self.levels).unwrap_or_default();
        let pins = scope.pinned_pods(self.levels);
        let judged = Judged {
            state: scope.state(self.levels, facts),
            pins: pins
                .filter_map(|(_, pin)| pin.get_key_value(label).map(cloned))
                .collect(),
            has_listed_pod: scope.has_listed_pod(),
        };
        self.judged.insert(key.clone(), judged.clone());
        judged
    }
}

fn cloned((key, value): (&String, &String)) -> (String, String) {
    (key.clone(), value.clone())
}

/// A part as its PodGang lists it.
struct PartBefore<'a> {
    pods: HashSet<&'a str>,
    placements: &'a [PodPlacement],
}

impl<'a> PartBefore<'a> {
    fn of(before: Option<&'a PodGroup>) -> Self {
        let pods = before.into_iter().flat_map(|group| &group.pod_references);
        Self {
            pods: pods.map(|pod| pod.name.as_str()).collect(),
            placements: before.map_or(&[], |group| &group.placements),
        }
    }

    fn names(&self, pod: &Pod) -> bool {
        self.pods.contains(pod.name())
    }
}

/// Removes the pods that may not join yet. The references are in the order of the indexes.
/// A listed pod stays listed and counts towards the minimum: pods above the minimum could be placed
/// after the first ones, in another domain. A completed pod is waited for no more and fixes no
/// domain, so it does not count.
fn keep_listed(
    group: &mut PodGroup,
    part: &ObservedClique,
    listed: &PartBefore<'_>,
    joining: &Joining,
) {
    let completed: HashSet<&str> = part
        .staying()
        .filter(|pod| pod.is_completed())
        .map(|pod| pod.name())
        .collect();
    let is_listed = |name: &str| listed.pods.contains(name);
    let references = group.pod_references.iter().map(|pod| pod.name.as_str());
    let waiting = references.filter(|name| is_listed(name) && !completed.contains(name));
    let minimum = usize::try_from(group.min_replicas).unwrap_or(0);
    let mut missing = minimum.saturating_sub(waiting.count());
    group.pod_references.retain(|pod| {
        let name = pod.name.as_str();
        is_listed(name)
            || match joining {
                Joining::All(_) => true,
                Joining::Minimum(_) if completed.contains(name) => true,
                Joining::Minimum(_) => take_one(&mut missing),
                Joining::Nothing => false,
            }
    });
}

/// Whether one was left to take.
fn take_one(left: &mut usize) -> bool {
    let is_left = *left > 0;
    *left = left.saturating_sub(1);
    is_left
}

/// The node labels of each listed pod: those of its domain for a pod that joins or still has its
/// gate, and the earlier ones for the others.
fn placements_of(
    group: &PodGroup,
    part: &ObservedClique,
    listed: &PartBefore<'_>,
    joining: &Joining,
) -> Vec<PodPlacement> {
    let present = match joining {
        Joining::All(selector) | Joining::Minimum(selector) => Some(selector),
        Joining::Nothing => None,
    };
    let names: HashSet<&str> = group
        .pod_references
        .iter()
        .map(|p| p.name.as_str())
        .collect();
    let mut by_selector: BTreeMap<&Selector, Vec<i32>> = BTreeMap::new();
    for pod in part.staying().filter(|pod| names.contains(pod.name())) {
        let Some(index) = pod.index() else { continue };
        let earlier = scopes::placement_of(listed.placements, index);
        let earlier = earlier.filter(|_| listed.names(pod));
        let is_gated = pod.gate_position().is_some();
        let chosen = match present.filter(|selector| is_gated && !selector.is_empty()) {
            Some(selector) => Some(selector),
            None => earlier,
        };
        if let Some(selector) = chosen {
            by_selector.entry(selector).or_default().push(index);
        }
    }
    by_selector
        .into_iter()
        .map(|(selector, indexes)| PodPlacement {
            indexes,
            node_selector: selector.clone(),
        })
        .collect()
}
