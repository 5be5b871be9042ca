//! Related objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::object::ownership;
use domain::topology::Levels;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

/// Objects from the cache. A stale view suffices: the definitions refuse most of the same.
pub trait CachedObjects: Send + Sync {
    /// The set of that name.
    fn set(&self, namespace: &str, name: &str) -> Option<Arc<PodCliqueSet>>;
    /// Bytes of the specifications of all other sets of the namespace, as JSON.
    fn bytes_beside(&self, namespace: &str, name: &str) -> i128;
    /// The scaling group of that name.
    fn group(&self, namespace: &str, name: &str) -> Option<Arc<PodCliqueScalingGroup>>;
    /// The PodClique of that name.
    fn podclique(&self, namespace: &str, name: &str) -> Option<Arc<PodClique>>;
    /// The levels of all ClusterTopologyBindings, by name; `None` if it is not known which there
    /// are. Nothing else refuses a set because of them.
    fn topologies(&self) -> Option<BTreeMap<String, Levels>>;
}

/// The set of an object, through its owner references (seed 002).
pub fn find_set(stored: &dyn CachedObjects, meta: &ObjectMeta) -> Option<Arc<PodCliqueSet>> {
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    if let Some(group) = find_controller::<PodCliqueScalingGroup>(meta) {
        let group = stored.group(namespace, group)?;
        let set = find_controller::<PodCliqueSet>(&group.metadata)?;
        return stored.set(namespace, set);
    }
    stored.set(namespace, find_controller::<PodCliqueSet>(meta)?)
}

/// Name of the controller, if it is of that kind: objects of other kinds, or of the same kind in
/// another API group, may be called like a set.
fn find_controller<K: Resource<DynamicType = ()>>(meta: &ObjectMeta) -> Option<&str> {
    let owner = ownership::controller(meta)?;
    let (group, _) = owner.api_version.split_once('/')?;
    let is_it = owner.kind == K::kind(&()) && group == K::group(&());
    is_it.then_some(owner.name.as_str())
}
