//! The views of the operator's watches: each kind lags separately.

use engine::caches::watched::Selection;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use api::kai::KaiTopology;
use api::kueue::KueueWorkload;
use api::nvidia::ComputeDomain;
use api::{
    ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels,
};
use domain::{Claim, Key, Node, Pod, Revision};
use engine::Watched;
use engine::scope::Scope;
use engine::{Context, informer};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;
use sim::check::Horizon;
use sim::store::{Record, Stored};
use sim::{Id, Resource, Store, view};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::sabotage::{Sabotage, misread, revoke_deletion};

/// The watched kinds: behind those that all seeds have those of the cluster, then claims, then
/// ComputeDomains, then those of queues, then those for Kubernetes' scheduler.
pub const KINDS: [Resource; 18] = [
    Resource::PodCliqueSet,
    Resource::PodCliqueScalingGroup,
    Resource::PodClique,
    Resource::PodGang,
    Resource::Pod,
    Resource::Service,
    Resource::HorizontalPodAutoscaler,
    Resource::ControllerRevision,
    Resource::Node,
    Resource::ClusterTopologyBinding,
    Resource::KaiTopology,
    Resource::ResourceClaim,
    Resource::ComputeDomain,
    Resource::ResourceClaimTemplate,
    Resource::KueueWorkload,
    Resource::PodGroup,
    Resource::CompositePodGroup,
    Resource::Workload,
];

/// How many of them all seeds have.
pub const IN_ALL: usize = 8;

/// How many of them seeds have that have a topology, and no claims.
pub const WITH_TOPOLOGY: usize = 11;

/// How many of them seeds have that have claims, and no ComputeDomains.
pub const WITH_CLAIMS: usize = 12;

/// How many of them seeds have that have ComputeDomains, and no queue.
pub const WITH_DOMAINS: usize = 14;

/// How many of them seeds have whose set names a queue, unless its scheduler gets PodGroups.
pub const WITH_QUEUE: usize = 15;

macro_rules! by_kind {
    ($resource:expr, $f:ident ( $($arg:expr),* )) => {
        match $resource {
            Resource::PodCliqueSet => $f::<PodCliqueSet>($($arg),*),
            Resource::PodCliqueScalingGroup => $f::<PodCliqueScalingGroup>($($arg),*),
            Resource::PodClique => $f::<PodClique>($($arg),*),
            Resource::PodGang => $f::<PodGang>($($arg),*),
            Resource::Pod => $f::<Pod>($($arg),*),
            Resource::Service => $f::<Service>($($arg),*),
            Resource::HorizontalPodAutoscaler => $f::<HorizontalPodAutoscaler>($($arg),*),
            Resource::ControllerRevision => $f::<Revision>($($arg),*),
            Resource::Node => $f::<Node>($($arg),*),
            Resource::ClusterTopologyBinding => $f::<ClusterTopologyBinding>($($arg),*),
            Resource::KaiTopology => $f::<KaiTopology>($($arg),*),
            Resource::ResourceClaim => $f::<Claim>($($arg),*),
            Resource::ComputeDomain => $f::<ComputeDomain>($($arg),*),
            Resource::ResourceClaimTemplate => $f::<ResourceClaimTemplate>($($arg),*),
            Resource::KueueWorkload => $f::<KueueWorkload>($($arg),*),
            Resource::PodGroup => $f::<PodGroup>($($arg),*),
            Resource::CompositePodGroup => $f::<CompositePodGroup>($($arg),*),
            Resource::Workload => $f::<Workload>($($arg),*),
            Resource::KaiPodGroup
            | Resource::VolcanoPodGroup
            | Resource::ResourceFlavor
            | Resource::Event => unreachable!("not watched"),
        }
    };
}

#[derive(Default)]
struct View {
    /// Position in the log.
    at: usize,
    listing: Option<Vec<Stored>>,
    is_listing: bool,
    /// The view shows nothing before this time.
    held_until: Option<Instant>,
}

/// All views.
pub struct Views {
    by_kind: BTreeMap<Resource, View>,
    sabotage: Option<Sabotage>,
}

