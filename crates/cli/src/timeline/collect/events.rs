//! Events about the set's objects, deleted ones included.

use std::collections::HashSet;

use api::{PodCliqueSet, events, names};
use domain::object::ownership;
use domain::workload::{gang, layout};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Event, ObjectReference};

use crate::timeline::moment::{Moment, What};
use crate::workload::{Workload, event};

/// Clocks of API server and nodes differ.
const SLACK: SignedDuration = SignedDuration::from_secs(5);
/// Length of the end of a pod's name after the PodClique's, the hyphen included.
const POD_SUFFIX: usize = 6;

/// The names of the set's objects: events outlive deleted objects.
#[derive(Debug)]
pub struct Names<'a> {
    set: &'a PodCliqueSet,
    existing: HashSet<String>,
    /// Earlier events are about an earlier set of that name.
    since: Option<Timestamp>,
}

impl<'a> Names<'a> {
    /// Existing objects, and objects that the set may have had.
    pub fn of(workload: &'a Workload) -> Self {
        let groups = workload.groups.iter().map(|g| &g.metadata);
        let podcliques = workload.podcliques.iter().map(|c| &c.metadata);
        let gangs = workload.gangs.iter().map(|g| &g.metadata);
        let existing = groups.chain(podcliques).chain(gangs);
        let created = workload.set.metadata.creation_timestamp.as_ref();
        Self {
            existing: existing.map(|m| ownership::name(m).to_owned()).collect(),
            since: created.and_then(|at| at.0.checked_sub(SLACK).ok()),
            set: &workload.set,
        }
    }

    /// Whether the event is about one of these objects.
    pub fn match_event(&self, event: &Event) -> bool {
        let is_recent = event::last_time(event)
            .zip(self.since)
            .is_none_or(|(last, since)| last >= since);
        is_recent && self.include(&event.involved_object)
    }

    fn include(&self, object: &ObjectReference) -> bool {
        let name = object.name.as_deref().unwrap_or_default();
        match object.kind.as_deref().unwrap_or_default() {
            "PodCliqueSet" => name == self.set_name(),
            "PodCliqueScalingGroup" => self.is_group(name),
            "PodClique" => self.is_podclique(name),
            "HorizontalPodAutoscaler" => self.is_group(name) || self.is_podclique(name),
            "PodGang" => self.is_gang(name),
            "Pod" => {
                let end = name.len().saturating_sub(POD_SUFFIX);
                let podclique = name.get(..end).unwrap_or_default();
                self.is_podclique(podclique) && name.get(end..=end) == Some("-")
            }
            _ => false,
        }
    }

    fn set_name(&self) -> &str {
        ownership::name(&self.set.metadata)
    }

    fn is_podclique(&self, name: &str) -> bool {
        let template = &self.set.spec.template;
        let may_have_been = || layout::find(self.set_name(), template, name).is_some();
        self.existing.contains(name) || may_have_been()
    }

    fn is_group(&self, name: &str) -> bool {
        let template = &self.set.spec.template;
        let may_have_been = || layout::find_group(self.set_name(), template, name).is_some();
        self.existing.contains(name) || may_have_been()
    }

    fn is_gang(&self, name: &str) -> bool {
        let set = self.set_name();
        let is_scaled = || {
            let (i, _) = names::parts_of_scaling_group(set, name)?;
            self.set
                .spec
                .template
                .scaling_groups
                .iter()
                .find_map(|config| {
                    let group = names::scaling_group(set, i, &config.name);
                    names::replica_of_scaled_gang(&group, name, gang::group_minimum(config))
                })
        };
        self.existing.contains(name)
            || names::replica_of_base_gang(set, name).is_some()
            || is_scaled().is_some()
    }
}

/// A moment for each event about the set's objects.
pub fn of_events(workload: &Workload, events: &[Event]) -> Vec<Moment> {
    let names = Names::of(workload);
    events
        .iter()
        .filter(|e| names.match_event(e))
        .filter_map(of_event)
        .collect()
}

fn of_event(event: &Event) -> Option<Moment> {
    let object = &event.involved_object;
    let kind = object.kind.as_deref().unwrap_or_default().to_lowercase();
    let name = object.name.as_deref().unwrap_or_default();
    let (first, last) = (event::first_time(event)?, event::last_time(event)?);
    let reason = event::reason(event);
    let what = word(reason, event::is_warning(event));
    let moment = Moment::new(first, what, &kind, name, event::message(event)).because(reason);
    Some(Moment {
        count: event::count(event),
        until: (last > first).then_some(last),
        uid: object.uid.clone().filter(|uid| !uid.is_empty()),
        ..moment
    })
}

/// The word for an event, if it has one.
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
