//! The quota of a gang whose set names a queue of Kueue (docs/queues.md, decision 177).
//!
//! ```text
//! PodGang, annotation quota-request ──▶ Workload ──▶ Kueue admits ──▶ status.quota, QuotaReserved=True
//! Kueue evicts ──▶ QuotaReserved=False, next round ──▶ pods of earlier rounds end ──▶ quota returned
//! ```
//!
//! The operator is the job side of Kueue's protocol, with its own scheduling gate: Kueue's pod
//! integration is not used.

mod correct;
pub mod counts;
pub mod grant;
mod pins;
pub mod plan;
pub mod release;
pub mod verdict;
pub mod workload;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api::conditions::{ConditionType, ConditionUpdate, Reason, Status};
use api::kueue::{KueueWorkload, ResourceFlavor, WorkloadPriorityClass, keys};
use api::podcliqueset::PodCliqueSetPhase;
use api::{PodCliqueSet, PodGang, labels, names};
use domain::health::training;
use domain::object::ownership;
use domain::scheduling::{Backend, Profiles, quota};
use domain::topology::Selector;
use domain::workload::gang::clique_minimum;
use domain::workload::layout;
use domain::{Key, Pod};
use engine::Caches;
use engine::cache::set_of;

use crate::gang_part::GangPart;
use crate::observe::Snapshot;
use crate::{peers, slots};

/// The inputs of decisions on quota.
#[derive(Clone, Debug, Default)]
pub struct QueueingFacts {
    /// The LocalQueue; `None`: the set names none any more, and Workloads are left.
    pub queue: Option<String>,
    /// Whether the cluster serves Workloads.
    pub is_served: bool,
    /// Whether the cached objects may be out of date: a missing Workload may exist.
    pub is_outdated: bool,
    /// The Workloads that the gang controls, by name.
    pub workloads: Vec<Arc<KueueWorkload>>,
    /// The ResourceFlavors that these have.
    pub flavors: BTreeMap<String, Arc<ResourceFlavor>>,
    /// Whether its scheduler looks at no pod while another one has a gate: no part of the pods starts.
    pub waits_for_gates: bool,
    /// Whether ResourceFlavors may be read: without them nobody knows for which nodes quota is.
    pub are_flavors_readable: bool,
    /// The WorkloadPriorityClass that the set names, if it names one.
    pub priority_class: PriorityClass,
    /// The names of the cliques of its PodCliques, by PodClique.
    pub cliques: BTreeMap<String, String>,
    /// Parts for which its set asks and that its list does not name yet.
    pub joining: Vec<GangPart>,
    /// All pods of the gang, listed or not, those that are ending included.
    pub pods: Vec<Arc<Pod>>,
    /// The labels of the nodes that pods have to join, by PodClique.
    pub pins: BTreeMap<String, Selector>,
    /// Whether its base gang, if it has one, does not wait for quota itself.
    pub has_base_quota: bool,
    /// How the job ended, if its set is one that is over.
    pub end: Option<PodCliqueSetPhase>,
}

/// The priority of a gang in its queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PriorityClass {
    /// That of its pods.
    #[default]
    OfPods,
    /// That of a WorkloadPriorityClass: its name and value.
    Named(String, i32),
    /// The set names a WorkloadPriorityClass that does not exist.
    Missing(String),
}

impl QueueingFacts {
    /// The Workload of that name.
    pub fn find(&self, name: &str) -> Option<&Arc<KueueWorkload>> {
        let mut all = self.workloads.iter();
        all.find(|workload| ownership::name(&workload.metadata) == name)
    }

    /// Why no quota is asked for, although the gang needs some.
    pub fn find_hindrance(&self) -> Option<String> {
        if !self.are_flavors_readable {
            return Some(
                "the operator may not read ResourceFlavors, which say for which nodes quota is: serve all \
                 namespaces (`watchNamespaces: []` in the values of its chart)"
                    .to_owned(),
            );
        }
        match &self.priority_class {
            PriorityClass::Missing(name) => Some(format!(
                "there is no WorkloadPriorityClass {name}: create it, or correct label {} of the set",
                keys::PRIORITY_CLASS
            )),
            PriorityClass::OfPods | PriorityClass::Named(..) => None,
        }
    }

