//! The numbers of the replica in turn, and its new pods that do not come up (docs/semantics.md §14.6).

use domain::Pod;
use domain::health::culprit::find_culprit;
use domain::roster::{ObservedClique, Roster};
use domain::update::{self, Remainder};
use domain::workload::layout::{Group, Replica};
use jiff::Timestamp;

use super::trouble;
use crate::rollout::{NamedComponent, Newest};

/// The pods of the replica in turn that have the newest template.
pub(super) struct NewPods<'a> {
    pub(super) roster: &'a Roster<'a>,
    pub(super) replica: &'a Replica<'a>,
    pub(super) newest: &'a Newest<'a>,
    pub(super) now: Timestamp,
}

impl NewPods<'_> {
    /// The numbers of the cliques and groups that are not done.
    pub(super) fn describe(&self, components: &[NamedComponent]) -> Option<String> {
        let left: Vec<(&NamedComponent, Option<String>)> = components
            .iter()
            .filter(|component| !component.is_done())
            .map(|component| (component, self.explain_component(&component.name)))
            .collect();
        let remainders: Vec<Remainder<'_>> = left
            .iter()
            .map(|(component, trouble)| remainder(component, trouble.as_deref()))
            .collect();
        update::describe_remainders(&remainders)
    }

    /// The trouble of the new pod that has the most important one, surge included.
    pub(super) fn explain(&self) -> Option<String> {
        self.explain_parts(trouble::parts_of(self.roster, self.replica))
    }

    /// The same among the pods of that clique or group.
    fn explain_component(&self, name: &str) -> Option<String> {
        let groups = self.replica.groups.iter();
        let of_group = groups.filter(|group| group.config.name == name);
        let of_clique = self.replica.standalone.iter();
        let slots = of_group
            .flat_map(Group::all_replicas)
            .flat_map(|replica| &replica.cliques)
            .chain(of_clique.filter(|slot| slot.clique == name));
        self.explain_parts(
            slots.filter_map(|slot| Some((slot.clique, self.roster.slot(slot).standing()?))),
        )
    }

    /// The new pod that is furthest from Ready, also if it merely starts.
    pub(super) fn find_worst(&self) -> Option<String> {
        let parts = trouble::parts_of(self.roster, self.replica);
        let new = parts.flat_map(|(clique, seen)| new_pods(self.newest, clique, seen));
        find_culprit(new, false).map(|culprit| culprit.text)
    }

    fn explain_parts<'p>(
        &self,
        parts: impl Iterator<Item = (&'p str, &'p ObservedClique)>,
    ) -> Option<String> {
        let new: Vec<&Pod> = parts
            .flat_map(|(clique, seen)| new_pods(self.newest, clique, seen))
            .collect();
        update::explain_trouble(new.into_iter(), self.now)
    }
}

fn remainder<'a>(component: &'a NamedComponent, trouble: Option<&'a str>) -> Remainder<'a> {
    let units = &component.units;
    let others = units.old.len().saturating_add(units.vacant.len());
    Remainder {
        name: &component.name,
        new: units.new,
        wanted: units.new.saturating_add(others),
        unplaced: units.unplaced,
        numbers: component.numbers,
        trouble,
    }
}

/// The pods of the newest template.
fn new_pods<'a>(
    newest: &Newest<'_>,
    clique: &str,
    seen: &'a ObservedClique,
) -> impl Iterator<Item = &'a Pod> {
    let meta = &seen.podclique.metadata;
    let none = std::iter::empty();
    let newest = newest.get(clique).copied();
    let is_old = update::is_podclique_outdated(meta, newest, none);
    seen.staying()
        .map(AsRef::as_ref)
        .filter(move |pod: &&Pod| !is_old && !update::is_outdated(&pod.metadata, meta))
}
