//! The Workload by which a gang asks for quota.

use std::collections::BTreeMap;

use api::kueue::{
    self, KueuePodSet, KueuePriorityClassRef, KueueWorkload, KueueWorkloadSpec, keys,
};
use api::labels::{self, component};
use api::{PodClique, PodGang};
use domain::object::ownership;
use domain::scheduling::quota::{self, PodCounts};
use domain::topology::Selector;
use k8s_openapi::api::core::v1::{
    Affinity, Container, PodSpec, PodTemplateSpec, ResourceRequirements,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{PriorityClass, QueueingFacts};
use crate::gang_part::GangPart;

/// The name of the request for pods that were added later.
pub fn growth_name(gang: &str, number: usize) -> String {
    format!("{gang}.x{number}")
}

/// The Workload of that name, which asks for these pods; parts that are to join are among them. None while
/// a PodClique is missing: its template is not known.
pub fn request(
    gang: &PodGang,
    parts: &[GangPart],
    facts: &QueueingFacts,
    name: &str,
    asked: &PodCounts,
) -> Option<KueueWorkload> {
    let parts = [parts, facts.joining.as_slice()].concat();
    let is_known = |name: &String| {
        let mut all = parts.iter();
        let part = all.find(|part| part.name == *name);
        facts.cliques.contains_key(name) && part.is_some_and(|p| p.podclique.is_some())
    };
    let is_complete = asked.keys().all(is_known);
    is_complete.then(|| build(gang, &parts, facts, name, asked))
}

fn build(
    gang: &PodGang,
    parts: &[GangPart],
    facts: &QueueingFacts,
    name: &str,
    asked: &PodCounts,
) -> KueueWorkload {
    let set = ownership::label(&gang.metadata, labels::PART_OF).unwrap_or_default();
    let mut all = labels::default_labels(set);
    all.insert(labels::COMPONENT.into(), component::KUEUE_WORKLOAD.into());
    all.insert(keys::JOB_UID.into(), ownership::uid(&gang.metadata).into());
    let text = quota::to_text(asked);
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: gang.metadata.namespace.clone(),
        labels: Some(all),
        annotations: Some(BTreeMap::from([(labels::QUOTA_REQUEST.to_owned(), text)])),
        owner_references: Some(vec![ownership::controller_reference(gang)]),
        ..ObjectMeta::default()
    };
    let is_first = name == ownership::name(&gang.metadata);
    let of_pods = facts.pods.iter().find_map(|pod| pod.spec.priority);
    let (class, priority) = match &facts.priority_class {
        PriorityClass::Named(name, value) => (Some(name), Some(*value)),
        PriorityClass::OfPods | PriorityClass::Missing(_) => (None, of_pods),
    };
    KueueWorkload {
        metadata,
        spec: KueueWorkloadSpec {
            queue_name: facts.queue.clone(),
            pod_sets: pod_sets(parts, facts, asked, is_first),
            priority_class_ref: class.map(|name| KueuePriorityClassRef {
                group: kueue::GROUP.to_owned(),
                kind: "WorkloadPriorityClass".to_owned(),
                name: name.clone(),
            }),
            priority,
            active: Some(true),
            ..KueueWorkloadSpec::default()
        },
        status: None,
    }
}

/// One podSet for each clique, in the order of the gang. Kueue lets one of them have a minimum below
/// its count, so there is one only if exactly one clique has it. It counts for the first Workload: a
/// later one asks for pods that the gang can do without. There is none if the gang would not start with
/// part of its pods.
pub fn pod_sets(
    parts: &[GangPart],
    facts: &QueueingFacts,
    asked: &PodCounts,
    is_first: bool,
) -> Vec<KueuePodSet> {
    let mut sets: Vec<KueuePodSet> = Vec::new();
    for part in parts {
        let clique = facts.cliques.get(&part.name);
        let Some(((count, clique), podclique)) = asked
            .get(&part.name)
            .zip(clique)
            .zip(part.podclique.as_ref())
        else {
            continue;
        };
        let minimum = part.min_replicas.min(*count);
        match sets.iter_mut().find(|set| set.name == *clique) {
            Some(set) => {
                set.count = set.count.saturating_add(*count);
                let before = set.min_count.unwrap_or(0);
                set.min_count = Some(before.saturating_add(minimum));
            }
            None => sets.push(KueuePodSet {
                name: clique.clone(),
                count: *count,
                min_count: Some(minimum),
                template: template_of(podclique, &shared_pin(facts, asked, clique)),
                ..KueuePodSet::default()
            }),
        }
    }
    keep_only_minimum(&mut sets, is_first && !facts.waits_for_gates);
    sets
}

fn keep_only_minimum(sets: &mut [KueuePodSet], is_first: bool) {
    let is_lower = |set: &KueuePodSet| set.min_count.is_some_and(|n| n > 0 && n < set.count);
    let is_only = is_first && sets.iter().filter(|set| is_lower(set)).count() == 1;
    for set in sets {
        let stays = is_only && is_lower(set);
        set.min_count = set.min_count.filter(|_| stays);
    }
}

/// The labels of the nodes that all pods of a podSet have to join: its PodCliques may run in several domains.
fn shared_pin(facts: &QueueingFacts, asked: &PodCounts, clique: &str) -> Selector {
    let is_of_clique = |name: &&String| facts.cliques.get(*name).is_some_and(|of| of == clique);
    let names = asked.keys().filter(is_of_clique);
    let mut pins = names.map(|name| facts.pins.get(name).cloned().unwrap_or_default());
    let mut shared = pins.next().unwrap_or_default();
    for pin in pins {
        shared.retain(|key, value| pin.get(key) == Some(&*value));
    }
    shared
}

/// Those that the user asks for, and those of the domain.
fn node_selector(spec: &PodSpec, pin: &Selector) -> Option<Selector> {
    let mut all = pin.clone();
    all.extend(spec.node_selector.clone().unwrap_or_default());
    (!all.is_empty()).then_some(all)
}

/// The fields of the pods by which Kueue counts and chooses nodes. It counts no resource claims.
fn template_of(podclique: &PodClique, pin: &Selector) -> serde_json::Value {
    let spec = &podclique.spec.pod_spec;
    let node_affinity = spec.affinity.as_ref().and_then(|a| a.node_affinity.clone());
    let template = PodTemplateSpec {
        metadata: None,
        spec: Some(PodSpec {
            containers: spec.containers.iter().map(lean_container).collect(),
            init_containers: spec
                .init_containers
                .as_ref()
                .map(|all| all.iter().map(lean_container).collect()),
            node_selector: node_selector(spec, pin),
            tolerations: spec.tolerations.clone(),
            affinity: node_affinity.map(|node_affinity| Affinity {
                node_affinity: Some(node_affinity),
                ..Affinity::default()
            }),
            priority_class_name: spec.priority_class_name.clone(),
            runtime_class_name: spec.runtime_class_name.clone(),
            overhead: spec.overhead.clone(),
            resources: spec.resources.as_ref().map(without_claims),
            ..PodSpec::default()
        }),
    };
    serde_json::to_value(template).unwrap_or_default()
}

fn lean_container(container: &Container) -> Container {
    Container {
        name: container.name.clone(),
        image: container.image.clone(),
        resources: container.resources.as_ref().map(without_claims),
        restart_policy: container.restart_policy.clone(),
        ..Container::default()
    }
}

fn without_claims(resources: &ResourceRequirements) -> ResourceRequirements {
    ResourceRequirements {
        claims: None,
        ..resources.clone()
    }
}
