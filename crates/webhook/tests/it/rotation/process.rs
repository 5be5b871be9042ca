//! Processes that serve and sometimes lead, and API servers that call them.

use jiff::Timestamp;
use webhook::certificates::plan::{Pair, Plan, RotationStep};

use super::chance::Chance;
use super::store::{Secret, Store};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// A process of the operator.
pub struct Process {
    /// How far its clock is ahead.
    pub skew: i64,
    /// The version of the Secret that it knows.
    known: usize,
    /// The pair that it serves: the last usable one.
    pub served: Option<Pair>,
    /// The last grace that it began: the written time, and the time of a clock that is never set.
    grace: Option<(Timestamp, i64)>,
}

/// An API server that calls the webhook.
pub struct ApiServer {
    /// How far its clock is ahead.
    pub skew: i64,
    /// The version of each configuration that it knows.
    pub known: [usize; 2],
}

impl Process {
    pub fn new(chance: &mut Chance) -> Self {
        Self {
            skew: chance.skew(5 * MINUTE),
            known: 1,
            served: None,
            grace: None,
        }
    }

    /// Its clock is hours off.
    pub fn lose_time(&mut self, chance: &mut Chance) {
        self.skew = chance.skew(6 * HOUR);
    }

    /// It receives all writes until that time.
    pub fn hear(&mut self, store: &Store, until: i64) {
        self.known = store.secret.version_at(until).max(self.known);
        self.serve(&store.secret.0[self.known - 1].1);
    }

    /// A starting process reads the stored objects, and knows nothing else.
    pub fn restart(&mut self, store: &Store) {
        self.known = store.secret.version();
        (self.served, self.grace) = (None, None);
        self.serve(store.secret.newest());
    }

    fn serve(&mut self, secret: &Secret) {
        if let Some(pair) = &secret.serving {
            self.served = Some(pair.clone());
        }
    }

    /// How long ago it began this grace.
    pub fn grace_began(&self, since: Option<Timestamp>, now: i64) -> Option<i64> {
        let own = self.grace.filter(|(stamp, _)| Some(*stamp) == since);
        own.map(|(_, began)| now - began)
    }

    pub fn remember_grace(&mut self, plan: &Plan, now: i64) {
        let write = plan.secret.as_ref();
        if let Some(write) = write.filter(|write| write.step == RotationStep::BeginGrace) {
            self.grace = write.trusted_since.map(|since| (since, now));
        }
    }
}

impl ApiServer {
    pub fn new(chance: &mut Chance) -> Self {
        Self {
            skew: chance.skew(5 * MINUTE),
            known: [1; 2],
        }
    }
}
