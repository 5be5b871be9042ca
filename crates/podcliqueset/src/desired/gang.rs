//! PodGang objects (docs/semantics.md §8.1).

use std::collections::BTreeMap;

use api::kai::{NEVER_STALE, keys};
use api::kueue;
use api::labels::{self, component};
use api::podgang::PodGroup;
use api::{PodCliqueSet, PodGang, PodGangSpec};
use domain::object::ownership;
use domain::scheduling::{DEFAULT_SCHEDULER, inherit_queues};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// The gang of that name with these parts.
pub fn build(set: &PodCliqueSet, name: &str, pod_groups: Vec<PodGroup>) -> PodGang {
    let set_name = ownership::name(&set.metadata);
    let mut all = foreign(set.metadata.labels.as_ref());
    all.extend(labels::default_labels(set_name));
    all.insert(labels::COMPONENT.into(), component::POD_GANG.into());
    all.insert(
        labels::SCHEDULER_NAME.into(),
        scheduler_name(set).to_owned(),
    );
    let mut metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: set.metadata.namespace.clone(),
        labels: Some(all),
        annotations: Some(foreign(set.metadata.annotations.as_ref())),
        owner_references: Some(vec![ownership::controller_reference(set)]),
        ..ObjectMeta::default()
    };
    inherit_queues(&mut metadata, set);
    open_gates(&mut metadata);
    PodGang {
        metadata,
        spec: PodGangSpec {
            pod_groups,
            priority_class_name: set.spec.template.priority_class_name.clone(),
            ..PodGangSpec::default()
        },
        status: None,
    }
}

/// Leaves the decision whether the gang is dead to the operator: KAI evicts a PodGroup of its
/// pod-grouper after a minute without a part, despite `terminationDelay`. A set may request
/// otherwise.
pub fn never_let_stale(meta: &mut ObjectMeta) {
    let annotations = meta.annotations.get_or_insert_default();
    let grace = annotations.entry(keys::STALENESS.into());
    grace.or_insert_with(|| NEVER_STALE.into());
}

/// Marks the list as one whose pods may be scheduled.
pub fn open_gates(meta: &mut ObjectMeta) {
    let annotations = meta.annotations.get_or_insert_default();
    annotations.insert(labels::GATES_RELEASED_BY_LIST.into(), "true".into());
}

/// The user's own keys: not the operator's, and not the manifest that kubectl keeps.
fn foreign(keys: Option<&BTreeMap<String, String>>) -> BTreeMap<String, String> {
    keys.into_iter()
        .flatten()
        .filter(|(key, _)| !key.starts_with(labels::GROVE_PREFIX) && *key != labels::LAST_APPLIED)
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// The scheduler that the pods name; admission guarantees that all name the same.
pub fn scheduler_name(set: &PodCliqueSet) -> &str {
    let cliques = &set.spec.template.cliques;
    cliques
        .iter()
        .find_map(|c| c.spec.pod_spec.scheduler_name.as_deref())
        .filter(|name| !name.is_empty())
        .unwrap_or(DEFAULT_SCHEDULER)
}

/// `existing` with our labels, annotations and these parts, or `None` if it is right. Fields that a
/// scheduler wrote into the spec stay. A list of thousands of pods is compared before it is copied.
pub fn corrected(existing: &PodGang, desired: &PodGang) -> Option<PodGang> {
    let mut metadata = existing.metadata.clone();
    domain::workload::clique::overlay(&mut metadata, &desired.metadata);
    domain::workload::clique::add_owner(&mut metadata, &desired.metadata);
    forget_queues(&mut metadata, &desired.metadata);
    let (is, should) = (&existing.spec, &desired.spec);
    let has_topology = names_levels(&existing.metadata) || names_levels(&desired.metadata);
    forget_topology(&mut metadata, &desired.metadata);
    let is_right = metadata == existing.metadata
        && (!has_topology || is_topology_equal(is, should))
        && is.pod_groups == should.pod_groups
        && is.priority_class_name == should.priority_class_name;
    if is_right {
        return None;
    }
    let mut next = existing.clone();
    next.metadata = metadata;
    if has_topology {
        copy_topology(&mut next, desired);
    }
    next.spec.pod_groups.clone_from(&should.pod_groups);
    next.spec
        .priority_class_name
        .clone_from(&should.priority_class_name);
    Some(next)
}

/// Whether the operator wrote the topology constraints of the gang, which may be none.
fn names_levels(metadata: &ObjectMeta) -> bool {
    ownership::annotation(metadata, labels::TOPOLOGY_LEVELS).is_some()
}

fn is_topology_equal(is: &PodGangSpec, should: &PodGangSpec) -> bool {
    is.topology_constraint == should.topology_constraint
        && is.topology_constraint_group_configs == should.topology_constraint_group_configs
        && is.scaling_group_topology_constraints == should.scaling_group_topology_constraints
}

fn copy_topology(next: &mut PodGang, desired: &PodGang) {
    let (next, should) = (&mut next.spec, &desired.spec);
    next.topology_constraint
        .clone_from(&should.topology_constraint);
    next.topology_constraint_group_configs
        .clone_from(&should.topology_constraint_group_configs);
    next.scaling_group_topology_constraints
        .clone_from(&should.scaling_group_topology_constraints);
}

/// A gang that starts again without constraints must not keep the earlier ones.
fn forget_topology(metadata: &mut ObjectMeta, desired: &ObjectMeta) {
    let had_levels = names_levels(metadata);
    let Some(annotations) = metadata.annotations.as_mut().filter(|_| had_levels) else {
        return;
    };
    for key in [labels::TOPOLOGY_LEVELS, labels::TOPOLOGY_NAME] {
        if ownership::annotation(desired, key).is_none() {
            annotations.remove(key);
        }
    }
}

/// Keys by which a gang names a queue.
const QUEUE_KEYS: [&str; 4] = [
    labels::KAI_QUEUE,
    labels::VOLCANO_QUEUE,
    kueue::keys::QUEUE,
    kueue::keys::PRIORITY_CLASS,
];

/// The scheduler would wait for a queue that the set does not name any more.
fn forget_queues(metadata: &mut ObjectMeta, desired: &ObjectMeta) {
    let forget = |keys: &mut Option<BTreeMap<String, String>>, named: &Option<BTreeMap<_, _>>| {
        let is_named = |key: &str| named.as_ref().is_some_and(|named| named.contains_key(key));
        if let Some(keys) = keys {
            let is_queue = |key: &str| QUEUE_KEYS.contains(&key);
            keys.retain(|key, _| !is_queue(key) || is_named(key));
        }
    };
    forget(&mut metadata.labels, &desired.labels);
    forget(&mut metadata.annotations, &desired.annotations);
}
