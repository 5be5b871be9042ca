//! Which kinds the backends of schedulers need.

use api::kai::KaiPodGroup;
use api::volcano::VolcanoPodGroup;
use domain::scheduling::{Backend, Profiles};
use k8s_openapi::api::scheduling::v1alpha3::CompositePodGroup;
use k8s_openapi::api::scheduling::v1beta1::{PodGroup, Workload};

use super::Kinds;
use crate::caches::Caches;
use crate::context::Context;

impl Caches {
    /// Whether the cluster serves what this backend writes, as far as is known.
    pub fn serves(&self, backend: Backend) -> bool {
        match backend {
            Backend::DefaultScheduler | Backend::KaiPodGrouper => true,
            Backend::KaiScheduler | Backend::KaiTree => self.is_served::<KaiPodGroup>(),
            Backend::Volcano => self.is_served::<VolcanoPodGroup>(),
            Backend::Kubernetes => self.is_served::<PodGroup>(),
            Backend::KubernetesTree => {
                self.is_served::<PodGroup>()
                    && self.is_served::<CompositePodGroup>()
                    && self.is_served::<Workload>()
            }
        }
    }
}

impl Kinds {
    /// The table without the kinds of backends that no profile has: nobody asks for them.
    #[must_use]
    pub fn for_profiles(mut self, profiles: &Profiles, context: &Context) -> Self {
        let uses = |backends: &[Backend]| backends.iter().any(|b| profiles.uses(*b));
        if !uses(&[Backend::KaiScheduler, Backend::KaiTree]) {
            self = self.without::<KaiPodGroup>(context);
        }
        if !uses(&[Backend::Volcano]) {
            self = self.without::<VolcanoPodGroup>(context);
        }
        if !uses(&[Backend::Kubernetes, Backend::KubernetesTree]) {
            self = self.without::<PodGroup>(context);
            self = self.without::<CompositePodGroup>(context);
            self = self.without::<Workload>(context);
        }
        self
    }
}
