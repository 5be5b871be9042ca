//! A set with its roster: the answers are those of the operator's rules.

use domain::health::readiness::Cause;
use domain::object::ownership;
use domain::roster::{ObservedClique, Roster};
use domain::update;
use domain::workload::layout::LayoutSlot;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod as FullPod;

use super::Workload;

/// A set at one time.
#[derive(Debug)]
pub struct View<'a> {
    /// Its objects as they were read.
    pub workload: &'a Workload,
    /// The state of each slot.
    pub roster: Roster<'a>,
    /// Its PodCliques, of any attempt and owner, in the order in which they were read.
    pub podcliques: &'a [ObservedClique],
    /// The time.
    pub now: Timestamp,
}

impl<'a> View<'a> {
    /// A view of a set and its PodCliques ([`Workload::observe`]).
    pub fn of(workload: &'a Workload, podcliques: &'a [ObservedClique], now: Timestamp) -> Self {
        let (set, layout) = (&workload.set, workload.layout());
        let template = &set.spec.template;
        let roster = Roster::new(set, template, layout, &workload.groups, podcliques);
        Self {
            roster: roster.with_gangs(&workload.gangs),
            workload,
            podcliques,
            now,
        }
    }

    /// Name of the set.
    pub fn set_name(&self) -> &'a str {
        ownership::name(&self.workload.set.metadata)
    }

    /// The PodClique of a slot, if it counts.
    pub fn podclique(&self, part: &LayoutSlot<'_>) -> Option<&'a ObservedClique> {
        self.roster.slot(part).standing()
    }

    /// The PodClique that controls the pod.
    pub fn owner_of(&self, pod: &FullPod) -> Option<&'a ObservedClique> {
        let uid = &ownership::controller(&pod.metadata)?.uid;
        self.podcliques
            .iter()
            .find(|c| c.podclique.metadata.uid.as_ref() == Some(uid))
    }

    /// Whether this replica has the turn in an update.
    pub fn is_updating(&self, replica: i32) -> bool {
        update::is_updating(&self.workload.set, replica)
    }

    /// The cause that keeps the part's Ready pods below its minimum, or, with `all`, below its
    /// replicas.
    pub fn cause(&self, part: &LayoutSlot<'_>, all: bool) -> Option<Cause> {
        self.roster.shortfall(part, all, self.now)
    }

    /// Available replicas by their pods, whatever the set's status contains.
    pub fn count_available(&self) -> usize {
        let replicas = self.roster.layout.replicas.iter();
        replicas.filter(|r| self.roster.is_available(r)).count()
    }
}
