//! The kinds in the caches.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use api::kai::{KaiPodGroup, KaiQueue, KaiTopology};
use api::nvidia::ComputeDomain;
use api::volcano::{VolcanoPodGroup, VolcanoQueue};
use api::{
    ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels,
};
use domain::object::ownership;
use domain::plan::Kind;
use domain::{Claim, Key, Node, Pod, Revision};
use engine::triggers::Triggers;
use engine::{Caches, Change, ControllerName, Watched};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};
use serde_json::Value;

/// The controllers that a shown object triggers.
pub(super) type Triggered = Vec<(ControllerName, Key)>;
type Show = fn(&Caches, &Triggers, &Value) -> serde_json::Result<Triggered>;

/// The cache feed of a kind.
#[derive(Clone, Copy)]
pub(super) struct Feed {
    /// The object exists in this state.
    pub(super) show: Show,
    /// The object was deleted; this was its last state.
    pub(super) hide: Show,
    /// Whether the API server has its definition, with schema and status.
    pub(super) is_custom: bool,
}

impl Feed {
    fn of<K: Watched>(is_custom: bool) -> (Kind, Self) {
        let feed = Self {
            show: show::<K>,
            hide: hide::<K>,
            is_custom,
        };
        (Kind::of::<K>(), feed)
    }
}

/// The feed of a kind; none if no reconciler reads it.
pub(super) fn find_feed(kind: Kind) -> Option<Feed> {
    static FEEDS: LazyLock<BTreeMap<Kind, Feed>> = LazyLock::new(all);
    FEEDS.get(&kind).copied()
}

fn all() -> BTreeMap<Kind, Feed> {
    BTreeMap::from([
        Feed::of::<PodCliqueSet>(true),
        Feed::of::<PodCliqueScalingGroup>(true),
        Feed::of::<PodClique>(true),
        Feed::of::<PodGang>(true),
        Feed::of::<Pod>(false),
        Feed::of::<Service>(false),
        Feed::of::<HorizontalPodAutoscaler>(false),
        Feed::of::<Revision>(false),
        Feed::of::<Claim>(false),
        Feed::of::<ResourceClaimTemplate>(false),
        Feed::of::<ComputeDomain>(false),
        Feed::of::<Node>(false),
        Feed::of::<ClusterTopologyBinding>(false),
        Feed::of::<KaiPodGroup>(false),
        Feed::of::<KaiQueue>(false),
        Feed::of::<KaiTopology>(false),
        Feed::of::<VolcanoPodGroup>(false),
        Feed::of::<VolcanoQueue>(false),
        Feed::of::<PodGroup>(false),
        Feed::of::<CompositePodGroup>(false),
        Feed::of::<Workload>(false),
    ])
}

fn show<K: Watched>(
    caches: &Caches,
    triggers: &Triggers,
    object: &Value,
) -> serde_json::Result<Triggered> {
    let shown = K::deserialize(object)?;
    let is_ours = ownership::label(shown.meta(), labels::MANAGED_BY) == Some(labels::MANAGER);
    if K::SELECTION.is_by_label() && !is_ours {
        return Ok(Triggered::new());
    }
    Ok(tell(caches.of::<K>().apply(shown), caches, triggers))
}

fn hide<K: Watched>(
    caches: &Caches,
    triggers: &Triggers,
    object: &Value,
) -> serde_json::Result<Triggered> {
    let last = K::deserialize(object)?;
    let change = caches.of::<K>().delete(last.meta());
    Ok(tell(change, caches, triggers))
}

fn tell<K: Watched>(change: Option<Change<K>>, caches: &Caches, triggers: &Triggers) -> Triggered {
    let Some(change) = change else {
        return Triggered::new();
    };
    K::remember(&change, caches);
    triggers.after(&change, caches)
}
