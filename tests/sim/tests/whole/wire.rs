//! The connection of operators and API server: it numbers each write, causes one fault, and has all
//! writes checked.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use sim::check::{Checker, Horizon, Requests, Violation};
use sim::service::{Event, Reply, Server};
use sim::story::Notes;
use sim::{Answer, Call, RequestPath, Resource, actors, check};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::disturbance::Disturbance;
use crate::fault::{Fault, Signature, Write};
use crate::mutant::Mutant;
use crate::trouble::{Came, Trouble};
use crate::twins::Twins;

/// How long a watch is interrupted together with an answer.
const OUTAGE: Duration = Duration::from_secs(5);
/// The longest time between a decision and its writes, without a fault.
const LAG: Duration = Duration::from_secs(1);

/// The way to one API server.
pub struct Wire {
    /// The API server.
    pub server: Server,
    /// Another operator is to start.
    pub joined: Notify,
    state: Mutex<State>,
}

/// The traffic so far.
#[derive(Default)]
pub struct State {
    /// Writes since the scenario began, in order.
    pub writes: Vec<Signature>,
    /// The fault that has not occurred yet.
    pub plan: Option<Disturbance>,
    /// Full lists of each kind since the scenario began.
    pub lists: BTreeMap<Resource, usize>,
    /// Requests about objects, if they are kept.
    requests: Option<Vec<String>>,
    /// Folds the log of the store.
    pub checker: Checker,
    /// The first invariant that was broken.
    pub violation: Option<Violation>,
    /// Pods that two operators created for one index at once.
    pub twins: Twins,
    /// Facts that the log does not show.
    pub notes: Notes,
    /// The bug of the operators.
    pub mutant: Option<Mutant>,
    counts: BTreeMap<Write, usize>,
    held: BTreeMap<Resource, Instant>,
    events: BTreeMap<Resource, Came>,
    has_begun: bool,
    /// Whether an operator has received wrong data.
    is_misled: bool,
    /// Whether two operators decide at the same time.
    is_shared: bool,
    /// Operators that have started.
    operators: usize,
    lag: Duration,
}

impl Wire {
    /// Without any traffic.
    pub fn new(server: Server, checker: Checker) -> Self {
        let state = State {
            checker,
            lag: LAG,
            ..State::default()
        };
        Self {
            server,
            joined: Notify::new(),
            state: Mutex::new(state),
        }
    }

    /// The operators have this bug.
    pub fn be(&self, mutant: Option<Mutant>) {
        self.state().mutant = mutant;
    }

    /// From now on writes and events are counted, and the fault may occur.
    pub fn begin(&self, plan: Option<Disturbance>) {
        let mut state = self.state();
        state.has_begun = true;
        state.lag = match &plan {
            // A delayed write delays the following ones of the same decision.
            Some(Disturbance::Write(_, Fault::Hang)) => Duration::from_secs(45),
            Some(Disturbance::Write(_, Fault::Throttled)) => Duration::from_secs(5),
            _ => LAG,
        };
        state.is_shared = plan.as_ref().is_some_and(Disturbance::has_two_operators);
        let happens = |plan: &Disturbance| {
            !matches!(plan, Disturbance::TwoOperators | Disturbance::OneNamespace)
        };
        state.plan = plan.filter(happens);
    }

    /// The traffic so far.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Records a fact that the log does not show.
    pub fn note(&self, text: String) {
        let length = self.server.with_store(|store| store.log.len());
        self.state().notes.push((length, text));
    }

    /// An operator starts, without a memory. Returns its number.
    pub fn restarted(&self) -> usize {
        let mut state = self.state();
        self.server
            .with_store(|store| state.checker.restarted(store));
        state.operators += 1;
        state.operators
    }

    /// A full list was answered.
    pub fn was_listed(&self, resource: Resource) {
        let mut state = self.state();
        if state.has_begun {
            *state.lists.entry(resource).or_default() += 1;
        }
        drop(state);
        self.server.configure(|options| {
            options.list_at.remove(&resource);
        });
    }

    /// From now on requests about objects are kept.
    pub fn keep_requests(&self) {
        self.state().requests = Some(Vec::new());
    }

    /// The requests that were kept; none is kept any more.
    pub fn kept_requests(&self) -> Vec<String> {
        self.state().requests.take().unwrap_or_default()
    }

    /// Keeps this request, if requests are kept.
    pub fn note_request(&self, call: &Call) {
        if let Some(requests) = &mut self.state().requests {
            requests.push(format!("{} {}", call.method, call.path));
        }
    }

