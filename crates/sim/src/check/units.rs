//! The units of an update, and the older ones among them, as a state of the set says.

use serde_json::Value;

use super::updates::{is_on_delete, turn};
use crate::view;

const TARGETS: &str = "/status/updateProgress/currentlyUpdating/0/targets";

/// A pod of a standalone clique, or a replica of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit<'a> {
    /// Index of the replica of the set.
    pub(crate) replica: i64,
    /// Name of the clique or group in the template.
    pub(crate) component: &'a str,
    /// Its index.
    pub(crate) index: i64,
}

impl<'a> Unit<'a> {
    /// The group replica that this PodClique is in; `None` for a standalone one.
    pub(crate) fn of_podclique(podclique: &'a Value) -> Option<Self> {
        Self::parse(view::name(podclique), None)
    }

    /// The pod of a standalone clique, or its group replica; `None` if no PodClique controls it.
    pub(crate) fn of_pod(pod: &'a Value) -> Option<Self> {
        let (kind, podclique, _) = view::owner(pod)?;
        let unit = Self::parse(podclique, view::index(pod))?;
        (kind == "PodClique").then_some(unit)
    }

    /// From the name of its PodClique, which cannot be edited: `<set>-<replica>-<clique>`, or
    /// `<set>-<replica>-<group>-<group replica>-<clique>`. No name here has a hyphen.
    fn parse(podclique: &'a str, pod: Option<i64>) -> Option<Self> {
        let mut parts = podclique.split('-').skip(1);
        let (replica, component) = (parts.next()?, parts.next()?);
        let index = match parts.next() {
            Some(group_replica) => group_replica.parse().ok()?,
            None => pod?,
        };
        Some(Self {
            replica: replica.parse().ok()?,
            component,
            index,
        })
    }
}

/// Whether the changed cliques and groups of a replica are replaced together.
pub(crate) fn is_coherent(set: &Value) -> bool {
    view::text(set, "/spec/updateStrategy/type") == "Coherent"
}

/// The entry of a standalone clique or a group in the template, by name.
pub(crate) fn component<'a>(set: &'a Value, name: &str) -> Option<&'a Value> {
    let groups = view::list(set, "/spec/template/podCliqueScalingGroups");
    let cliques = view::list(set, "/spec/template/cliques");
    let mut all = groups.chain(cliques);
    all.find(|part| view::text(part, "/name") == name)
}

/// Units of the clique or group below this index keep their template.
pub(crate) fn partition(set: &Value, name: &str) -> i64 {
    component(set, name).map_or(0, |part| view::number(part, "/rollingUpdate/partition"))
}

/// Whether a clique or group of the set keeps some of its units.
pub(crate) fn has_partitions(set: &Value) -> bool {
    let groups = view::list(set, "/spec/template/podCliqueScalingGroups");
    let cliques = view::list(set, "/spec/template/cliques");
    let mut all = groups.chain(cliques);
    all.any(|part| view::number(part, "/rollingUpdate/partition") > 0)
}

/// The stored targets of the turn.
pub(crate) fn targets(set: &Value) -> impl Iterator<Item = &Value> {
    view::list(set, TARGETS)
}

/// The stored target of a clique or group: the lowest index that may be replaced.
pub(crate) fn target(set: &Value, name: &str) -> Option<i64> {
    find_end(targets(set), name)
}

/// The lowest index of a clique or group that the turn may replace. With `Coherent` none may be
/// replaced before its target is stored.
pub(crate) fn first_replaced(set: &Value, name: &str) -> i64 {
    let partition = partition(set, name);
    if !is_coherent(set) {
        return partition;
    }
    target(set, name).unwrap_or(i64::MAX).max(partition)
}

/// The revisions that the status names for a replica of the set.
pub(crate) fn entry(set: &Value, replica: i64) -> Option<&Value> {
    let mut entries = view::list(set, "/status/replicaRevisions");
    entries.find(|entry| entry["replica"].as_i64() == Some(replica))
}

/// Name of the revision with the templates of an older unit; `None` if it is not one. A job has one
/// template, and with `OnDelete` every replacement takes the newest one.
pub(crate) fn revision_of_older<'a>(set: &'a Value, unit: Unit<'_>) -> Option<&'a str> {
    if view::is_job(set) || is_on_delete(set) {
        return None;
    }
    let entry = entry(set, unit.replica)?;
    let older = entry["older"].as_str()?;
    let end = if turn(set) == Some(unit.replica) {
        first_replaced(set, unit.component)
    } else {
        find_end(view::list(entry, "/from"), unit.component).unwrap_or(0)
    };
    (unit.index < end).then_some(older)
}

/// Name of the revision with the templates of all other units of a replica; `None` if the status does
/// not name it.
pub(crate) fn revision_in_force(set: &Value, replica: i64) -> Option<&str> {
    let own = entry(set, replica).map_or("", |entry| view::text(entry, "/revision"));
    let accepted = view::text(set, "/status/currentRevision");
    let name = if own.is_empty() { accepted } else { own };
    let counts = !view::is_job(set) && !is_on_delete(set) && !name.is_empty();
    counts.then_some(name)
}

fn find_end<'a>(mut all: impl Iterator<Item = &'a Value>, name: &str) -> Option<i64> {
    let found = all.find(|end| view::text(end, "/component") == name);
    found.map(|end| view::number(end, "/from"))
}
