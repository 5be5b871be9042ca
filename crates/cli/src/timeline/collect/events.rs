//! What events say about the set's objects, also about those that are gone.

use std::collections::HashSet;

use api::{events, names};
use domain::object::ownership;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Event, ObjectReference};

use crate::timeline::moment::{Moment, What};
use crate::workload::{Workload, told};

/// Clocks of API server and nodes differ.
const SLACK: SignedDuration = SignedDuration::from_secs(5);
/// Length of what follows the PodClique's name in that of a pod, the hyphen included.
const POD_SUFFIX: usize = 6;

/// The names of the set's objects: events stay for a while when an object is gone.
#[derive(Debug)]
pub struct Names {
    set: String,
    others: HashSet<String>,
    /// Events before are about an earlier set of that name.
    since: Option<Timestamp>,
}

impl Names {
    /// Those that exist, and those that the set may have had.
    pub fn of(workload: &Workload) -> Self {
        let set = ownership::name(&workload.set.metadata).to_owned();
        let layout = workload.layout();
        let parts = layout.parts().map(|part| part.name.clone());
        let groups = layout.replicas.iter().flat_map(|r| &r.groups);
        let groups = groups.map(|group| group.name.clone());
        let gangs = layout
            .replicas
            .iter()
            .map(|r| names::base_gang(&set, r.index));
        let metas = [
            workload
                .groups
                .iter()
                .map(|g| &g.metadata)
                .collect::<Vec<_>>(),
            workload.podcliques.iter().map(|c| &c.metadata).collect(),
            workload.gangs.iter().map(|g| &g.metadata).collect(),
        ];
        let metas = metas.into_iter().flatten();
        let existing = metas.map(|meta| ownership::name(meta).to_owned());
        let created = workload.set.metadata.creation_timestamp.as_ref();
        Self {
            others: parts.chain(groups).chain(gangs).chain(existing).collect(),
            since: created.and_then(|at| at.0.checked_sub(SLACK).ok()),
            set,
        }
    }

    /// Whether the event is about one of them.
    pub fn are_told_of(&self, event: &Event) -> bool {
        let is_recent = told::last_time(event)
            .zip(self.since)
            .is_none_or(|(last, since)| last >= since);
        is_recent && self.include(&event.involved_object)
    }

    fn include(&self, object: &ObjectReference) -> bool {
        let name = object.name.as_deref().unwrap_or_default();
        match object.kind.as_deref().unwrap_or_default() {
            "PodCliqueSet" => name == self.set,
            "PodCliqueScalingGroup" | "PodClique" | "PodGang" | "HorizontalPodAutoscaler" => {
                self.others.contains(name)
            }
            "Pod" => {
                let end = name.len().saturating_sub(POD_SUFFIX);
                let podclique = name.get(..end).unwrap_or_default();
                self.others.contains(podclique) && name.get(end..=end) == Some("-")
            }
            _ => false,
        }
    }
}

/// A moment for each event about the set's objects.
pub fn of_events(workload: &Workload, events: &[Event]) -> Vec<Moment> {
    let names = Names::of(workload);
    let own = events.iter().filter(|e| names.are_told_of(e));
    own.filter_map(of_event).collect()
}

fn of_event(event: &Event) -> Option<Moment> {
    let object = &event.involved_object;
    let kind = object.kind.as_deref().unwrap_or_default().to_lowercase();
    let name = object.name.as_deref().unwrap_or_default();
    let (first, last) = (told::first_time(event)?, told::last_time(event)?);
    let reason = told::reason(event);
    let what = word(reason, told::is_warning(event));
    let moment = Moment::new(first, what, &kind, name, told::message(event)).because(reason);
    Some(Moment {
        count: told::count(event),
        until: (last > first).then_some(last),
        ..moment
    })
}

/// The word of what an event tells, where there is one.
fn word(reason: &str, is_warning: bool) -> What {
    if reason == events::GANG_TERMINATED.as_str() {
        What::Terminated
    } else if reason == events::REPLICA_RESTARTING.as_str() {
        What::Restarted
    } else if reason == events::PODCLIQUE_FAILED.as_str() {
        What::Failed
    } else if reason == events::READY.as_str() {
        What::Ready
    } else if reason == "SuccessfulRescale" {
        What::Scaled
    } else if is_warning {
        What::Warning
    } else {
        What::Event
    }
}
