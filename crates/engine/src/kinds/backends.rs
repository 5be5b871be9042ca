//! Which kinds the backends of schedulers need.

use api::kai::KaiPodGroup;
use api::volcano::VolcanoPodGroup;
use domain::scheduling::{Backend, Profiles};

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
        }
    }
}

impl Kinds {
    /// The table without the kinds of backends that no profile has: nobody asks for them.
    #[must_use]
    pub fn for_profiles(mut self, profiles: &Profiles, context: &Context) -> Self {
        if ![Backend::KaiScheduler, Backend::KaiTree]
            .iter()
            .any(|b| profiles.uses(*b))
        {
            self = self.without::<KaiPodGroup>(context);
        }
        if !profiles.uses(Backend::Volcano) {
            self = self.without::<VolcanoPodGroup>(context);
        }
        self
    }
}
