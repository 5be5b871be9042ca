//! The Topology with the name of its binding, which the operator maintains for the schedulers of KAI
//! that have no entry.

use api::ClusterTopologyBinding;
use api::kai::{HOSTNAME, KaiTopology, KaiTopologyLevel, KaiTopologySpec, MAX_TOPOLOGY_LEVELS};
use domain::object::ownership;
use domain::plan::{Action, Purpose};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::comparison;
use crate::observe::Snapshot;

/// The state of the Topology, from which the write and the report follow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OwnTopology<'a> {
    /// The cluster serves no Topologies.
    NotServed,
    /// There is none, or one with earlier levels, and KAI Scheduler would refuse one with the
    /// present levels, for this reason.
    Refused(String),
    /// There is none.
    Missing,
    /// It is being deleted.
    Terminating(&'a KaiTopology),
    /// Another client created it.
    Foreign(&'a KaiTopology),
    /// It has other levels. They are immutable.
    Different(&'a KaiTopology),
    /// It has the levels of the binding.
    Same(&'a KaiTopology),
}

/// Judges the Topology with the binding's name.
pub(crate) fn judge(snapshot: &Snapshot) -> OwnTopology<'_> {
    let binding = &snapshot.binding;
    if !snapshot.is_served {
        return OwnTopology::NotServed;
    }
    let Some(found) = snapshot.topology(snapshot.name()) else {
        return find_refusal(binding).map_or(OwnTopology::Missing, OwnTopology::Refused);
    };
    let meta = &found.metadata;
    if ownership::is_terminating(meta) {
        return OwnTopology::Terminating(found);
    }
    if !ownership::is_controlled_by(meta, ownership::uid(&binding.metadata)) {
        return OwnTopology::Foreign(found);
    }
    if comparison::has_levels_of(found, binding) {
        return OwnTopology::Same(found);
    }
    // Rather the earlier levels than none: PodGroups of running gangs refer to the Topology.
    find_refusal(binding).map_or(OwnTopology::Different(found), OwnTopology::Refused)
}

/// The write that brings the Topology closer to the binding. The one with the new levels is created
/// only once the earlier one is observed to be gone.
pub(crate) fn plan(snapshot: &Snapshot) -> Option<Action> {
    let needs_one = |scheduler: &String| snapshot.entry(scheduler).is_none();
    if !snapshot.schedulers.iter().any(needs_one) {
        return None;
    }
    match judge(snapshot) {
        OwnTopology::Missing => Some(Action::create(build(&snapshot.binding))),
        OwnTopology::Different(found) => Some(Action::delete_as_seen::<KaiTopology>(
            &found.metadata,
            Purpose::RecreateTopology,
        )),
        OwnTopology::NotServed
        | OwnTopology::Refused(_)
        | OwnTopology::Terminating(_)
        | OwnTopology::Foreign(_)
        | OwnTopology::Same(_) => None,
    }
}

fn build(binding: &ClusterTopologyBinding) -> KaiTopology {
    let level = |key: &str| KaiTopologyLevel {
        node_label: key.to_owned(),
        ..KaiTopologyLevel::default()
    };
    KaiTopology {
        metadata: ObjectMeta {
            name: binding.metadata.name.clone(),
            owner_references: Some(vec![ownership::controller_reference(binding)]),
            ..ObjectMeta::default()
        },
        spec: KaiTopologySpec {
            levels: comparison::keys_of(binding).map(level).collect(),
            ..KaiTopologySpec::default()
        },
    }
}

/// The rule of KAI's definition that the levels of the binding break. A request that the API server
/// refuses would be repeated for ever, and the status could not tell why.
fn find_refusal(binding: &ClusterTopologyBinding) -> Option<String> {
    let keys: Vec<&str> = comparison::keys_of(binding).collect();
    let is_repeated = |(i, key): &(usize, &&str)| keys.iter().take(*i).any(|other| other == *key);
    if keys.is_empty() {
        return Some("KAI Scheduler needs at least one level: add it to spec.levels".to_owned());
    }
    if keys.len() > MAX_TOPOLOGY_LEVELS {
        return Some(format!(
            "KAI Scheduler takes at most {MAX_TOPOLOGY_LEVELS} levels, and spec.levels has {}: \
             remove some",
            keys.len()
        ));
    }
    if let Some((_, key)) = keys.iter().enumerate().find(is_repeated) {
        return Some(format!(
            "KAI Scheduler takes each node label once, and spec.levels has {key} twice: remove one \
             of the two levels"
        ));
    }
    let is_misplaced = keys.contains(&HOSTNAME) && keys.last() != Some(&HOSTNAME);
    is_misplaced.then(|| {
        format!(
            "KAI Scheduler takes {HOSTNAME} in the last level only: move that level to the end of \
             spec.levels"
        )
    })
}
