//! The PodGroup of KAI Scheduler: for a gang, a leaf for each part, all of them required; or for
//! all gangs of a replica, a tree.

mod requests;

use std::collections::BTreeMap;

use api::PodGang;
use api::conditions::Reason;
use api::kai::{KaiPodGroup, KaiSubGroup};
use api::podgang::PodGroup;
use domain::Key;
use domain::gang_tree::{SubGroup, TreeNode};
use domain::plan::Action;
use domain::scheduling::{self, Backend};
use domain::workload::clique::{add_owner, overlay};

use super::{
    Fields, FoundGroup, GangView, dropped_fields, is_ours_by_name, minimum_of, new_meta,
    note_fields, report_dropped,
};

const STALENESS: &str = "stalenessGracePeriod";
const DELAY: &str = "preemptionDelay";
const THRESHOLD: &str = "minSubGroup";

/// Creates the PodGroup, or corrects it in one write. Fields that others wrote stay: the queue if
/// the set names none, marks of the scheduler, topology constraints.
pub(super) fn plan(
    gang: &PodGang,
    key: Key,
    found: &FoundGroup<KaiPodGroup>,
    groups: Vec<KaiSubGroup>,
) -> Option<Action> {
    let meta = new_meta(gang, key);
    let Some(found) = found.group.as_deref() else {
        let mut group = KaiPodGroup {
            metadata: meta,
            ..KaiPodGroup::default()
        };
        correct(&mut group, gang, groups);
        return Some(Action::create(group));
    };
    let mut next = found.clone();
    overlay(&mut next.metadata, &meta);
    add_owner(&mut next.metadata, &meta);
    correct(&mut next, gang, groups);
    // Dropped fields are written again only together with another change: written alone they would
    // cause endless writes.
    let kept = without(
        next.clone(),
        &dropped_fields(&found.metadata, &fields(found)),
    );
    (is_ours_by_name(gang, found) && kept != *found).then(|| Action::replace(next))
}

/// The fields that older CRDs drop (KAI 0.15 has trees, 0.17 the grace period and the delay).
fn fields(group: &KaiPodGroup) -> Fields {
    let mut nodes = group.spec.sub_groups.iter();
    vec![
        (STALENESS, group.spec.staleness_grace_period.is_some()),
        (DELAY, group.spec.preemption_delay.is_some()),
        (THRESHOLD, nodes.any(|node| node.min_sub_group.is_some())),
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

fn correct(group: &mut KaiPodGroup, gang: &PodGang, mut groups: Vec<KaiSubGroup>) {
    let spec = &mut group.spec;
    let before: BTreeMap<&str, &KaiSubGroup> =
        spec.sub_groups.iter().map(|g| (&*g.name, g)).collect();
    for group in &mut groups {
        if let Some(known) = before.get(group.name.as_str()) {
            group.others.clone_from(&known.others);
        }
    }
    spec.sub_groups = groups;
    spec.min_sub_group = None;
    requests::write(spec, gang);
    if let Some(queue) = scheduling::queue_of(Backend::KaiScheduler, &gang.metadata) {
        spec.queue = Some(queue.to_owned());
    }
    let fields = fields(group);
    note_fields(&mut group.metadata, &fields);
}

/// A leaf for each part of a gang, all of them required.
pub(super) fn parts_of(view: &GangView<'_>) -> Vec<KaiSubGroup> {
    let leaf = |part: &PodGroup| KaiSubGroup {
        name: part.name.clone(),
        min_member: Some(minimum_of(view, part)),
        ..KaiSubGroup::default()
    };
    view.gang.spec.pod_groups.iter().map(leaf).collect()
}

/// The nodes of a tree, without demands that can never be met.
pub(super) fn nodes_of(tree: &TreeNode) -> Vec<KaiSubGroup> {
    let node = |node: SubGroup| KaiSubGroup {
        name: node.name,
        parent: node.parent,
        min_member: node.min_member,
        min_sub_group: node.min_sub_group,
        ..KaiSubGroup::default()
    };
    let tree = tree.clone().attainable();
    tree.to_list().into_iter().map(node).collect()
}
