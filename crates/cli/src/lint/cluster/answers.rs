//! What is asked of a cluster, and its answers.

use std::collections::HashMap;

use api::{ClusterTopologyBinding, PodCliqueSet};
use k8s_openapi::api::core::v1::{LimitRange, ResourceQuota};

/// Kinds of what a set may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Our definitions; the name is that of a resource.
    Definition,
    /// The namespace of the set.
    Namespace,
    /// A `PriorityClass`.
    PriorityClass,
    /// A ServiceAccount.
    ServiceAccount,
    /// A `PersistentVolumeClaim`.
    Claim,
    /// A ConfigMap.
    ConfigMap,
    /// A Secret.
    Secret,
    /// A queue of KAI Scheduler.
    KaiQueue,
    /// A queue of Volcano.
    VolcanoQueue,
    /// A ClusterTopologyBinding.
    Topology,
    /// A node with a label; the name is that of its key.
    LabelledNode,
    /// The quotas of the namespace; the name is that of the set.
    Quota,
}

impl Kind {
    /// Its plural, as users are asked for rights.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Definition => "podcliquesets.grove.io",
            Self::Namespace => "namespaces",
            Self::PriorityClass => "priorityclasses",
            Self::ServiceAccount => "serviceaccounts",
            Self::Claim => "persistentvolumeclaims",
            Self::ConfigMap => "configmaps",
            Self::Secret => "secrets",
            Self::KaiQueue => "queues.scheduling.run.ai",
            Self::VolcanoQueue => "queues.scheduling.volcano.sh",
            Self::Topology => "clustertopologybindings",
            Self::LabelledNode => "nodes",
            Self::Quota => "resourcequotas and limitranges",
        }
    }

    /// What one of it is called.
    pub fn word(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Namespace => "namespace",
            Self::PriorityClass => "PriorityClass",
            Self::ServiceAccount => "ServiceAccount",
            Self::Claim => "PersistentVolumeClaim",
            Self::ConfigMap => "ConfigMap",
            Self::Secret => "Secret",
            Self::KaiQueue | Self::VolcanoQueue => "queue",
            Self::Topology => "ClusterTopologyBinding",
            Self::LabelledNode => "node",
            Self::Quota => "quota",
        }
    }

    /// The kind as manifests name it, of those that may be in the files, too.
    pub(super) fn of_manifest(kind: &str) -> Option<Self> {
        let all = [
            Self::PriorityClass,
            Self::ServiceAccount,
            Self::Claim,
            Self::ConfigMap,
            Self::Secret,
        ];
        all.into_iter().find(|known| known.word() == kind)
    }

    /// Whether there is one in each namespace.
    pub(super) fn is_namespaced(self) -> bool {
        use Kind::{Claim, ConfigMap, Quota, Secret, ServiceAccount};
        matches!(self, ServiceAccount | Claim | ConfigMap | Secret | Quota)
    }
}

/// Something that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wanted {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace; none if the kind has none.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

/// What the cluster says of it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It is there.
    There,
    /// It is not.
    Missing,
    /// The cluster does not know the kind.
    NotServed,
    /// The user may not ask.
    Forbidden,
    /// The topology is there.
    Topology(Box<ClusterTopologyBinding>),
    /// What the namespace has room for.
    Room(Box<Room>),
}

/// What a namespace has room for.
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// Its quotas.
    pub quotas: Vec<ResourceQuota>,
    /// What containers get that ask for nothing.
    pub limits: Vec<LimitRange>,
    /// The set as it is stored: what it has is used already.
    pub stored: Option<PodCliqueSet>,
}

/// Answers by what was asked; what nobody asked for is there.
pub type Answers = HashMap<Wanted, Answer>;
