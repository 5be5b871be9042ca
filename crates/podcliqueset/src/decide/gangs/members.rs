//! The parts of a gang that its PodGang lists, with or without their pods (docs/semantics.md §8.2,
//! decision 80).

use std::collections::HashSet;

use api::podgang::PodGroup;
use api::{PodGang, codes};
use domain::Pod;
use domain::health::{availability, suspension};
use domain::roster::{ObservedClique, Roster};
use domain::workload::gang::{self, ExpectedGang};

use super::quota;

/// The state of a part with regard to the list of its PodGang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListState {
    /// The list has an existing pod of it.
    Running,
    /// The list has no existing pod of it, but its PodClique was available since it was created or
    /// scaled up.
    Lost,
    /// It has no place in the list: it is new, or was scaled up. The same holds for a part that was
    /// available and is not gone yet, while others of its scaling group are new (decision 113).
    New,
    /// It has a place in the list from before, and its PodClique was not available since it was
    /// created or scaled up.
    Renewed,
    /// In a job: its work is done, and its PodClique is gone.
    Done,
}

/// The entry of a part in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// It is listed with its pods.
    WithPods,
    /// It keeps its place, without pods.
    WithoutPods,
    /// It is not in the list.
    Absent,
}

/// The parts of a gang.
pub(super) struct Members<'a> {
    roster: &'a Roster<'a>,
    all: Vec<Member<'a>>,
}

struct Member<'a> {
    name: &'a str,
    state: ListState,
    /// Whether it has all its pods but those that an update holds back and those that are not created
    /// without quota, or at least its minimum if the API server refuses the rest.
    is_complete: bool,
    /// Whether it starts like a new one, after a suspension or without quota.
    starts_anew: bool,
}

impl<'a> Members<'a> {
    /// Reads the parts of a gang, and its PodGang if that exists. `waits_for_gates`: its scheduler does.
    pub(super) fn of(
        roster: &'a Roster<'a>,
        gang: &'a ExpectedGang,
        existing: Option<&PodGang>,
        waits_for_gates: bool,
    ) -> Self {
        let list = existing.map(List::of);
        let limited_by = existing.filter(|_| waits_for_gates);
        let all = gang.parts.iter().map(|name| {
            let part = roster.slot_named(name).standing();
            Member {
                name,
                state: state(roster, name, list.as_ref()),
                is_complete: part.is_some_and(|part| {
                    let wanted = count_coming(roster, part, limited_by);
                    is_complete(roster, part, existing, wanted)
                }),
                starts_anew: part.is_some_and(|part| availability::was_idle(&part.podclique)),
            }
        });
        let mut members = Self {
            all: all.collect(),
            roster,
        };
        if let Some(list) = &list {
            members.add_scaled_up_with_others(list);
        }
        members
    }

    /// A group scaled up again before its PodCliques are gone loses them one after the other. Those
    /// that still exist have left the list like the others, and rejoin together with them.
    fn add_scaled_up_with_others(&mut self, list: &List<'_>) {
        let is_left = |m: &&Member<'_>| m.state == ListState::Lost && !list.holds(m.name);
        let left: Vec<&str> = self.all.iter().filter(is_left).map(|m| m.name).collect();
        if left.is_empty() {
            return;
        }
        let units: HashSet<&str> = self
            .all
            .iter()
            .filter(|m| m.state == ListState::New)
            .map(|m| self.unit(m.name))
            .collect();
        let scaled_up: HashSet<&str> = left
            .into_iter()
            .filter(|name| units.contains(self.unit(name)))
            .collect();
        let members = self.all.iter_mut().filter(|m| scaled_up.contains(m.name));
        members.for_each(|member| member.state = ListState::New);
    }

    /// Whether the list names a pod that exists. Otherwise the gang is starting.
    pub(super) fn are_started(&self) -> bool {
        self.has(ListState::Running)
    }

    /// Whether the gang has lost all its pods, and the parts that were up have theirs again. They
    /// do not wait for the others: the only pod of a frontend is replaced although workers that
    /// were scaled up beside it find no room. But a gang that lost its quota starts as a whole
    /// again: a part may have lost its pods, as those that were added to it, a moment before the others.
    pub(super) fn are_back(&self) -> bool {
        let renewed = self.all.iter().filter(|m| m.state == ListState::Renewed);
        let mut anew = renewed.filter(|m| m.starts_anew);
        self.has(ListState::Lost)
            && self.are_complete(ListState::Lost)
            && anew.all(|m| m.is_complete)
    }

    /// Whether everything that the gang needs to start exists.
    pub(super) fn are_whole(&self) -> bool {
        let needed = [ListState::Lost, ListState::New, ListState::Renewed];
        needed.into_iter().all(|s| self.are_complete(s))
    }