impl Views {
    /// Views of a new operator: each kind is listed once.
    pub fn new(store: &Store, context: &Context, sabotage: Option<Sabotage>) -> Self {
        let mut views = Self {
            by_kind: KINDS.iter().map(|k| (*k, View::default())).collect(),
            sabotage,
        };
        for kind in KINDS {
            for _ in 0..3 {
                views.relist(kind, store, context);
            }
            by_kind!(kind, find_strays(context, store, kind));
        }
        views
    }

    /// How much of each kind has been seen.
    pub fn horizon(&self) -> Horizon {
        let mut horizon = Horizon::default();
        for (kind, view) in &self.by_kind {
            horizon.set(*kind, view.at);
        }
        horizon
    }

    /// How much of a kind has been seen.
    pub fn position(&self, kind: Resource) -> usize {
        self.by_kind[&kind].at
    }

    /// Whether a full list is under way.
    pub fn is_listing(&self, kind: Resource) -> bool {
        self.by_kind[&kind].is_listing
    }

    /// The watch of a kind shows nothing for a while.
    pub fn hold(&mut self, kind: Resource, time: Duration) {
        let view = self.by_kind.get_mut(&kind).unwrap();
        view.held_until = Some(Instant::now() + time);
    }

    /// All watches show their events again.
    pub fn release(&mut self) {
        for view in self.by_kind.values_mut() {
            view.held_until = None;
        }
    }

    /// Kinds with unseen events.
    pub fn behind(&mut self, store: &Store) -> Vec<Resource> {
        let mut behind = Vec::new();
        let now = Instant::now();
        for (kind, view) in &mut self.by_kind {
            if view.held_until.is_some_and(|until| until > now) {
                continue;
            }
            if view.is_listing {
                behind.push(*kind);
                continue;
            }
            // Records of other kinds are skipped.
            while store
                .log
                .get(view.at)
                .is_some_and(|r| r.id.resource != *kind)
            {
                view.at += 1;
            }
            if view.at < store.log.len() {
                behind.push(*kind);
            }
        }
        behind
    }

    /// One event, or the next part of a full list.
    pub fn advance(&mut self, kind: Resource, store: &Store, context: &Context) {
        let view = self.by_kind.get_mut(&kind).unwrap();
        if view.is_listing {
            return self.relist(kind, store, context);
        }
        let Some(record) = store.log.get(view.at) else {
            return;
        };
        view.at += 1;
        let is_deaf = self.sabotage == Some(Sabotage::DeafToDeletions) && kind == Resource::Pod;
        if record.id.resource == kind && !(is_deaf && record.after.is_none()) {
            by_kind!(kind, show(context, record, self.sabotage));
        }
    }

    /// A full list in three parts: its begin, its creation, its arrival.
    pub fn relist(&mut self, kind: Resource, store: &Store, context: &Context) {
        let view = self.by_kind.get_mut(&kind).unwrap();
        let is_noticed_late = self.sabotage == Some(Sabotage::OldListWins);
        let is_end = view.listing.is_some();
        if !view.is_listing || (is_end && is_noticed_late) {
            by_kind!(kind, begin(context));
        }
        if !view.is_listing {
            view.is_listing = true;
        } else if let Some(items) = view.listing.take() {
            view.is_listing = false;
            let with_diff = self.sabotage != Some(Sabotage::NoRelistDiff);
            by_kind!(kind, end(context, &items, with_diff, self.sabotage));
        } else {
            view.listing = Some(store.all(kind).map(|(_, o)| o.clone()).collect());
            view.at = store.log.len();
        }
    }
}

fn decode<K: Watched>(object: &Value) -> K {
    K::deserialize(object).expect("stored objects can be decoded")
}

fn is_shown<K: Watched>(object: Option<&Stored>) -> bool {
    object.is_some_and(|o| {
        !K::SELECTION.is_by_label() || view::label(o, labels::MANAGED_BY) == labels::MANAGER
    })
}

fn show<K: Watched>(context: &Context, record: &Record, sabotage: Option<Sabotage>) {
    let cache = context.caches.of::<K>();
    if is_shown::<K>(record.after.as_ref()) {
        let shown: K = decode(&misread(sabotage, &record.last));
        revoke_deletion(sabotage, &cache, &shown);
        context.show(shown);
    } else if is_shown::<K>(record.before.as_ref()) {
        context.publish(cache.delete(decode::<K>(&end_of(record)).meta()));
    }
}

