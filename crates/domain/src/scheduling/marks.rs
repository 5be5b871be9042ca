//! Marks belong to the gang: a new pod gets the marks of the pods that stay, even if the
//! configuration has changed since (decision 135).

use std::sync::Arc;

use api::kai::keys as kai;
use api::labels;
use api::volcano::keys as volcano;

use super::{Backend, Profiles};
use crate::object::ownership;
use crate::object::pod::Pod;

/// The scheduler of a gang, and the backend that serves it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GangScheduler {
    /// `schedulerName` of its pods, if the template names another one: the pods were there before, or
    /// the profile says so.
    pub name_in_pods: Option<String>,
    /// The backend that passes the gang to the scheduler.
    pub backend: Backend,
}

/// One staying pod of the gang and one of its base gang; none if the gang starts without pods.
#[derive(Clone, Copy, Debug, Default)]
pub struct Peers<'a> {
    /// Of the gang itself.
    pub own: Option<&'a Pod>,
    /// Of the base gang of its replica, if it is a scaled gang: one tree has all gangs of a replica.
    pub of_base: Option<&'a Pod>,
}

impl GangScheduler {
    /// The scheduler that the peers show; without peers the configured backend of the named
    /// scheduler.
    pub fn of(profiles: &Profiles, named: Option<&str>, peers: Peers<'_>) -> Self {
        let wanted = profiles.scheduler_of_pods(named);
        let counts = |peer: &&Pod| peer.is_scheduled() || peer.names_scheduler(wanted);
        let own = peers.own.filter(counts);
        let other = own.filter(|peer| !peer.names_scheduler(wanted));
        let name_before = other.map(Pod::scheduler_name);
        let configured = profiles.backend_of(name_before.or(named));
        let backend = match (own, peers.of_base.filter(counts)) {
            (Some(own), _) => Marks::of(own).keep(configured),
            (None, Some(base)) if base.names_scheduler(wanted) => Marks::of(base).lead(configured),
            // All gangs of a tree have the same scheduler.
            (None, Some(_)) => configured.without_tree(),
            (None, None) => configured,
        };
        let in_pods = name_before.or(wanted).filter(|name| Some(*name) != named);
        Self {
            name_in_pods: in_pods.map(str::to_owned),
            backend,
        }
    }
}

/// The pod that shows the marks of these pods: a pod with a node before a waiting one, and a pod
/// whose marks are certainly of a tree, or certainly not, before an ambiguous one.
pub fn find_peer<'a>(pods: impl Iterator<Item = &'a Arc<Pod>>) -> Option<&'a Arc<Pod>> {
    let rank = |pod: &Pod| (pod.is_scheduled(), Marks::of(pod) != Marks::KaiOfEither);
    let mut best = None;
    for pod in pods.filter(|pod| !pod.is_terminating()) {
        let found = rank(pod);
        if found == (true, true) {
            return Some(pod);
        }
        best = best
            .filter(|(_, rank)| *rank >= found)
            .or(Some((pod, found)));
    }
    best.map(|(pod, _)| pod)
}

/// Whether an annotation of this key is a mark.
pub fn is_mark(key: &str) -> bool {
    let marks = [
        kai::SKIP_POD_GROUPER,
        kai::POD_GROUP,
        volcano::GROUP_NAME,
        volcano::VOLCANO_GROUP_NAME,
    ];
    marks.contains(&key)
}

/// Whether the pod has its place in KAI Scheduler's tree of its replica.
pub fn is_of_tree(pod: &Pod) -> bool {
    matches!(Marks::of(pod), Marks::KaiTree | Marks::KaiOfEither)
}

/// The marks of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marks {
    None,
    Kai,
    KaiTree,
    /// KAI's, of a part that has the same name in a tree and outside of it.
    KaiOfEither,
    Volcano,
    Kubernetes,
}

impl Marks {
    fn of(pod: &Pod) -> Self {
        let bears = |key| ownership::annotation(&pod.metadata, key).is_some();
        if bears(kai::SKIP_POD_GROUPER) && bears(kai::POD_GROUP) {
            Self::of_kai(pod)
        } else if bears(volcano::VOLCANO_GROUP_NAME) || bears(volcano::GROUP_NAME) {
            Self::Volcano
        } else if pod.pod_group().is_some() {
            Self::Kubernetes
        } else {
            Self::None
        }
    }

    fn of_kai(pod: &Pod) -> Self {
        let label = |key| ownership::label(&pod.metadata, key);
        if label(labels::KAI_SUBGROUP) != label(labels::POD_CLIQUE) {
            Self::KaiTree
        } else if label(labels::SCALING_GROUP).is_none() {
            Self::KaiOfEither
        } else {
            Self::Kai
        }
    }

    /// The backend of a gang that has such pods.
    fn keep(self, configured: Backend) -> Backend {
        match self {
            Self::KaiTree => Backend::KaiTree,
            Self::KaiOfEither if configured == Backend::KaiTree => Backend::KaiTree,
            Self::Kai | Self::KaiOfEither => Backend::KaiScheduler,
            Self::Volcano => Backend::Volcano,
            Self::Kubernetes if !configured.is_kubernetes() => Backend::Kubernetes,
            Self::None if configured.marks_pods() => Backend::DefaultScheduler,
            Self::Kubernetes | Self::None => configured,
        }
    }

    /// The backend of a gang without pods whose base gang has such pods: a tree never has half a
    /// replica.
    fn lead(self, configured: Backend) -> Backend {
        match (self, configured) {
            (Self::KaiTree, _) => Backend::KaiTree,
            (Self::KaiOfEither, _) | (_, Backend::DefaultScheduler) => configured,
            (_, Backend::KaiTree) => Backend::KaiScheduler,
            _ => configured,
        }
    }
}