    /// The parts in order, each with its entry, once the gang has started or may start.
    ///
    /// Parts that are new or scaled up are listed in one request, so that no scheduler sees half of
    /// them. A part that was recreated in its place is listed together with the other recreated
    /// parts of its scaling group, and waits for nothing else: neither a termination nor an update
    /// waits for workers that were scaled up and find no room.
    pub(super) fn entries(&self) -> Vec<(&'a str, Entry)> {
        let starts = !self.are_started() && self.are_whole();
        let are_new_complete = starts || self.are_complete(ListState::New);
        let waiting: HashSet<&str> = self
            .all
            .iter()
            .filter(|m| m.state == ListState::Renewed)
            .filter(|m| !starts && !m.is_complete)
            .map(|m| self.unit(m.name))
            .collect();
        let entry = |m: &Member<'_>| match m.state {
            ListState::New if !are_new_complete => Entry::Absent,
            ListState::Renewed if waiting.contains(self.unit(m.name)) => Entry::WithoutPods,
            _ => Entry::WithPods,
        };
        self.all.iter().map(|m| (m.name, entry(m))).collect()
    }

    /// The unit in which a part is scaled: the name of its group, or its own.
    fn unit<'n>(&self, part: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let position = self.roster.position_of(part);
        let group = position.and_then(|position| position.group);
        group.map_or(part, |(group, _)| &group.name)
    }

    fn has(&self, state: ListState) -> bool {
        self.all.iter().any(|m| m.state == state)
    }

    fn are_complete(&self, state: ListState) -> bool {
        let mut all = self.all.iter().filter(|m| m.state == state);
        all.all(|m| m.is_complete)
    }
}

fn state(roster: &Roster<'_>, name: &str, list: Option<&List<'_>>) -> ListState {
    let joining = if list.is_some_and(|l| l.holds(name)) {
        ListState::Renewed
    } else {
        ListState::New
    };
    match roster.slot_named(name).standing() {
        None if roster.is_done_and_gone(name) => ListState::Done,
        Some(part) if list.is_some_and(|l| l.names_pod_of(roster, part)) => ListState::Running,
        Some(part) if availability::is_established(&part.podclique) => ListState::Lost,
        _ => joining,
    }
}

/// How many pods its PodClique creates: an update may hold some back, and where the scheduler waits for gates
/// those without quota are not created (decision 179).
fn count_coming(roster: &Roster<'_>, part: &ObservedClique, limited_by: Option<&PodGang>) -> i32 {
    let wanted = part.podclique.spec.replicas;
    let wanted = wanted.saturating_sub(roster.count_held_back(part));
    limited_by.map_or(wanted, |gang| quota::count_creatable(gang, part, wanted))
}

fn is_complete(
    roster: &Roster<'_>,
    part: &ObservedClique,
    existing: Option<&PodGang>,
    wanted: i32,
) -> bool {
    let pods = part.count_or_done(|p| {
        is_of_this_start(roster, part, p) && !quota::is_of_earlier_round(existing, p)
    });
    let status = part.podclique.status.as_ref();
    let is_refused =
        status.is_some_and(|s| s.last_errors.iter().any(|e| e.code == codes::CREATE_POD));
    pods >= wanted || (is_refused && pods >= part.minimum())
}

/// Whether the pod belongs to the present start of its part. Where the part starts like a new one, pods
/// that have ended do not, and after a resume none of those that had ended before, also where work that
/// is done is enough for the minimum (decision 173).
fn is_of_this_start(roster: &Roster<'_>, part: &ObservedClique, pod: &Pod) -> bool {
    let has_ended = availability::was_idle(&part.podclique) && pod.is_finished();
    !has_ended && !suspension::is_of_before(pod, roster.resumed_at())
}

/// The list of a PodGang.
struct List<'a> {
    gang: &'a PodGang,
    parts: HashSet<&'a str>,
    pods: HashSet<&'a str>,
    opens_gates: bool,
}

impl<'a> List<'a> {
    fn of(gang: &'a PodGang) -> Self {
        let parts = || gang.spec.pod_groups.iter();
        let pods = |part: &'a PodGroup| part.pod_references.iter();
        Self {
            gang,
            parts: parts().map(|part| part.name.as_str()).collect(),
            pods: parts().flat_map(pods).map(|r| r.name.as_str()).collect(),
            opens_gates: gang::opens_gates(gang),
        }
    }

    /// Whether the part has its place in it.
    fn holds(&self, part: &str) -> bool {
        self.parts.contains(part)
    }

    /// Whether it names a pod of that part that exists and stays. If another implementation wrote
    /// the list, only pods without our gate count (decision 26).
    fn names_pod_of(&self, roster: &Roster<'_>, part: &ObservedClique) -> bool {
        let mut pods = part.staying().filter(|p| is_of_this_start(roster, part, p));
        pods.any(|p| {
            if quota::is_of_earlier_round(Some(self.gang), p) {
                return false;
            }
            let counts = self.opens_gates || p.gate_position().is_none();
            counts && self.pods.contains(p.name())
        })
    }
}
