//! Whether the topology object of each scheduler has the levels of the binding.

use std::collections::BTreeMap;

use api::kai::KaiTopology;
use api::topology::{SchedulerTopologyBinding, SchedulerTopologyStatus};

use crate::comparison;
use crate::observe::Snapshot;
use crate::own_topology::{self, OwnTopology};

const NOT_SERVED: &str = "topologies.kai.scheduler is not served by this cluster, or may not be \
                          read: install KAI Scheduler; if it is served, put the profile into the \
                          chart's value config.scheduler, from which the operator's rights follow";

/// The state of each scheduler that reads topology objects or has an entry, by name.
pub(super) fn judge_all(snapshot: &Snapshot) -> Vec<SchedulerTopologyStatus> {
    let mut all = BTreeMap::new();
    for scheduler in &snapshot.schedulers {
        let judged = match snapshot.entry(scheduler) {
            Some(entry) => {
                let found = judge_named(snapshot, entry);
                build(scheduler, &entry.topology_reference, found)
            }
            None => build(scheduler, snapshot.name(), judge_own(snapshot)),
        };
        all.insert(scheduler.as_str(), judged);
    }
    for entry in &snapshot.binding.spec.scheduler_topology_bindings {
        let name = entry.scheduler_name.as_str();
        all.entry(name).or_insert_with(|| {
            let problem = format!("scheduler {name:?} is not available");
            build(name, &entry.topology_reference, (None, problem))
        });
    }
    all.into_values().collect()
}

/// A topology object that was compared, and the problem; no problem if it has the same levels.
type Found<'a> = (Option<&'a KaiTopology>, String);

fn build(
    scheduler: &str,
    reference: &str,
    (topology, problem): Found<'_>,
) -> SchedulerTopologyStatus {
    let generation = topology.and_then(|topology| topology.metadata.generation);
    SchedulerTopologyStatus {
        scheduler_name: scheduler.to_owned(),
        topology_reference: reference.to_owned(),
        in_sync: problem.is_empty(),
        scheduler_backend_topology_observed_generation: generation.unwrap_or_default(),
        message: problem,
    }
}

/// A Topology that others maintain is compared and never changed.
fn judge_named<'a>(snapshot: &'a Snapshot, entry: &SchedulerTopologyBinding) -> Found<'a> {
    if !snapshot.is_served {
        return (None, NOT_SERVED.to_owned());
    }
    let name = &entry.topology_reference;
    let Some(found) = snapshot.topology(name) else {
        return (None, format!("KAI Topology {name:?} not found"));
    };
    if comparison::has_levels_of(found, &snapshot.binding) {
        return (Some(found), String::new());
    }
    let difference = comparison::describe_difference(found, &snapshot.binding);
    (Some(found), difference)
}

fn judge_own(snapshot: &Snapshot) -> Found<'_> {
    let name = snapshot.name();
    match own_topology::judge(snapshot) {
        OwnTopology::NotServed => (None, NOT_SERVED.to_owned()),
        OwnTopology::Refused(why) => (snapshot.topology(name), why),
        OwnTopology::Missing => {
            let problem = format!(
                "KAI Topology {name:?} does not exist yet; if the API server refuses it, an event \
                 of this object says why"
            );
            (None, problem)
        }
        OwnTopology::Terminating(found) => {
            let problem =
                format!("KAI Topology {name:?} is being deleted; it is recreated once it is gone");
            (Some(found), problem)
        }
        OwnTopology::Foreign(found) => {
            let problem = format!(
                "Topology {name:?} is not owned by ClusterTopologyBinding {name:?}: delete it, or \
                 name it in schedulerTopologyBindings"
            );
            (Some(found), problem)
        }
        OwnTopology::Different(found) => {
            let difference = comparison::describe_difference(found, &snapshot.binding);
            (Some(found), difference)
        }
        OwnTopology::Same(found) => (Some(found), String::new()),
    }
}
