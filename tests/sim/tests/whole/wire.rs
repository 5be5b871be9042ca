//! What lies between operators and the API server: it knows each write, lets one go wrong, and has
//! all of them checked.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use sim::check::{Checker, Horizon, Violation};
use sim::service::{Reply, Server};
use sim::store::Call;
use sim::story::Notes;
use sim::{Answer, check};

use crate::fault::{Fault, Signature, Write};

/// A fault and the write that it hits.
pub type Hit = (Signature, Fault);

/// A decision is carried out within this, if nothing holds it up.
const LAG: Duration = Duration::from_secs(1);

/// The way to one API server.
pub struct Wire {
    /// The API server.
    pub server: Server,
    state: Mutex<State>,
}

/// What has gone over the wire.
#[derive(Default)]
pub struct State {
    /// Writes since the scenario began, in order.
    pub writes: Vec<Signature>,
    /// What is to go wrong and has not yet.
    pub plan: Option<Hit>,
    /// Folds the log of the store.
    pub checker: Checker,
    /// The first invariant that was broken.
    pub violation: Option<Violation>,
    /// What the log does not show.
    pub notes: Notes,
    counts: BTreeMap<Write, usize>,
    has_begun: bool,
    lag: Duration,
}

impl Wire {
    /// Nothing has gone over it.
    pub fn new(server: Server, checker: Checker) -> Self {
        let state = State {
            checker,
            lag: LAG,
            ..State::default()
        };
        Self {
            server,
            state: Mutex::new(state),
        }
    }

    /// From now on writes are numbered, and one may go wrong.
    pub fn begin(&self, plan: Option<Hit>) {
        let mut state = self.state();
        state.has_begun = true;
        state.lag = match &plan {
            // A write that is held up holds up those that follow from the same decision.
            Some((_, Fault::Hang)) => Duration::from_secs(45),
            Some((_, Fault::Throttled)) => Duration::from_secs(5),
            _ => LAG,
        };
        state.plan = plan;
    }

    /// What has gone over it.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Notes what the log does not show.
    pub fn note(&self, text: String) {
        let length = self.server.with_store(|store| store.log.len());
        self.state().notes.push((length, text));
    }

    /// An operator starts, and remembers nothing.
    pub fn restarted(&self) {
        let mut state = self.state();
        self.server
            .with_store(|store| state.checker.restarted(store));
    }

    /// Numbers the write and says what goes wrong with it.
    pub fn fault_of(&self, call: &Call) -> Option<Fault> {
        let write = Write::of(call)?;
        let mut state = self.state();
        if !state.has_begun {
            return None;
        }
        let count = state.counts.entry(write.clone()).or_default();
        *count += 1;
        let signature = Signature {
            write,
            number: *count,
        };
        state.writes.push(signature.clone());
        let hit = state.plan.take_if(|(meant, _)| *meant == signature);
        drop(state);
        let (signature, fault) = hit?;
        self.note(format!("{signature} ({}): {fault}", call.path));
        Some(fault)
    }

    /// Has the API server carry a write out, and what came of it checked.
    pub fn carry_out(&self, call: &Call, horizon: &Horizon) -> Answer {
        let before = self.server.with_store(|store| store.log.len());
        let Reply::Answer(answer) = self.server.serve(check::OPERATOR, call, "") else {
            unreachable!("a write is no watch");
        };
        if answer.code >= 400 {
            let message = &answer.body["message"];
            let (method, path) = (&call.method, &call.path);
            self.note(format!("{method} {path}: {} {message}", answer.code));
        }
        let mut state = self.state();
        let verdict = self.server.with_store(|store| {
            state.checker.check(store, horizon)?;
            check::Requests::wrote(call, &answer, store.log.len() - before)
        });
        state.violation = state.violation.take().or(verdict.err());
        answer
    }

    /// An invariant is broken.
    pub fn judge(&self, verdict: Result<(), Violation>) {
        let mut state = self.state();
        state.violation = state.violation.take().or(verdict.err());
    }

    /// How much older than a write the decision may be that it follows from.
    pub fn lag(&self) -> Duration {
        self.state().lag
    }
}
