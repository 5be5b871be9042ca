//! Which parts of a gang its PodGang lists, and which of them with pods (docs/semantics.md §8.2,
//! decision 80).

use std::collections::HashSet;

use api::podgang::PodGroup;
use api::{PodGang, codes};
use domain::health::availability;
use domain::roster::{ObservedClique, Roster};
use domain::workload::gang::{self, ExpectedGang};
use domain::workload::layout;

use crate::observe::Snapshot;

/// Where a part stands with regard to the list of its PodGang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// A pod of it that exists is listed.
    Running,
    /// No pod of it is, but its PodClique was available since it was created or woken.
    Lost,
    /// It has no place in the list: it is new, or was woken. So is what was available and is not gone
    /// yet, while others of its scaling group are new (decision 113).
    New,
    /// It has its place from before, and its PodClique was not available since it was created or
    /// woken.
    Renewed,
    /// Of a job: its work is done, and its PodClique is gone.
    Done,
}

/// What becomes of a part.
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
    snapshot: &'a Snapshot,
    all: Vec<Member<'a>>,
}

struct Member<'a> {
    name: &'a str,
    standing: Standing,
    /// Whether it has all its pods, or at least its minimum where the API server refuses the rest.
    is_complete: bool,
}

impl<'a> Members<'a> {
    /// Looks at the parts of a gang, and at its PodGang if that exists.
    pub(super) fn of(
        snapshot: &'a Snapshot,
        roster: &Roster<'_>,
        gang: &'a ExpectedGang,
        existing: Option<&PodGang>,
    ) -> Self {
        let list = existing.map(List::of);
        let parts = gang.parts.iter();
        let all = parts.map(|name| {
            let part = roster.slot_named(name).standing();
            Member {
                name,
                standing: standing(roster, name, list.as_ref()),
                is_complete: part.is_some_and(is_complete),
            }
        });
        let mut members = Self {
            all: all.collect(),
            snapshot,
        };
        if let Some(list) = &list {
            members.add_what_is_woken_with_others(list);
        }
        members
    }

    /// A group that is woken before its PodCliques are gone is seen to lose them one after the other.
    /// Those that are still there have left the list like the others, and come back with them.
    fn add_what_is_woken_with_others(&mut self, list: &List<'_>) {
        let is_left = |m: &&Member<'_>| m.standing == Standing::Lost && !list.holds(m.name);
        let left: Vec<&str> = self.all.iter().filter(is_left).map(|m| m.name).collect();
        if left.is_empty() {
            return;
        }
        let new = self.all.iter().filter(|m| m.standing == Standing::New);
        let units: HashSet<&str> = new.map(|m| self.unit(m.name)).collect();
        let left = left
            .into_iter()
            .filter(|name| units.contains(self.unit(name)));
        let woken: HashSet<&str> = left.collect();
        let members = self.all.iter_mut().filter(|m| woken.contains(m.name));
        members.for_each(|member| member.standing = Standing::New);
    }

    /// Whether the list names a pod that exists. Otherwise the gang is starting.
    pub(super) fn are_started(&self) -> bool {
        self.has(Standing::Running)
    }

    /// Whether the gang has lost all its pods, and the parts that were up have theirs again. They
    /// do not wait for the others: the only pod of a frontend is replaced though the workers that
    /// were woken beside it find no room.
    pub(super) fn are_back(&self) -> bool {
        self.has(Standing::Lost) && self.are_complete(Standing::Lost)
    }

    /// Whether all that the gang needs to start is there.
    pub(super) fn are_whole(&self) -> bool {
        let needed = [Standing::Lost, Standing::New, Standing::Renewed];
        needed.into_iter().all(|s| self.are_complete(s))
    }

    /// The parts in order, and what becomes of them, once the gang has started or may start.
    ///
    /// What is new or woken is listed in one request, so that no scheduler sees half of it. What
    /// was made anew in its place is listed together with what was made anew of its scaling group,
    /// and waits for nothing else: neither a termination nor an update waits for workers that were
    /// woken and find no room.
    pub(super) fn entries(&self) -> Vec<(&'a str, Entry)> {
        let starts = !self.are_started() && self.are_whole();
        let are_new_complete = starts || self.are_complete(Standing::New);
        let renewed = self.all.iter().filter(|m| m.standing == Standing::Renewed);
        let incomplete = renewed.filter(|m| !starts && !m.is_complete);
        let waiting: HashSet<&str> = incomplete.map(|m| self.unit(m.name)).collect();
        let entry = |m: &Member<'_>| match m.standing {
            Standing::New if !are_new_complete => Entry::Absent,
            Standing::Renewed if waiting.contains(self.unit(m.name)) => Entry::WithoutPods,
            _ => Entry::WithPods,
        };
        self.all.iter().map(|m| (m.name, entry(m))).collect()
    }

    /// What a part is scaled with: the name of its group, or of itself.
    fn unit<'n>(&self, part: &'n str) -> &'n str
    where
        'a: 'n,
    {
        let template = &self.snapshot.validated.set.spec.template;
        let found = layout::find(self.snapshot.name(), template, part);
        let group = found.and_then(|part| part.group);
        group.map_or(part, |group| &group.name)
    }

    fn has(&self, standing: Standing) -> bool {
        self.all.iter().any(|m| m.standing == standing)
    }

    fn are_complete(&self, standing: Standing) -> bool {
        let mut all = self.all.iter().filter(|m| m.standing == standing);
        all.all(|m| m.is_complete)
    }
}

fn standing(roster: &Roster<'_>, name: &str, list: Option<&List<'_>>) -> Standing {
    let joining = if list.is_some_and(|l| l.holds(name)) {
        Standing::Renewed
    } else {
        Standing::New
    };
    match roster.slot_named(name).standing() {
        None if roster.is_done_and_gone(name) => Standing::Done,
        Some(part) if list.is_some_and(|l| l.names_pod_of(part)) => Standing::Running,
        Some(part) if availability::is_established(&part.podclique) => Standing::Lost,
        _ => joining,
    }
}

fn is_complete(part: &ObservedClique) -> bool {
    let pods = part.count_or_done(|_| true);
    let status = part.podclique.status.as_ref();
    let is_refused =
        status.is_some_and(|s| s.last_errors.iter().any(|e| e.code == codes::CREATE_POD));
    pods >= part.podclique.spec.replicas || (is_refused && pods >= part.minimum())
}

/// What a PodGang lists.
struct List<'a> {
    parts: HashSet<&'a str>,
    pods: HashSet<&'a str>,
    opens_gates: bool,
}

impl<'a> List<'a> {
    fn of(gang: &'a PodGang) -> Self {
        let parts = || gang.spec.pod_groups.iter();
        let pods = |part: &'a PodGroup| part.pod_references.iter();
        Self {
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
    fn names_pod_of(&self, part: &ObservedClique) -> bool {
        let mut pods = part.staying();
        pods.any(|p| {
            let counts = self.opens_gates || p.gate_position().is_none();
            counts && self.pods.contains(p.name())
        })
    }
}
