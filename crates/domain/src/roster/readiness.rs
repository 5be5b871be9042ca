//! Why PodCliques of a set are not Ready, from their slots and the PodGangs. The set's condition and
//! the plugin give the same answer.

use api::conditions::Reason;
use api::labels;
use jiff::Timestamp;

use super::{ObservedClique, Roster, Slot};
use crate::Pod;
use crate::health::fence;
use crate::health::readiness::{self, Cause, CliqueView, Start};
use crate::health::{suspension, training};
use crate::object::ownership;
use crate::workload::gang;
use crate::workload::layout::LayoutSlot;

impl Roster<'_> {
    /// Whether the gang of a PodClique started, and why not if it did not.
    pub fn start_of(&self, clique: &ObservedClique) -> Start {
        if let Some(reason) = training::failure_reason(self.set) {
            return Start::GivenUp(reason);
        }
        let replica = self.replica_of(clique.name());
        if replica.is_some_and(|i| !self.previous_of(i).is_empty()) {
            return Start::Terminating;
        }
        if suspension::is_suspended(self.set.status.as_ref()) {
            return Start::Suspended;
        }
        let gang = ownership::label(&clique.podclique.metadata, labels::POD_GANG);
        let gang = gang.and_then(|name| self.gang(name));
        let is_ready = |name: &str| self.gang(name).is_some_and(gang::is_ready);
        readiness::find_start(&clique.podclique, gang, is_ready)
    }

    /// A PodClique with its pods and its start, at that time.
    pub fn view_of<'b>(&self, clique: &'b ObservedClique, now: Timestamp) -> CliqueView<'b> {
        CliqueView {
            podclique: &clique.podclique,
            pods: clique.pods.iter().map(AsRef::as_ref).collect(),
            start: self.start_of(clique),
            now,
        }
    }

    /// The cause that keeps the slot's Ready pods below its minimum, or, with `all`, below its
    /// replicas.
    pub fn shortfall(&self, part: &LayoutSlot<'_>, all: bool, now: Timestamp) -> Option<Cause> {
        match self.slot(part).standing() {
            Some(clique)
                if clique.count_or_done(Pod::is_ready) >= clique.podclique.spec.replicas =>
            {
                None
            }
            Some(clique) => readiness::shortfall(&self.view_of(clique, now), all),
            None if self.is_stored_as_done(part.replica, &part.name) => None,
            None => Some(self.explain_absence(part)),
        }
    }

    /// Why no PodClique of the slot counts.
    fn explain_absence(&self, part: &LayoutSlot<'_>) -> Cause {
        let left = self.previous_of(part.replica).len();
        if left > 0 {
            let entry = fence::entry(self.attempts(), part.replica);
            let why = entry.map_or("", |attempt| attempt.message.as_str());
            let end = if left == 1 { "" } else { "s" };
            let text = format!("was terminated ({why}); waiting for {left} PodClique{end} to go");
            return Cause::new(Reason::ReplicaTerminating, text);
        }
        if let Slot::Previous(_) | Slot::Terminating(_) = self.slot(part) {
            let text = "was terminated and is recreated once the rest is gone";
            return Cause::new(Reason::ReplicaTerminating, text);
        }
        let group = self.group_of(part).and_then(|group| group.status.as_ref());
        let refused = group.and_then(|status| readiness::refusal(&status.last_errors));
        let refused = refused.map(|cause| cause.within("is not created: "));
        refused.unwrap_or_else(Cause::being_created)
    }
}
