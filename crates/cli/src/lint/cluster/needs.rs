//! Needs of a set, or of a topology.

use std::collections::HashSet;

use api::PodCliqueSet;
use api::kueue::keys;
use api::topology::TopologyConstraint;
use domain::object::ownership;
use domain::scheduling::{Backend, queue_of, queue_of_set};

use super::answers::{NeededKind, Wanted};
use super::{devices, references};
use crate::lint::judged_files::{JudgedFiles, Ours};
use crate::lint::parts::{cliques, groups, pods};

/// An object that a set needs, and the field that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The object.
    pub wanted: Wanted,
    /// The field.
    pub path: String,
    /// Of a topology: required levels, and the fields that name them.
    pub levels: Vec<(String, String)>,
}

impl Need {
    pub(super) fn new(
        kind: NeededKind,
        namespace: &str,
        name: impl Into<String>,
        path: impl Into<String>,
    ) -> Self {
        let namespace = kind.is_namespaced().then(|| namespace.to_owned());
        Self {
            wanted: Wanted {
                kind,
                namespace,
                name: name.into(),
            },
            path: path.into(),
            levels: Vec::new(),
        }
    }
}

/// Needs of a set in that namespace.
pub fn needs_of(set: &PodCliqueSet, namespace: &str) -> Vec<Need> {
    let need = |kind, name: &str, path: &str| Need::new(kind, namespace, name, path);
    let mut needs = vec![
        need(NeededKind::Definition, "podcliquesets", "apiVersion"),
        need(NeededKind::Namespace, namespace, "metadata.namespace"),
    ];
    let class = set.spec.template.priority_class_name.as_str();
    if !class.is_empty() {
        let at = "spec.template.priorityClassName";
        needs.push(need(NeededKind::PriorityClass, class, at));
    }
    for (at, pod) in pods(set) {
        needs.extend(references::of_pod(namespace, &at, pod, class.is_empty()));
    }
    needs.extend(queues(set, namespace));
    needs.extend(of_kueue(set, namespace));
    needs.extend(devices::of_set(set, namespace));
    needs.extend(topologies(set));
    let name = ownership::name(&set.metadata);
    needs.push(need(NeededKind::Quota, name, "spec"));
    needs
}

/// The queue that the set names for its scheduler, by the names that these schedulers go by.
fn queues(set: &PodCliqueSet, namespace: &str) -> Option<Need> {
    let mut pods = pods(set);
    let (_, pod) = pods.next()?;
    let (backend, kind) = match pod.scheduler_name.as_deref()? {
        "kai-scheduler" => (Backend::KaiScheduler, NeededKind::KaiQueue),
        "volcano" => (Backend::Volcano, NeededKind::VolcanoQueue),
        _ => return None,
    };
    let queue = queue_of_set(backend, set)?;
    let key = match backend {
        Backend::Volcano => api::labels::VOLCANO_QUEUE,
        _ => api::labels::KAI_QUEUE,
    };
    let is_label = ownership::label(&set.metadata, key) == Some(queue);
    let at = match queue_of(backend, &set.metadata) {
        Some(_) if is_label => format!("metadata.labels[{key}]"),
        Some(_) => format!("metadata.annotations[{key}]"),
        None => format!("spec.template.cliques, key {key}"),
    };
    Some(Need::new(kind, namespace, queue, at))
}

/// The queue and the priority that the set names for Kueue.
fn of_kueue(set: &PodCliqueSet, namespace: &str) -> Vec<Need> {
    let named = |kind, key: &str| {
        let name = ownership::label(&set.metadata, key)?;
        let at = format!("metadata.labels[{key}]");
        Some(Need::new(kind, namespace, name, at))
    };
    let Some(queue) = named(NeededKind::LocalQueue, keys::QUEUE) else {
        return Vec::new();
    };
    let class = named(NeededKind::WorkloadPriorityClass, keys::PRIORITY_CLASS);
    [queue].into_iter().chain(class).collect()
}

/// All constraints of a set name one topology.
fn topologies(set: &PodCliqueSet) -> Option<Need> {
    let own = set
        .spec
        .template
        .topology_constraint
        .as_ref()
        .map(|c| (own_field("spec.template"), c))
        .into_iter();
    let of_all = groups(set).filter_map(|(at, group)| {
        let at = format!("{at}.allReplicasTopologyConstraint");
        Some((at, group.all_replicas_topology_constraint.as_ref()?))
    });
    let groups =
        groups(set).filter_map(|(at, g)| Some((own_field(&at), g.topology_constraint.as_ref()?)));
    let cliques =
        cliques(set).filter_map(|(at, c)| Some((own_field(&at), c.topology_constraint.as_ref()?)));
    let all: Vec<_> = own.chain(of_all).chain(groups).chain(cliques).collect();
    let (at, named) = all.iter().find(|(_, c)| !c.topology_name.is_empty())?;
    let at = format!("{at}.topologyName");
    let levels = all
        .iter()
        .flat_map(|(at, constraint)| levels_of(at, constraint));
    let need = Need::new(NeededKind::Topology, "", named.topology_name.clone(), at);
    Some(Need {
        levels: levels.collect(),
        ..need
    })
}

fn own_field(at: &str) -> String {
    format!("{at}.topologyConstraint")
}

/// The levels that a constraint names, each with its path.
fn levels_of(at: &str, constraint: &TopologyConstraint) -> Vec<(String, String)> {
    let named = constraint
        .pack
        .iter()
        .flat_map(|pack| {
            [
                ("pack.required", &pack.required),
                ("pack.preferred", &pack.preferred),
            ]
        })
        .chain([("packDomain", &constraint.pack_domain)])
        .filter(|(_, level)| !level.is_empty());
    named
        .map(|(field, level)| (level.clone(), format!("{at}.{field}")))
        .collect()
}

impl Ours {
    /// Needs of this object; `namespace` is the default.
    pub(super) fn needs(&self, namespace: &str) -> Vec<Need> {
        if let Some(set) = &self.set {
            return needs_of(set, self.namespace.as_deref().unwrap_or(namespace));
        }
        self.level_keys()
            .into_iter()
            .map(|(key, at)| Need::new(NeededKind::LabelledNode, "", key, at))
            .collect()
    }
}

impl JudgedFiles {
    /// Objects that the files contain, or that exist once the files are applied.
    pub(super) fn given(&self, namespace: &str) -> HashSet<Wanted> {
        let others = self.others.iter().filter_map(|other| {
            let kind = NeededKind::of_manifest(&other.kind)?;
            let of_object = other.namespace.as_deref().unwrap_or(namespace);
            Some(Need::new(kind, of_object, other.name.clone(), "").wanted)
        });
        let topologies = self
            .topologies()
            .into_iter()
            .map(|name| Need::new(NeededKind::Topology, "", name, "").wanted);
        let namespaces = self
            .others
            .iter()
            .filter(|other| other.kind == "Namespace")
            .map(|other| Need::new(NeededKind::Namespace, "", other.name.clone(), "").wanted);
        others.chain(topologies).chain(namespaces).collect()
    }
}
