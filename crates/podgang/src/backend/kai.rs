//! The PodGroup of KAI Scheduler: for a gang, a leaf for each part, all of them required; or for
//! all gangs of a replica, a tree.

mod requests;
mod topology;

use std::collections::{BTreeMap, BTreeSet};

use api::PodGang;
use api::conditions::Reason;
use api::kai::{KaiPodGroup, KaiSubGroup};
use api::podgang::PodGroup;
use domain::Key;
use domain::gang_tree::{SubGroup, TreeNode};
use domain::plan::Action;
use domain::scheduling::{self, Backend};
use domain::workload::clique::{add_owner, overlay};

use super::topology::Topology;
use super::{
    Fields, FoundGroup, GangView, dropped_fields, is_ours_by_name, minimum_of, new_meta,
    note_fields, report_dropped,
};
use topology::{Decided, build_constraint};
pub(super) use topology::{NodeConstraints, find_of_tree};

const STALENESS: &str = "stalenessGracePeriod";
const DELAY: &str = "preemptionDelay";
const THRESHOLD: &str = "minSubGroup";

/// The content of a PodGroup.
pub(super) struct Wanted {
    /// The constraints of the gang.
    topology: Topology,
    /// Its subgroups, each behind its parent.
    subgroups: Vec<KaiSubGroup>,
}

/// Creates the PodGroup, or corrects it in one write. Fields that others wrote stay: the queue if
/// the set names none, marks of the scheduler, topology constraints.
pub(super) fn plan(
    gang: &PodGang,
    key: Key,
    found: &FoundGroup<KaiPodGroup>,
    wanted: Wanted,
) -> Option<Action> {
    let meta = new_meta(gang, key);
    let Some(found) = found.group.as_deref() else {
        let mut group = KaiPodGroup {
            metadata: meta,
            ..KaiPodGroup::default()
        };
        correct(&mut group, gang, wanted);
        return Some(Action::create(group));
    };
    let mut next = found.clone();
    overlay(&mut next.metadata, &meta);
    add_owner(&mut next.metadata, &meta);
    correct(&mut next, gang, wanted);
    // Dropped fields are written again only together with another change: written alone they would
    // cause endless writes.
    let kept = without(
        next.clone(),
        &dropped_fields(&found.metadata, &fields(found)),
    );
    (is_ours_by_name(gang, found) && kept != *found).then(|| Action::replace(next))
}

/// The fields that older CRDs drop (KAI 0.15 has trees, 0.17 the grace period and the delay), and
/// topology constraints.
fn fields(group: &KaiPodGroup) -> Fields {
    let spec = &group.spec;
    let has_node = |claim: &dyn Fn(&KaiSubGroup) -> bool| spec.sub_groups.iter().any(claim);
    let has_constraint = |node: &KaiSubGroup| topology::is_set(node.topology_constraint.as_ref());
    let of_gang = topology::is_set(spec.topology_constraint.as_ref());
    vec![
        (STALENESS, spec.staleness_grace_period.is_some()),
        (DELAY, spec.preemption_delay.is_some()),
        (THRESHOLD, has_node(&|node| node.min_sub_group.is_some())),
        (topology::OF_GANG, of_gang),
        (topology::OF_SUBGROUPS, has_node(&has_constraint)),
    ]
}

fn without(mut group: KaiPodGroup, dropped: &[&str]) -> KaiPodGroup {
    if dropped.contains(&STALENESS) {
        group.spec.staleness_grace_period = None;
    }
    if dropped.contains(&DELAY) {
        group.spec.preemption_delay = None;
    }
    if dropped.contains(&THRESHOLD) {
        let nodes = group.spec.sub_groups.iter_mut();
        nodes.for_each(|node| node.min_sub_group = None);
    }
    if dropped.contains(&topology::OF_GANG) {
        group.spec.topology_constraint = None;
    }
    if dropped.contains(&topology::OF_SUBGROUPS) {
        let nodes = group.spec.sub_groups.iter_mut();
        nodes.for_each(|node| node.topology_constraint = None);
    }
    group
}

