//! What else has to be known about an object.

use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet};
use domain::object::ownership;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

/// Objects as they were last seen; a view that lags is good enough: what depends on it, the
/// definitions refuse too.
pub trait Stored: Send + Sync {
    /// The set of that name.
    fn set(&self, namespace: &str, name: &str) -> Option<Arc<PodCliqueSet>>;
    /// The scaling group of that name.
    fn group(&self, namespace: &str, name: &str) -> Option<Arc<PodCliqueScalingGroup>>;
    /// The PodClique of that name.
    fn podclique(&self, namespace: &str, name: &str) -> Option<Arc<PodClique>>;
}

/// The set that an object was made of, through the references to its owners (seed 002).
pub fn find_set(stored: &dyn Stored, meta: &ObjectMeta) -> Option<Arc<PodCliqueSet>> {
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    let owner = ownership::controller(meta)?;
    let set = match owner.kind.as_str() {
        "PodCliqueScalingGroup" => {
            let group = stored.group(namespace, &owner.name)?;
            let of_group = ownership::controller(&group.metadata)?;
            stored.set(namespace, &of_group.name)?
        }
        "PodCliqueSet" => stored.set(namespace, &owner.name)?,
        _ => return None,
    };
    Some(set)
}
