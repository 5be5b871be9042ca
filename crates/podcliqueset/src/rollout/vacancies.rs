//! The indexes that cliques and groups of the replica in turn hold vacant (docs/semantics.md §14.4,
//! decision 168).

use std::collections::BTreeSet;

use domain::Pod;
use domain::health::readiness;
use domain::roster::ObservedClique;
use domain::update::{self, Others, Vacancies};
use domain::workload::layout::{Group, LayoutSlot};

use super::{NamedComponent, Turn};

/// Each of them with the indexes that it holds vacant next.
pub fn next_vacancies(
    components: &[NamedComponent],
) -> impl Iterator<Item = (&NamedComponent, Vec<i32>)> {
    let is_open = |c: &NamedComponent| !c.numbers.is_done();
    let misses_units = |c: &NamedComponent| c.numbers.misses_units();
    let open = components.iter().filter(|c| is_open(c)).count();
    let missing = components.iter().filter(|c| misses_units(c)).count();
    components.iter().filter_map(move |component| {
        let others = Others {
            are_open: open > usize::from(is_open(component)),
            miss_units: missing > usize::from(misses_units(component)),
        };
        let next = component.vacancies.next_held(&component.numbers, others);
        (!next.is_empty()).then(|| (component, next.into_iter().collect()))
    })
}

impl Turn<'_> {
    /// Adds the vacancies of a standalone clique. Its pods are interchangeable: the base gang needs
    /// only their number.
    pub(super) fn add_vacant_pods(
        &self,
        slot: &LayoutSlot<'_>,
        component: NamedComponent,
    ) -> NamedComponent {
        let seen = self.roster.slot(slot).standing();
        let pods = seen.into_iter().flat_map(ObservedClique::staying);
        let refused = pods.filter(|pod| finds_no_node(pod));
        let refused = refused.filter_map(|pod| pod.index()).collect();
        self.complete_vacancies(component, refused, |_| true)
    }

    /// Adds the vacancies of a group, none of which is a replica in the base gang.
    pub(super) fn add_vacant_replicas(
        &self,
        group: &Group<'_>,
        component: NamedComponent,
    ) -> NamedComponent {
        let replicas = group.replicas.iter();
        let refused = replicas.filter(|replica| self.is_refused(&replica.cliques));
        let refused = refused.map(|replica| replica.index).collect();
        let (minimum, desired) = (component.numbers.minimum, component.numbers.desired);
        self.complete_vacancies(component, refused, |j| (minimum..desired).contains(&j))
    }

    /// Whether no pod of a group replica has a node, and the scheduler has found none for one.
    fn is_refused(&self, slots: &[LayoutSlot<'_>]) -> bool {
        let pods = || {
            let seen = slots.iter().filter_map(|s| self.roster.slot(s).standing());
            seen.flat_map(ObservedClique::staying)
        };
        pods().all(|pod| !pod.is_scheduled()) && pods().any(|pod| finds_no_node(pod))
    }

    /// A new unit without a node does not count: its template may be the reason, and then the update
    /// stands, maybe for days, in which lost units have to come back.
    fn complete_vacancies(
        &self,
        mut component: NamedComponent,
        refused: Vec<i32>,
        is_optional: impl Fn(i32) -> bool,
    ) -> NamedComponent {
        let (numbers, units) = (&mut component.numbers, &component.units);
        let listed = update::listed_vacant(self.stored, &component.name);
        let listed = listed.iter().copied().filter(|index| is_optional(*index));
        let (desired, minimum) = (numbers.desired, numbers.minimum);
        let held = update::held_indexes(listed, desired, minimum, numbers.reached);
        numbers.held = i32::try_from(held.len()).unwrap_or(i32::MAX);
        let old: BTreeSet<i32> = units.old.iter().map(|old| old.index).collect();
        let replaced = old.iter().chain(&units.vacant).copied();
        component.vacancies = Vacancies {
            held,
            refused: refused.into_iter().filter(|i| old.contains(i)).collect(),
            optional: replaced.filter(|index| is_optional(*index)).collect(),
        };
        component
    }
}

/// Whether the scheduler has looked for a node for the pod in vain.
fn finds_no_node(pod: &Pod) -> bool {
    update::waits_for_node(pod) && readiness::explain_unscheduled(pod).is_some()
}
