//! Questions to a cluster, and the answers.

use std::collections::HashMap;

use api::{ClusterTopologyBinding, PodCliqueSet};
use k8s_openapi::api::core::v1::{LimitRange, ResourceQuota};

/// Kinds of objects that a set may need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NeededKind {
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
    /// A LocalQueue of Kueue.
    LocalQueue,
    /// A WorkloadPriorityClass of Kueue.
    WorkloadPriorityClass,
    /// A ResourceClaim.
    ResourceClaim,
    /// A ResourceClaimTemplate.
    ClaimTemplate,
    /// A DeviceClass.
    DeviceClass,
    /// The definition of ComputeDomains; the name is that of the resource.
    ComputeDomains,
    /// A ClusterTopologyBinding.
    Topology,
    /// A node with a label; the name is that of its key.
    LabelledNode,
    /// The quotas of the namespace; the name is that of the set.
    Quota,
}

impl NeededKind {
    /// Its plural, as in RBAC rules.
    pub fn plural(self) -> &'static str {
        self.names().0
    }

    /// Its name in messages.
    pub fn word(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Definition => ("podcliquesets.grove.io", "definition"),
            Self::Namespace => ("namespaces", "namespace"),
            Self::PriorityClass => ("priorityclasses", "PriorityClass"),
            Self::ServiceAccount => ("serviceaccounts", "ServiceAccount"),
            Self::Claim => ("persistentvolumeclaims", "PersistentVolumeClaim"),
            Self::ConfigMap => ("configmaps", "ConfigMap"),
            Self::Secret => ("secrets", "Secret"),
            Self::KaiQueue => ("queues.scheduling.run.ai", "queue"),
            Self::VolcanoQueue => ("queues.scheduling.volcano.sh", "queue"),
            Self::LocalQueue => ("localqueues.kueue.x-k8s.io", "LocalQueue"),
            Self::WorkloadPriorityClass => (
                "workloadpriorityclasses.kueue.x-k8s.io",
                "WorkloadPriorityClass",
            ),
            Self::ResourceClaim => ("resourceclaims", "ResourceClaim"),
            Self::ClaimTemplate => ("resourceclaimtemplates", "ResourceClaimTemplate"),
            Self::DeviceClass => ("deviceclasses", "DeviceClass"),
            Self::ComputeDomains => ("computedomains.resource.nvidia.com", "definition"),
            Self::Topology => ("clustertopologybindings", "ClusterTopologyBinding"),
            Self::LabelledNode => ("nodes", "node"),
            Self::Quota => ("resourcequotas and limitranges", "quota"),
        }
    }

    /// The kind by its name in manifests, if it may be in the files, too.
    pub(super) fn of_manifest(kind: &str) -> Option<Self> {
        let all = [
            Self::PriorityClass,
            Self::ServiceAccount,
            Self::Claim,
            Self::ConfigMap,
            Self::Secret,
            Self::LocalQueue,
            Self::WorkloadPriorityClass,
            Self::ResourceClaim,
            Self::ClaimTemplate,
            Self::DeviceClass,
        ];
        all.into_iter().find(|known| known.word() == kind)
    }

    /// Whether pods get devices by it.
    pub(super) fn is_of_devices(self) -> bool {
        use NeededKind::{ClaimTemplate, ComputeDomains, DeviceClass, ResourceClaim};
        matches!(
            self,
            ResourceClaim | ClaimTemplate | DeviceClass | ComputeDomains
        )
    }

    /// Whether the kind is namespaced.
    pub(super) fn is_namespaced(self) -> bool {
        use NeededKind::{Claim, ConfigMap, Quota, Secret, ServiceAccount};
        use NeededKind::{ClaimTemplate, LocalQueue, ResourceClaim};
        matches!(self, ServiceAccount | Claim | ConfigMap | Secret | Quota)
            || matches!(self, LocalQueue | ResourceClaim | ClaimTemplate)
    }
}

/// An object to look up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wanted {
    /// Its kind.
    pub kind: NeededKind,
    /// Its namespace; none if the kind has none.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

/// The cluster's answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The object exists.
    There,
    /// The object does not exist.
    Missing,
    /// The cluster does not know the kind.
    NotServed,
    /// The user may not ask.
    Forbidden,
    /// The topology exists.
    Topology(Box<ClusterTopologyBinding>),
    /// The quotas of the namespace.
    Quota(Box<NamespaceQuota>),
}

/// The quotas of a namespace, and the objects that their use depends on.
#[derive(Clone, Debug, Default)]
pub struct NamespaceQuota {
    /// Its quotas.
    pub quotas: Vec<ResourceQuota>,
    /// Defaults for containers without requests.
    pub limits: Vec<LimitRange>,
    /// The set as it is stored: its pods already count as used.
    pub stored: Option<PodCliqueSet>,
}

/// Answers by object; an object without an answer exists.
pub type Answers = HashMap<Wanted, Answer>;
