//! All keys are decided again now and then, whatever was or was not seen: an event that an API
//! server or etcd lost is found out of by nobody, as watches go on from version to version.

use std::time::Duration;

use domain::Key;
use tokio::time::Instant;

use crate::hub::Hub;
use crate::routes::Watched;

/// How often.
const EVERY: Duration = Duration::from_mins(10);

/// When it is time.
pub(crate) struct Resync(Instant);

impl Resync {
    /// The first time is a while from now: at the start everything is decided anyway.
    pub(crate) fn begin() -> Self {
        Self(Instant::now() + EVERY)
    }

    /// Whether it is time, once for each time.
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.0 <= Instant::now();
        if is_due {
            *self = Self::begin();
        }
        is_due
    }
}

impl Hub {
    /// Has every object of the kind looked at. Where all is as it should be, that asks the API
    /// server for nothing.
    pub fn decide_all_again<K: Watched>(&self) {
        let Some(controller) = K::CONTROLLER else {
            return;
        };
        // Whoever held the names of pods that were wanted may be gone.
        self.world.taken_names.forget();
        for object in K::cache(&self.world).all() {
            self.enqueue(controller, Key::of(object.meta()));
        }
    }
}