    /// The pods of a PodClique.
    pub fn pods_of(&self, podclique: &str) -> impl Iterator<Item = &Pod> + Clone {
        let is_of = move |pod: &&Arc<Pod>| {
            ownership::label(&pod.metadata, labels::POD_CLIQUE) == Some(podclique)
        };
        self.pods.iter().filter(is_of).map(AsRef::as_ref)
    }
}

/// Reads the caches; `None` for a gang that has nothing to do with a queue.
pub(crate) fn observe(
    gang: &PodGang,
    parts: &[GangPart],
    caches: &Caches,
    profiles: &Profiles,
    backend: Backend,
) -> Option<QueueingFacts> {
    if !profiles.is_queueing() {
        return None;
    }
    let queue = quota::local_queue(&gang.metadata);
    let workloads = caches.of::<KueueWorkload>().owned_by(gang);
    if queue.is_none() && workloads.is_empty() {
        return None;
    }
    let namespace = gang.metadata.namespace.as_deref().unwrap_or_default();
    let pods = find_pods(gang, caches);
    let joining = find_joining(gang, caches);
    let parts = [parts, joining.as_slice()].concat();
    Some(QueueingFacts {
        queue: queue.map(str::to_owned),
        is_served: caches.is_served::<KueueWorkload>(namespace),
        is_outdated: caches.is_workload_outdated(namespace)
            || caches.is_outdated::<KueueWorkload>(namespace),
        flavors: find_flavors(&workloads, caches),
        waits_for_gates: backend.waits_for_gates(),
        are_flavors_readable: caches.is_served::<ResourceFlavor>(""),
        priority_class: find_priority_class(gang, caches),
        cliques: find_cliques(gang, &parts, caches),
        pins: pins::find(gang, &parts, &pods, caches),
        pods,
        joining,
        has_base_quota: has_base_quota(gang, caches),
        end: find_end(gang, caches),
        workloads,
    })
}

fn find_flavors(
    workloads: &[Arc<KueueWorkload>],
    caches: &Caches,
) -> BTreeMap<String, Arc<ResourceFlavor>> {
    let statuses = workloads.iter().filter_map(|w| w.status.as_ref());
    let assignments = statuses
        .filter_map(|status| status.admission.as_ref())
        .flat_map(|admission| &admission.pod_set_assignments);
    assignments
        .flat_map(|assignment| assignment.flavors.values())
        .filter_map(|name| {
            let flavor = caches.of::<ResourceFlavor>().get(&Key::new("", &**name))?;
            Some((name.clone(), flavor))
        })
        .collect()
}

fn find_priority_class(gang: &PodGang, caches: &Caches) -> PriorityClass {
    let named = ownership::label(&gang.metadata, keys::PRIORITY_CLASS);
    let Some(name) = named.filter(|name| !name.is_empty()) else {
        return PriorityClass::OfPods;
    };
    match caches
        .of::<WorkloadPriorityClass>()
        .get(&Key::new("", name))
    {
        Some(class) => PriorityClass::Named(name.to_owned(), class.value),
        None => PriorityClass::Missing(name.to_owned()),
    }
}

fn find_end(gang: &PodGang, caches: &Caches) -> Option<PodCliqueSetPhase> {
    let phase = slots::find_set(gang, caches)?.status.as_ref()?.phase;
    phase.filter(|phase| training::is_terminal(Some(*phase)))
}

/// Of the parts of the gang, and of those that have or need quota: a part that is replaced is in no list
/// for a moment.
fn find_cliques(gang: &PodGang, parts: &[GangPart], caches: &Caches) -> BTreeMap<String, String> {
    let set = set_of(&gang.metadata).and_then(|key| caches.of::<PodCliqueSet>().get(&key));
    let Some(set) = set else {
        return BTreeMap::new();
    };
    let name = ownership::name(&set.metadata);
    let listed = parts.iter().map(|part| part.name.clone());
    let requested = quota::requested(&gang.metadata).unwrap_or_default();
    let names = listed.chain(requested.into_keys());
    names
        .chain(quota::granted_parts(gang).map(str::to_owned))
        .filter_map(|part| {
            let slot = layout::find(name, &set.spec.template, &part)?;
            let clique = slot.clique.to_owned();
            Some((part, clique))
        })
        .collect()
}

