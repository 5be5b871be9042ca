//! Schedulers by the names that pods give them.

use std::collections::BTreeMap;

/// How the operator passes gangs to a scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// Not at all: gates keep a gang together until all its pods exist.
    #[default]
    DefaultScheduler,
    /// By a PodGroup `scheduling.run.ai/v2alpha2` for each PodGang.
    KaiScheduler,
    /// The same, one for all gangs of a replica of a set, as a tree.
    KaiTree,
    /// By the PodGang alone, which KAI Scheduler's pod-grouper reads as soon as there are pods.
    KaiPodGrouper,
    /// By a PodGroup `scheduling.volcano.sh/v1beta1` for each PodGang.
    Volcano,
    /// Kubernetes' own, by PodGroups `scheduling.k8s.io/v1beta1`, under a CompositePodGroup if one
    /// PodGroup cannot express the needs of a gang.
    Kubernetes,
    /// The same, all gangs of a replica of a set as one tree.
    KubernetesTree,
}

impl Backend {
    /// The backend of this name in configurations.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            DEFAULT_SCHEDULER => Some(Self::DefaultScheduler),
            "kai-scheduler" => Some(Self::KaiScheduler),
            "kai-pod-grouper" => Some(Self::KaiPodGrouper),
            "volcano" => Some(Self::Volcano),
            "kubernetes" => Some(Self::Kubernetes),
            _ => None,
        }
    }

    /// The same, with all gangs of a replica as one tree; not every backend supports trees.
    pub fn as_tree(self) -> Option<Self> {
        match self {
            Self::KaiScheduler => Some(Self::KaiTree),
            Self::Kubernetes => Some(Self::KubernetesTree),
            _ => None,
        }
    }

    /// The same scheduler, with each gang by itself.
    #[must_use]
    pub fn without_tree(self) -> Self {
        match self {
            Self::KaiTree => Self::KaiScheduler,
            Self::KubernetesTree => Self::Kubernetes,
            other => other,
        }
    }

    /// Whether the backend serves Kubernetes' own scheduler.
    pub fn is_kubernetes(self) -> bool {
        matches!(self, Self::Kubernetes | Self::KubernetesTree)
    }

    /// Whether the scheduler looks at no pod of a group, or of the tree above it, while one that has no
    /// node yet has a gate (decision 179).
    pub fn waits_for_gates(self) -> bool {
        self.is_kubernetes()
    }

    /// Whether the backend serves KAI Scheduler.
    pub fn is_kai(self) -> bool {
        matches!(
            self,
            Self::KaiScheduler | Self::KaiTree | Self::KaiPodGrouper
        )
    }

    /// Name of the scheduler if it cannot keep pods in one topology domain.
    pub fn without_domains(self) -> Option<&'static str> {
        match self {
            Self::DefaultScheduler => Some(DEFAULT_SCHEDULER),
            Self::Volcano => Some("Volcano"),
            Self::KaiScheduler
            | Self::KaiTree
            | Self::KaiPodGrouper
            | Self::Kubernetes
            | Self::KubernetesTree => None,
        }
    }

    /// Whether pods bear labels or annotations for it.
    pub fn marks_pods(self) -> bool {
        matches!(self, Self::KaiScheduler | Self::KaiTree | Self::Volcano)
    }

    /// The message for users if the cluster does not serve the objects that this backend writes.
    pub fn unsupported(self) -> &'static str {
        match self {
            Self::DefaultScheduler | Self::KaiPodGrouper => "",
            Self::Volcano => {
                "podgroups.scheduling.volcano.sh is not served by this cluster, or may not be read, so \
                 Volcano does not know the gang and its pods stay gated: install Volcano, or name \
                 another schedulerName; if it is served, put the profile into the chart's value \
                 config.scheduler, from which the operator's rights follow"
            }
            Self::Kubernetes => {
                "podgroups.scheduling.k8s.io/v1beta1 is not served by this cluster, or may not be read, so \
                 its scheduler cannot place the gang and no pods are created: enable feature gate \
                 GenericWorkload and that API (Kubernetes 1.37 or newer), or take the profile out of \
                 the operator's configuration; if it is served, put the profile into the chart's value \
                 config.scheduler, from which the operator's rights follow"
            }
            Self::KubernetesTree => {
                "compositepodgroups.scheduling.k8s.io/v1alpha3 is not served by this cluster, or may not \
                 be read, so its scheduler cannot place a tree, a gang whose pods have to share a \
                 topology domain, or a gang of several parts of which some have more pods than they \
                 need, and its pods stay gated: enable feature gates CompositePodGroup and \
                 TopologyAwareWorkloadScheduling and that API (Kubernetes 1.37 or newer); or set \
                 gangs: Split, make replicas of each clique equal to minAvailable, and delete the \
                 pods; if it is served, put the profile into the chart's value config.scheduler, from \
                 which the operator's rights follow"
            }
            Self::KaiScheduler | Self::KaiTree => {
                "podgroups.scheduling.run.ai is not served by this cluster, or may not be read, so KAI \
                 Scheduler does not know the gang and its pods stay gated: install KAI Scheduler, or \
                 name another schedulerName; if it is served, put the profile into the chart's value \
                 config.scheduler, from which the operator's rights follow"
            }
        }
    }
}