    /// Numbers the write and returns its fault.
    pub fn fault_of(&self, call: &Call) -> Option<Fault> {
        let signature = self.number(call)?;
        let is_meant = |plan: &mut Disturbance| plan.signature() == Some(&signature);
        let plan = self.state().plan.take_if(is_meant)?;
        self.note(format!("{plan} ({})", call.path));
        match plan {
            Disturbance::Write(_, fault) => Some(fault),
            Disturbance::OldLists(..) => {
                self.state().is_misled = true;
                Some(Fault::CrashAfter)
            }
            Disturbance::Joined(_) => {
                self.joined.notify_one();
                None
            }
            _ => {
                let id = RequestPath::parse(&call.path).and_then(|target| target.id());
                let replace = |store: &mut _| actors::recreate(store, &id.unwrap(), false);
                self.server.with_store(replace);
                None
            }
        }
    }

    fn number(&self, call: &Call) -> Option<Signature> {
        let write = Write::of(call)?;
        let mut state = self.state();
        if !state.has_begun {
            return None;
        }
        let count = state.counts.entry(write.clone()).or_default();
        *count += 1;
        let number = *count;
        let signature = Signature { write, number };
        state.writes.push(signature.clone());
        Some(signature)
    }

    /// The watches that show the written object show nothing for a while.
    pub fn hold_watch(&self, call: &Call) {
        if let Some(target) = RequestPath::parse(&call.path) {
            let until = Instant::now() + OUTAGE;
            self.state().held.insert(target.resource, until);
        }
    }

    /// The time until which watches of this kind show nothing.
    pub fn held_until(&self, resource: Resource) -> Option<Instant> {
        self.state().held.get(&resource).copied()
    }

    /// Counts an event that a watch is about to show and returns its fault.
    pub fn trouble_of(&self, resource: Resource, event: &Event) -> Option<Trouble> {
        let is_own = self.server.with_store(|store| {
            let record = store.log.get(event.position - 1);
            record.is_some_and(|record| record.actor == check::OPERATOR)
        });
        let mut state = self.state();
        if !state.has_begun {
            return None;
        }
        let count = state.events.entry(resource).or_default();
        let came = *count;
        count.own += usize::from(is_own);
        count.foreign += usize::from(!is_own);
        let is_meant = |plan: &mut Disturbance| {
            matches!(plan, Disturbance::Watch(kind, trouble)
                if *kind == resource && trouble.hits(is_own, &came))
        };
        let plan = state.plan.take_if(is_meant)?;
        drop(state);
        self.note(plan.to_string());
        match plan {
            Disturbance::Watch(_, trouble) => Some(trouble),
            _ => None,
        }
    }

    /// Has the API server carry a write of this operator out, and checks the result.
    pub fn carry_out(&self, call: &mut Call, operator: usize, horizon: &Horizon) -> Answer {
        let (mutant, number) = {
            let state = self.state();
            (state.mutant, state.writes.len())
        };
        if let Some(mutant) = mutant {
            self.server
                .with_store(|store| mutant.spoil(call, store, number));
        }
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
        let (is_twin, verdict) = self.server.with_store(|store| {
            let is_twin = state.is_shared && state.twins.note(store, before, operator, horizon);
            let checked = state.checker.check(store, horizon);
            let wrote = || Requests::wrote(call, &answer, store.log.len() - before);
            (is_twin, checked.and_then(|()| wrote()))
        });
        drop(state);
        // A twin is one pod more than wanted (decision 11).
        let is_meant = |violation: &Violation| is_twin && violation.invariant == "I1";
        self.record(verdict, is_meant);
        answer
    }

    /// The operators' changed query for a read.
    pub fn misdirect(&self, query: &str) -> String {
        let mutant = self.state().mutant;
        let query_of = |mutant: Mutant| self.server.with_store(|s| mutant.misdirect(query, s));
        mutant.map_or_else(|| query.to_owned(), query_of)
    }

    /// The operators' misread answer.
    pub fn misread(&self, call: &Call, mut answer: Answer) -> Answer {
        if let Some(mutant) = self.state().mutant {
            self.server
                .with_store(|store| mutant.misread(call, &mut answer, store));
        }
        answer
    }

    /// Records a broken invariant.
    pub fn judge(&self, verdict: Result<(), Violation>) {
        self.record(verdict, |_| false);
    }

    /// Records a broken invariant, which does not count if it is excused, or the operator misled.
    fn record(&self, verdict: Result<(), Violation>, is_excused: impl Fn(&Violation) -> bool) {
        let Err(violation) = verdict else {
            return;
        };
        self.note(violation.to_string());
        let mut state = self.state();
        if !state.is_misled && !is_excused(&violation) {
            state.violation.get_or_insert(violation);
        }
    }

    /// How much older the decision behind a write may be.
    pub fn lag(&self) -> Duration {
        self.state().lag
    }
}