/// The report if the CRD of PodGroups drops fields.
fn dropped(found: &FoundGroup<KaiPodGroup>) -> Option<(Reason, String)> {
    let group = found.group.as_deref()?;
    let dropped = dropped_fields(&group.metadata, &fields(group));
    let remedy = "upgrade KAI Scheduler to 0.17 or newer";
    report_dropped("podgroups.scheduling.run.ai", &dropped, remedy)
}

/// The properties of the gang that KAI does not support.
pub(super) fn unsupported(
    gang: &PodGang,
    found: &FoundGroup<KaiPodGroup>,
) -> Option<(Reason, String)> {
    let refused = requests::refused(gang);
    let is_refused = !refused.is_empty();
    let refused = is_refused.then(|| (Reason::KeyNotUsed, refused.join("; ")));
    refused.or_else(|| dropped(found))
}

fn correct(group: &mut KaiPodGroup, gang: &PodGang, wanted: Wanted) {
    let mut groups = wanted.subgroups;
    let decided = Decided::of(group, gang, &wanted.topology, &groups);
    let spec = &mut group.spec;
    let before: BTreeMap<&str, &KaiSubGroup> =
        spec.sub_groups.iter().map(|g| (&*g.name, g)).collect();
    for group in &mut groups {
        if let Some(known) = before.get(group.name.as_str()) {
            group.others.clone_from(&known.others);
            decided.keep_foreign(group, known);
        }
    }
    spec.sub_groups = groups;
    spec.min_sub_group = None;
    requests::write(spec, gang);
    decided.write(&mut spec.topology_constraint);
    if let Some(queue) = scheduling::queue_of(Backend::KaiScheduler, &gang.metadata) {
        spec.queue = Some(queue.to_owned());
    }
    let mut written = fields(group);
    written.retain(|(name, _)| decided.is_ours(name));
    note_fields(&mut group.metadata, &written);
}

/// A leaf for each part of a gang, all of them required, below a node for each group replica that
/// has a topology constraint.
pub(super) fn parts_of(view: &GangView<'_>) -> Wanted {
    let topology = view.topology();
    let leaf = |part: &PodGroup| KaiSubGroup {
        name: part.name.clone(),
        parent: topology.group_replica_of(&part.name).map(str::to_owned),
        min_member: Some(minimum_of(view, part)),
        topology_constraint: build_constraint(&topology, topology.podcliques.get(&part.name)),
        ..KaiSubGroup::default()
    };
    let leaves: Vec<KaiSubGroup> = view.gang.spec.pod_groups.iter().map(leaf).collect();
    let parents: BTreeSet<&str> = leaves.iter().filter_map(|l| l.parent.as_deref()).collect();
    let mut subgroups: Vec<KaiSubGroup> = parents
        .into_iter()
        .map(|name| KaiSubGroup {
            name: name.to_owned(),
            topology_constraint: build_constraint(&topology, topology.group_replicas.get(name)),
            ..KaiSubGroup::default()
        })
        .collect();
    subgroups.extend(leaves);
    Wanted {
        topology,
        subgroups,
    }
}

/// The nodes of a tree, without demands that can never be met.
pub(super) fn nodes_of(
    view: &GangView<'_>,
    tree: &TreeNode,
    constraints: &NodeConstraints,
) -> Wanted {
    let node = |node: SubGroup| KaiSubGroup {
        topology_constraint: constraints.get(&node.name).cloned(),
        name: node.name,
        parent: node.parent,
        min_member: node.min_member,
        min_sub_group: node.min_sub_group,
        ..KaiSubGroup::default()
    };
    let tree = tree.clone().attainable();
    Wanted {
        topology: view.topology(),
        subgroups: tree.to_list().into_iter().map(node).collect(),
    }
}