/// The scheduler of pods that name none.
pub const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// How the pods of templates that name one scheduler are handled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchedulerProfile {
    /// How the scheduler learns of gangs.
    pub backend: Backend,
    /// `schedulerName` of the pods, if it is not the one that the template names.
    pub scheduler_name: Option<String>,
    /// Whether no gang starts unless its set names a queue of Kueue.
    pub requires_queue: bool,
}

impl From<Backend> for SchedulerProfile {
    fn from(backend: Backend) -> Self {
        Self {
            backend,
            ..Self::default()
        }
    }
}

/// Profiles by the `schedulerName` of templates, and whether queues of Kueue are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profiles {
    profiles: BTreeMap<String, SchedulerProfile>,
    is_queueing: bool,
}

impl Profiles {
    /// The profiles of these schedulers.
    pub fn of<P: Into<SchedulerProfile>>(profiles: impl IntoIterator<Item = (String, P)>) -> Self {
        let profiles = profiles.into_iter();
        Self {
            profiles: profiles.map(|(name, p)| (name, p.into())).collect(),
            is_queueing: false,
        }
    }

    /// The same; sets that name a queue of Kueue wait for its quota if this is true.
    #[must_use]
    pub fn with_queueing(self, is_queueing: bool) -> Self {
        Self {
            is_queueing,
            ..self
        }
    }

    /// Whether sets that name a queue of Kueue wait for its quota.
    pub fn is_queueing(&self) -> bool {
        self.is_queueing
    }

    /// The schedulers that have a profile, by name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.profiles.keys().map(String::as_str)
    }

    /// The backend of pods that name this scheduler, or none. A scheduler that is not configured
    /// gets no gangs.
    pub fn backend_of(&self, scheduler_name: Option<&str>) -> Backend {
        let found = self.find(scheduler_name);
        found.map(|profile| profile.backend).unwrap_or_default()
    }

    /// The scheduler that pods name if their template names this one, or none.
    pub fn scheduler_of_pods<'a>(&'a self, scheduler_name: Option<&'a str>) -> Option<&'a str> {
        let found = self.find(scheduler_name);
        let other = found.and_then(|profile| profile.scheduler_name.as_deref());
        other.or(scheduler_name)
    }

    /// Whether sets that name this scheduler, or none, start only with a queue of Kueue.
    pub fn requires_queue(&self, scheduler_name: Option<&str>) -> bool {
        let found = self.find(scheduler_name);
        found.is_some_and(|profile| profile.requires_queue)
    }

    fn find(&self, scheduler_name: Option<&str>) -> Option<&SchedulerProfile> {
        let name = scheduler_name.filter(|name| !name.is_empty());
        self.profiles.get(name.unwrap_or(DEFAULT_SCHEDULER))
    }

    /// Whether gangs have to exist before their pods, without listing any.
    pub fn reads_gangs_first(&self, scheduler_name: Option<&str>) -> bool {
        let backend = self.backend_of(scheduler_name);
        [Backend::KaiPodGrouper, Backend::Volcano].contains(&backend)
    }

    /// Whether the scheduler places the optional gangs of a replica after the required ones by
    /// itself.
    pub fn orders_gangs(&self, scheduler_name: Option<&str>) -> bool {
        let backend = self.backend_of(scheduler_name);
        [Backend::KaiTree, Backend::KubernetesTree].contains(&backend)
    }

    /// Whether any scheduler has this backend.
    pub fn uses(&self, backend: Backend) -> bool {
        self.profiles.values().any(|used| used.backend == backend)
    }

    /// The names by which pods ask for KAI Scheduler, in alphabetical order.
    pub fn kai_schedulers(&self) -> impl Iterator<Item = &str> {
        let all = self.profiles.iter();
        all.filter(|(_, profile)| profile.backend.is_kai())
            .map(|(name, _)| name.as_str())
    }

    /// Whether any scheduler uses PodGroups of Kubernetes' own kind.
    pub fn uses_kubernetes(&self) -> bool {
        let mut used = self.profiles.values();
        used.any(|profile| profile.backend.is_kubernetes())
    }
}
