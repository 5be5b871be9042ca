//! Schedulers by the names that pods give them.

use std::collections::BTreeMap;

/// How a scheduler is told of gangs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// Not at all: gates keep a gang together until all its pods exist.
    #[default]
    DefaultScheduler,
    /// By a PodGroup `scheduling.run.ai/v2alpha2` for each PodGang.
    KaiScheduler,
}

/// Backends by `schedulerName`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profiles(BTreeMap<String, Backend>);

impl Profiles {
    /// Of these schedulers.
    pub fn of(profiles: impl IntoIterator<Item = (String, Backend)>) -> Self {
        Self(profiles.into_iter().collect())
    }

    /// The backend of pods that name this scheduler, or none. One that is not configured is told
    /// nothing.
    pub fn backend_of(&self, scheduler_name: Option<&str>) -> Backend {
        let found = scheduler_name.and_then(|name| self.0.get(name));
        found.copied().unwrap_or_default()
    }

    /// Whether any scheduler has this backend.
    pub fn uses(&self, backend: Backend) -> bool {
        self.0.values().any(|used| *used == backend)
    }
}
