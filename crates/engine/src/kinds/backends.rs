//! The kinds that the backends of schedulers need.

use api::kai::{KaiPodGroup, KaiQueue, KaiTopology};
use api::kueue::{KueueWorkload, ResourceFlavor, WorkloadPriorityClass};
use api::volcano::{VolcanoPodGroup, VolcanoQueue};
use domain::Key;
use domain::scheduling::{Backend, Profiles, UnsupportedFeature};
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};

use super::Kinds;
use crate::caches::Caches;
use crate::caches::watched::Watched;
use crate::context::Context;

impl Caches {
    /// Whether the cluster serves the kinds that this backend writes in this namespace, as far as
    /// is known.
    pub fn serves(&self, backend: Backend, namespace: &str) -> bool {
        match backend {
            Backend::DefaultScheduler | Backend::KaiPodGrouper => true,
            Backend::KaiScheduler | Backend::KaiTree => self.is_served::<KaiPodGroup>(namespace),
            Backend::Volcano => self.is_served::<VolcanoPodGroup>(namespace),
            Backend::Kubernetes => self.is_served::<PodGroup>(namespace),
            Backend::KubernetesTree => {
                self.is_served::<PodGroup>(namespace)
                    && self.is_served::<CompositePodGroup>(namespace)
                    && self.is_served::<Workload>(namespace)
            }
        }
    }

    /// This queue of the backend's scheduler, if it is missing while others exist.
    pub fn find_missing_queue(&self, backend: Backend, name: &str) -> Option<UnsupportedFeature> {
        let is_missing = match backend {
            Backend::Volcano => self.lacks::<VolcanoQueue>(name),
            _ => self.lacks::<KaiQueue>(name),
        };
        is_missing.then(|| UnsupportedFeature::NoQueue(backend, name.to_owned()))
    }

    fn lacks<K: Watched>(&self, name: &str) -> bool {
        self.is_served::<K>("") && self.of::<K>().get(&Key::new("", name)).is_none()
    }
}

impl Kinds {
    /// The table without the kinds of backends that no profile has, and without those of Kueue if its
    /// queues are not used: those kinds are not requested.
    #[must_use]
    pub fn for_profiles(mut self, profiles: &Profiles, context: &Context) -> Self {
        let uses = |backends: &[Backend]| backends.iter().any(|b| profiles.uses(*b));
        let is_kai_told = uses(&[Backend::KaiScheduler, Backend::KaiTree]);
        if !is_kai_told {
            self = self.without::<KaiPodGroup>(context);
        }
        if profiles.kai_schedulers().next().is_none() {
            self = self.without::<KaiQueue>(context);
            self = self.without::<KaiTopology>(context);
        }
        if !uses(&[Backend::Volcano]) {
            self = self.without::<VolcanoPodGroup>(context);
            self = self.without::<VolcanoQueue>(context);
        }
        if !profiles.uses_kubernetes() {
            self = self.without::<PodGroup>(context);
            self = self.without::<CompositePodGroup>(context);
            self = self.without::<Workload>(context);
        }
        if !profiles.is_queueing() {
            self = self.without::<KueueWorkload>(context);
            self = self.without::<ResourceFlavor>(context);
            self = self.without::<WorkloadPriorityClass>(context);
        }
        self
    }
}
