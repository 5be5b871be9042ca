//! The table of kinds: everything that the operator reads or writes is declared here, once.
//!
//! A new kind is an entry in [`Kinds::all`] and an `impl Watched` below; the `triggers` of the
//! reconcilers that read it declare which objects it triggers. Its cache, its watches and the
//! writes that plans ask for follow from the type.

mod any;
mod backends;
mod network;
mod workload;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use api::kai::{KaiPodGroup, KaiQueue, KaiTopology};
use api::kueue::{KueueWorkload, ResourceFlavor, WorkloadPriorityClass};
use api::nvidia::ComputeDomain;
use api::volcano::{VolcanoPodGroup, VolcanoQueue};
use api::{
    ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels,
};
use domain::object::ownership;
use domain::plan::Kind;
use domain::{Claim, Node, Pod, Revision};
use futures::future::BoxFuture;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};
use kube::Client;

use crate::cache::Change;
use crate::caches::watched::{Selection, Watched};
use crate::caches::{Caches, Gap};
use crate::context::Context;
use crate::requests::RequestError;
use crate::scope::Scope;
pub(crate) use any::AnyKind;
use any::Typed;

/// Kinds by name.
pub struct Kinds(BTreeMap<Kind, Box<dyn AnyKind>>);

impl Kinds {
    /// All kinds of the operator.
    pub fn all() -> Self {
        Self::none()
            .with::<PodCliqueSet>()
            .with::<PodCliqueScalingGroup>()
            .with::<PodClique>()
            .with::<PodGang>()
            .with::<Pod>()
            .with::<Service>()
            .with::<HorizontalPodAutoscaler>()
            .with::<Revision>()
            .with::<Claim>()
            .with::<ResourceClaimTemplate>()
            .with::<ComputeDomain>()
            .with::<Node>()
            .with::<ClusterTopologyBinding>()
            .with::<KaiPodGroup>()
            .with::<KaiQueue>()
            .with::<KaiTopology>()
            .with::<VolcanoPodGroup>()
            .with::<VolcanoQueue>()
            .with::<PodGroup>()
            .with::<CompositePodGroup>()
            .with::<Workload>()
            .with::<KueueWorkload>()
            .with::<ResourceFlavor>()
            .with::<WorkloadPriorityClass>()
    }

    /// An empty table.
    pub fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// The table with one more kind.
    #[must_use]
    pub fn with<K: Watched>(mut self) -> Self {
        self.0.insert(Kind::of::<K>(), Box::new(Typed::<K>::NEW));
        self
    }

    /// The table without a kind that this operator does not use: the operator does not request it,
    /// and it counts as not served.
    fn without<K: Watched>(mut self, context: &Context) -> Self {
        context.caches.open_gap::<K>(&Scope::Cluster, Gap::Absent);
        self.0.remove(&Kind::of::<K>());
        self
    }

    /// Announces that all of them will be watched, and returns the tasks that watch each, for ever.
    pub fn watches(
        &self,
        context: &Arc<Context>,
        client: &Client,
    ) -> Vec<(Kind, BoxFuture<'static, ()>)> {
        self.0.values().for_each(|kind| kind.expect(context));
        self.0
            .values()
            .map(|kind| (kind.kind(), kind.watch(context.clone(), client.clone())))
            .collect()
    }
}

/// The operations on objects of a kind.
pub(crate) fn find_kind(kind: Kind) -> Result<&'static dyn AnyKind, RequestError> {
    static ALL: LazyLock<Kinds> = LazyLock::new(Kinds::all);
    let found = ALL.0.get(&kind).map(AsRef::as_ref);
    found.ok_or_else(|| RequestError::Refused {
        code: 400,
        message: format!("kind {kind} is not in the table of kinds"),
    })
}

impl std::fmt::Debug for Kinds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

// Kinds that only this operator writes are watched whole: a stripped label must not hide an object
// while it is deleted.

impl Watched for PodCliqueSet {
    fn notice(shown: &Self, caches: &Caches) {
        caches.orphaning.note(&shown.metadata);
    }

    fn remember(change: &Change<Self>, caches: &Caches) {
        if let Some(gone) = change.gone() {
            caches.orphaning.forget(ownership::uid(&gone.metadata));
            caches.check_answers.clear(ownership::uid(&gone.metadata));
        }
        if let Some(set) = &change.new {
            caches.orphaning.note(&set.metadata);
        }
    }
}

impl Watched for PodCliqueScalingGroup {}

impl Watched for PodClique {
    fn remember(change: &Change<Self>, caches: &Caches) {
        if let Some(gone) = change.gone() {
            caches.slot_history.clear(ownership::uid(&gone.metadata));
            caches.taken_names.clear(ownership::uid(&gone.metadata));
        }
    }
}

impl Watched for PodGang {
    fn remember(change: &Change<Self>, caches: &Caches) {
        if let Some(gone) = change.gone() {
            caches.placements.clear(ownership::uid(&gone.metadata));
            caches.rooms.clear(ownership::uid(&gone.metadata));
        }
    }
}

impl Watched for Pod {
    const SELECTION: Selection = Selection::Managed {
        fallback_selector: labels::POD_CLIQUE,
    };