/// The watch event of a deleted object, or of an object that left the selector, with its last
/// state.
fn end_of(record: &Record) -> Value {
    let mut last = (*record.last).clone();
    if let (Some(before), Some(_)) = (&record.before, &record.after) {
        last = (**before).clone();
        last["metadata"]["resourceVersion"] = record.version.to_string().into();
    }
    last
}

fn begin<K: Watched>(context: &Context) {
    context.caches.of::<K>().begin_list(&Scope::Cluster);
}

fn end<K: Watched>(
    context: &Context,
    items: &[Stored],
    with_diff: bool,
    sabotage: Option<Sabotage>,
) {
    let cache = context.caches.of::<K>();
    for item in items.iter().filter(|o| is_shown::<K>(Some(*o))) {
        let item = decode(&misread(sabotage, item));
        if with_diff {
            cache.list_item(&Scope::Cluster, item);
        } else {
            context.publish(cache.apply(item));
        }
    }
    if with_diff {
        for change in cache.end_list(&Scope::Cluster) {
            context.publish(Some(change));
        }
        context.publish::<K>(None);
    }
}

/// The engine's requests after a full list.
fn find_strays<K: Watched>(context: &Context, store: &Store, kind: Resource) {
    let Selection::Managed { fallback_selector } = K::SELECTION else {
        return;
    };
    let (key, value) = match fallback_selector.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (fallback_selector, None),
    };
    let is_stray = |o: &Value| {
        let found = view::label(o, key);
        value.map_or(!found.is_empty(), |value| found == value)
            && view::label(o, labels::MANAGED_BY) != labels::MANAGER
    };
    for (_, stray) in store.all(kind).filter(|(_, o)| is_stray(o)) {
        informer::found_unlabelled::<K>(context, decode(stray));
    }
}

/// Versions of all shown objects of a kind, by uid, and whether they are shown terminating.
pub fn versions(context: &Context, kind: Resource) -> HashMap<String, (u64, bool)> {
    by_kind!(kind, versions_of(context))
}

fn versions_of<K: Watched>(context: &Context) -> HashMap<String, (u64, bool)> {
    let all = context.caches.of::<K>().all();
    let version = |meta: &ObjectMeta| {
        let version = meta.resource_version.as_deref().unwrap_or_default();
        let is_going = meta.deletion_timestamp.is_some();
        (
            meta.uid.clone().unwrap(),
            (version.parse().unwrap(), is_going),
        )
    };
    all.iter().map(|object| version(object.meta())).collect()
}

/// The version of the shown object with this uid.
pub fn version_of(context: &Context, id: &Id, uid: &str) -> Option<u64> {
    by_kind!(id.resource, version_in(context, id, uid))
}

fn version_in<K: Watched>(context: &Context, id: &Id, uid: &str) -> Option<u64> {
    let shown = context
        .caches
        .of::<K>()
        .get(&Key::new(&id.namespace, &id.name))?;
    let meta = shown.meta();
    let is_it = meta.uid.as_deref() == Some(uid);
    let version = meta.resource_version.as_ref().filter(|_| is_it)?;
    version.parse().ok()
}

/// Objects that the operator has to read live.
pub fn expired(context: &Context) -> Vec<(Resource, Key)> {
    let mut all = Vec::new();
    for kind in KINDS {
        let mut keys = by_kind!(kind, overdue_of(context));
        keys.sort();
        all.extend(keys.into_iter().map(|key| (kind, key)));
    }
    all
}

fn overdue_of<K: Watched>(context: &Context) -> Vec<Key> {
    context.caches.of::<K>().expired()
}

/// Reads an object live.
pub fn read_live(kind: Resource, context: Arc<Context>, key: Key) -> JoinHandle<()> {
    by_kind!(kind, refresh(context, key))
}

fn refresh<K: Watched>(context: Arc<Context>, key: Key) -> JoinHandle<()> {
    tokio::spawn(async move {
        context.read_live::<K>(&key).await;
    })
}
