//! The PodGroup of KAI Scheduler for a gang: a leaf for each part, all of them required.

use std::collections::BTreeMap;

use api::kai::{KaiPodGroup, KaiPodGroupSpec, KaiSubGroup, keys};
use api::labels::{self, component};
use api::podgang::PodGroup;
use api::PodGang;
use domain::object::ownership;
use domain::plan::Action;
use domain::Key;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// It is ours to judge whether a gang is stale: KAI would evict one of which an optional part is
/// missing (seen with v0.17).
const NEVER_STALE: &str = "-1s";

/// Creates the PodGroup, or puts it right in one write. What others wrote into it stays: the queue
/// if the set names none, marks of the scheduler, topology constraints.
pub(super) fn plan(gang: &PodGang, key: Key, found: Option<&KaiPodGroup>) -> Option<Action> {
    let Some(found) = found else {
        return Some(Action::create(create(gang, key)));
    };
    let is_ours = ownership::is_controlled_by(&found.metadata, ownership::uid(&gang.metadata));
    if !is_ours || ownership::is_terminating(&found.metadata) {
        return None;
    }
    let mut next = found.clone();
    correct(&mut next.spec, gang);
    (next != *found).then(|| Action::replace(next))
}

fn create(gang: &PodGang, key: Key) -> KaiPodGroup {
    let set = ownership::label(&gang.metadata, labels::PART_OF).unwrap_or_default();
    let mut all = labels::default_labels(set);
    all.insert(labels::COMPONENT.into(), component::POD_GROUP.into());
    let mut spec = KaiPodGroupSpec::default();
    correct(&mut spec, gang);
    KaiPodGroup {
        metadata: ObjectMeta {
            name: Some(key.name),
            namespace: Some(key.namespace),
            labels: Some(all),
            owner_references: Some(vec![ownership::controller_reference(gang)]),
            ..ObjectMeta::default()
        },
        spec,
    }
}

fn correct(spec: &mut KaiPodGroupSpec, gang: &PodGang) {
    let before: BTreeMap<&str, &KaiSubGroup> =
        spec.sub_groups.iter().map(|g| (&*g.name, g)).collect();
    let parts = gang.spec.pod_groups.iter();
    let groups = parts.map(|part| sub_group(part, before.get(part.name.as_str()).copied()));
    let groups: Vec<KaiSubGroup> = groups.collect();
    spec.sub_groups = groups;
    spec.min_sub_group = None;
    spec.staleness_grace_period = Some(NEVER_STALE.to_owned());
    let priority = &gang.spec.priority_class_name;
    spec.priority_class_name = (!priority.is_empty()).then(|| priority.clone());
    if let Some(queue) = queue_of(&gang.metadata) {
        spec.queue = Some(queue.to_owned());
    }
}

fn sub_group(part: &PodGroup, before: Option<&KaiSubGroup>) -> KaiSubGroup {
    KaiSubGroup {
        name: part.name.clone(),
        parent: None,
        min_member: Some(u32::try_from(part.min_replicas).unwrap_or(0)),
        min_sub_group: None,
        others: before.map(|b| b.others.clone()).unwrap_or_default(),
    }
}

/// The set's label, which the PodGang has from it, else its annotation.
fn queue_of(meta: &ObjectMeta) -> Option<&str> {
    ownership::label(meta, keys::QUEUE).or_else(|| ownership::annotation(meta, keys::QUEUE))
}