    /// Kubelets also write status fields that are not decoded here. An object that waits for
    /// another version of the pod is triggered by its own timer.
    fn says_the_same(old: &Self, new: &Self) -> bool {
        let (before, after) = (&old.metadata, &new.metadata);
        before.uid == after.uid
            && before.deletion_timestamp == after.deletion_timestamp
            && before.deletion_grace_period_seconds == after.deletion_grace_period_seconds
            && before.labels == after.labels
            && before.annotations == after.annotations
            && before.owner_references == after.owner_references
            && before.finalizers == after.finalizers
            && old.spec == new.spec
            && old.status == new.status
    }

    /// The slot's next holder gets a name of its own. A PodClique that is gone gets no history:
    /// nothing would ever clear it.
    fn remember(change: &Change<Self>, caches: &Caches) {
        let is_known = |pod: &Self| {
            let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
            let owner = ownership::controller(&pod.metadata);
            owner.is_some_and(|owner| caches.knows(owner, namespace))
        };
        if let Some(gone) = change.gone().filter(|pod| is_known(pod)) {
            caches.slot_history.insert(gone);
        }
    }
}

impl Watched for Service {
    const SELECTION: Selection = Selection::Managed {
        fallback_selector: labels::PCS_REPLICA_INDEX,
    };
}

impl Watched for HorizontalPodAutoscaler {
    const SELECTION: Selection = Selection::Managed {
        fallback_selector: labels::AUTOSCALER_SELECTOR,
    };
}

/// An operator that an older chart installed has no right on them: then the newest templates are in
/// force everywhere.
impl Watched for Revision {
    const SELECTION: Selection = Selection::Managed {
        fallback_selector: labels::REVISION_SELECTOR,
    };
    const IS_OPTIONAL: bool = true;
}

// Kubernetes serves resource claims from 1.34 on.

impl Watched for Claim {
    const SELECTION: Selection = Selection::Managed {
        fallback_selector: labels::CLAIM_SELECTOR,
    };
    const IS_OPTIONAL: bool = true;

    /// Its status changes with every pod that uses it, and Kubernetes sets a finalizer then.
    fn says_the_same(old: &Self, new: &Self) -> bool {
        let (before, after) = (&old.metadata, &new.metadata);
        before.uid == after.uid
            && before.deletion_timestamp == after.deletion_timestamp
            && before.labels == after.labels
            && before.owner_references == after.owner_references
    }
}

impl Watched for ResourceClaimTemplate {
    const IS_OPTIONAL: bool = true;
}

// The cluster may have no GPUs that NVLink connects over nodes.

impl Watched for ComputeDomain {
    const SELECTION: Selection = Selection::Managed {
        fallback_selector: labels::COMPUTE_DOMAIN_SELECTOR,
    };
    const IS_OPTIONAL: bool = true;

    /// The driver notes addresses of nodes and the like in its status.
    fn says_the_same(old: &Self, new: &Self) -> bool {
        let (before, after) = (&old.metadata, &new.metadata);
        before.uid == after.uid
            && before.deletion_timestamp == after.deletion_timestamp
            && before.labels == after.labels
            && before.finalizers == after.finalizers
            && before.owner_references == after.owner_references
            && old.status == new.status
    }
}

// The cluster's scheduler may be a different one.

const POD_GROUPS: Selection = Selection::Managed {
    fallback_selector: "app.kubernetes.io/component=podgroup",
};

impl Watched for KaiPodGroup {
    const SELECTION: Selection = POD_GROUPS;
    const IS_OPTIONAL: bool = true;
}

impl Watched for VolcanoPodGroup {
    const SELECTION: Selection = POD_GROUPS;
    const IS_OPTIONAL: bool = true;
}

impl Watched for PodGroup {
    const SELECTION: Selection = POD_GROUPS;
    const IS_OPTIONAL: bool = true;
}

impl Watched for CompositePodGroup {
    const SELECTION: Selection = POD_GROUPS;
    const IS_OPTIONAL: bool = true;
}

impl Watched for Workload {
    const SELECTION: Selection = POD_GROUPS;
    const IS_OPTIONAL: bool = true;
}

// An operator of some namespaces only may have no right on objects of the cluster. They are read
// for topology constraints and the placement score, and to report queues that do not exist.

impl Watched for Node {
    const IS_OPTIONAL: bool = true;
}

impl Watched for ClusterTopologyBinding {
    const IS_OPTIONAL: bool = true;
}

impl Watched for KaiQueue {
    const IS_OPTIONAL: bool = true;
}

impl Watched for KaiTopology {
    const IS_OPTIONAL: bool = true;
}

impl Watched for VolcanoQueue {
    const IS_OPTIONAL: bool = true;
}

// Kueue may be missing, or its queues not be used.

impl Watched for KueueWorkload {
    const SELECTION: Selection = Selection::Managed {
        fallback_selector: "app.kubernetes.io/component=kueue-workload",
    };
    const IS_OPTIONAL: bool = true;
}

impl Watched for ResourceFlavor {
    const IS_OPTIONAL: bool = true;
}

impl Watched for WorkloadPriorityClass {
    const IS_OPTIONAL: bool = true;
}
