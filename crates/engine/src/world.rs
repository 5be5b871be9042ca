//! Everything that is known of the cluster, as controllers read it.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang};
use domain::{Pod, ownership};
use k8s_openapi::api::core::v1::{Service, ServiceAccount};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};

use crate::cache::Cache;

/// One cache per kind.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct World {
    pub podcliquesets: Cache<PodCliqueSet>,
    pub scaling_groups: Cache<PodCliqueScalingGroup>,
    pub podcliques: Cache<PodClique>,
    pub podgangs: Cache<PodGang>,
    pub pods: Cache<Pod>,
    pub services: Cache<Service>,
    pub service_accounts: Cache<ServiceAccount>,
    pub roles: Cache<Role>,
    pub role_bindings: Cache<RoleBinding>,
    pub tombstones: Tombstones,
}

/// The last holder of each pod slot that is gone: its uid goes into the successor's name, so a
/// terminating pod never blocks the name.
#[derive(Debug, Default)]
pub struct Tombstones(RwLock<HashMap<String, HashMap<i32, String>>>);

impl Tombstones {
    /// The pod is gone.
    pub fn bury(&self, pod: &Pod) {
        let (Some(owner), Some(index)) = (ownership::controller(&pod.metadata), pod.index()) else {
            return;
        };
        let mut graves = self.0.write().unwrap_or_else(PoisonError::into_inner);
        graves
            .entry(owner.uid.clone())
            .or_default()
            .insert(index, pod.uid().to_owned());
    }

    /// Uids of the last holders of the slots of a PodClique, by index.
    pub fn of(&self, podclique_uid: &str) -> HashMap<i32, String> {
        let graves = self.0.read().unwrap_or_else(PoisonError::into_inner);
        graves.get(podclique_uid).cloned().unwrap_or_default()
    }

    /// The PodClique is gone.
    pub fn clear(&self, podclique_uid: &str) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(podclique_uid);
    }
}