/// A part that is scaled up from 0 joins the list once it has pods with quota, so it asks before that
/// (decision 184).
fn find_joining(gang: &PodGang, caches: &Caches) -> Vec<GangPart> {
    let groups = gang.spec.pod_groups.iter();
    let listed: BTreeSet<&str> = groups.map(|group| &*group.name).collect();
    let asked = counts::requested(gang).into_keys();
    let others = asked.filter(|name| !listed.contains(&**name));
    others
        .filter_map(|name| {
            let podclique = slots::find_podclique(gang, &name, caches)?;
            Some(GangPart {
                min_replicas: clique_minimum(&podclique.spec),
                podclique: Some(podclique),
                name,
                ..GangPart::default()
            })
        })
        .collect()
}

fn find_pods(gang: &PodGang, caches: &Caches) -> Vec<Arc<Pod>> {
    let Some(set) = set_of(&gang.metadata) else {
        return Vec::new();
    };
    let name = Some(ownership::name(&gang.metadata));
    let mut pods = caches.of::<Pod>().part_of(&set);
    pods.retain(|pod| ownership::label(&pod.metadata, labels::POD_GANG) == name);
    pods
}

/// Kueue takes the quota of the newest gang first, and gives back that of gangs whose end it does not
/// need: it may take that of the base gang alone. Scaled gangs go with it.
fn has_base_quota(gang: &PodGang, caches: &Caches) -> bool {
    let set = ownership::label(&gang.metadata, labels::PART_OF).unwrap_or_default();
    let is_scaled = names::base_of_scaled_gang(set, ownership::name(&gang.metadata)).is_some();
    let base = peers::base_of(gang, caches);
    !is_scaled || base.is_some_and(|base| !quota::is_held(&base))
}

/// Properties of a queued gang for which there is no quota, or that contradict it.
pub(crate) fn unsupported(snapshot: &Snapshot) -> Option<ConditionUpdate> {
    let facts = snapshot.queueing.as_ref()?;
    facts.queue.as_ref()?;
    let (reason, message) = find_contradiction(&snapshot.gang)
        .or_else(|| find_unusable_quota(&snapshot.gang, facts))
        .map(|text| (Reason::TopologyUnavailable, text))
        .or_else(|| Some((Reason::QuotaIgnoresClaims, find_claims(snapshot)?)))?;
    Some(ConditionUpdate {
        type_: ConditionType::SchedulingFeatureUnsupported,
        status: Status::True,
        reason,
        message,
    })
}

fn find_claims(snapshot: &Snapshot) -> Option<String> {
    let facts = snapshot.queueing.as_ref()?;
    let pod = facts
        .pods
        .iter()
        .find(|p| !p.spec.resource_claims.is_empty())?;
    Some(format!(
        "pod {} uses resource claims, for which Kueue reserves no quota: limit them by a ResourceQuota",
        pod.name()
    ))
}

/// Kueue has admitted a Workload in a way that the operator cannot follow.
fn find_unusable_quota(gang: &PodGang, facts: &QueueingFacts) -> Option<String> {
    let mut all = facts.workloads.iter().filter(|w| grant::is_admitted(w));
    all.find_map(|workload| {
        let text = grant::read(gang, facts, workload).err()?;
        let name = ownership::name(&workload.metadata);
        Some(format!(
            "Workload {name} has quota that cannot be used: {text}"
        ))
    })
}

/// A pod has to join others in a topology domain, and its quota is for other nodes.
fn find_contradiction(gang: &PodGang) -> Option<String> {
    gang.spec.pod_groups.iter().find_map(|group| {
        let indexes = group.placements.iter().flat_map(|placement| {
            let indexes = placement.indexes.iter();
            indexes.map(|index| (*index, &placement.node_selector))
        });
        let mut contradictions = indexes.filter_map(|(index, pin)| {
            let flavor = quota::flavor_of(gang, &group.name, index)?;
            let (key, pinned) = quota::contradiction(pin, &flavor.node_selector)?;
            let quota = flavor.node_selector.get(key)?;
            Some(format!(
                "pod {index} of podclique {} has to join pods on nodes with {key}={pinned}, and its quota \
                 is for nodes with {key}={quota}: use one ResourceFlavor for all domains, or a broader level",
                group.name
            ))
        });
        contradictions.next()
    })
}
