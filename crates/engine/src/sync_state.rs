//! The scopes in which each kind has been listed, and the keys that wait for those lists.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::Key;
use domain::plan::Kind;
use tokio::sync::watch;

use crate::controller_name::ControllerName;
use crate::metrics::{ByKind, Metrics};
use crate::scope::Scope;
use crate::watch_liveness::WatchLiveness;

/// A kind without a message for this long counts as not watched, whatever the reason.
const STALE: Duration = Duration::from_mins(3);

/// A kind and its API group, or another thing that has to exist, and where it is watched.
pub(crate) type Watch = (&'static str, &'static str, Scope);

/// The problem of a watch.
#[derive(Clone, Debug)]
pub(crate) struct WatchProblem {
    /// The message for the administrator of the operator.
    pub why: String,
    /// The API server answers, and refuses this operator access.
    pub is_refused: bool,
}

/// The watch of a kind in a scope.
pub(crate) fn watch_of(kind: Kind, scope: &Scope) -> Watch {
    (kind.name(), kind.group(), scope.clone())
}

/// Nothing is decided on an object before every kind was listed once in its scope: its children
/// never leave its namespace, so one scope does not wait for another.
#[derive(Debug, Default)]
struct Held {
    /// Watches that were never listed yet.
    unlisted: BTreeSet<Watch>,
    /// Keys that were added meanwhile.
    keys: HashMap<Scope, HashSet<(ControllerName, Key)>>,
}

impl Held {
    /// Whether objects of this scope have to wait.
    fn is_closed(&self, scope: &Scope) -> bool {
        let mut scopes = self.unlisted.iter().map(|(_, _, unlisted)| unlisted);
        scopes.any(|unlisted| unlisted == scope || *unlisted == Scope::Cluster)
    }
}

/// Which watches are in order.
#[derive(Debug)]
pub(crate) struct SyncState {
    scopes: Vec<Scope>,
    unsynced: watch::Sender<BTreeMap<Watch, WatchProblem>>,
    /// Problems of parts that are no watch.
    problems: Mutex<BTreeMap<&'static str, String>>,
    /// How often all watches had to be listed again.
    list_orders: watch::Sender<u64>,
    liveness: Mutex<BTreeMap<Watch, Arc<WatchLiveness>>>,
    held: Mutex<Held>,
}

impl SyncState {
    pub(crate) fn new(scopes: Vec<Scope>) -> Self {
        Self {
            scopes,
            unsynced: watch::Sender::new(BTreeMap::new()),
            problems: Mutex::default(),
            list_orders: watch::Sender::new(0),
            liveness: Mutex::default(),
            held: Mutex::default(),
        }
    }

    /// The scopes that the operator manages.
    pub(crate) fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// The watch has to be listed before anything is decided there.
    pub(crate) fn expect(&self, watch: Watch) {
        self.held().unlisted.insert(watch.clone());
        let problem = WatchProblem {
            why: "not listed yet".into(),
            is_refused: false,
        };
        self.unsynced.send_modify(|unsynced| {
            unsynced.insert(watch, problem);
        });
    }

    /// The watch was listed; returns the keys that waited for it.
    pub(crate) fn is_listed(&self, watch: &Watch) -> Vec<(ControllerName, Key)> {
        self.unsynced.send_modify(|unsynced| {
            unsynced.remove(watch);
        });
        let mut held = self.held();
        held.unlisted.remove(watch);
        let open: Vec<Scope> = held.keys.keys().cloned().collect();
        let open: Vec<Scope> = open
            .iter()
            .filter(|scope| !held.is_closed(scope))
            .cloned()
            .collect();
        open.iter()
            .filter_map(|scope| held.keys.remove(scope))
            .flatten()
            .collect()
    }

    /// The watch failed. If it is lost, the kind counts as unsynced until it was listed again: the
    /// probes must not report success without an API server.
    pub(crate) fn failed(&self, watch: Watch, problem: WatchProblem, is_lost: bool) {
        self.unsynced.send_modify(|unsynced| {
            if is_lost || unsynced.contains_key(&watch) {
                unsynced.insert(watch, problem);
            }
        });
    }

    /// A problem of a part that is no watch and that the operator needs in order to be ready.
    pub(crate) fn set_problem(&self, part: &'static str, problem: Option<String>) {
        let mut problems = self.problems();
        match problem {
            Some(why) => problems.insert(part, why),
            None => problems.remove(part),
        };
    }

    /// All watches have to be listed once more before anything is decided.
    pub(crate) fn list_anew(&self) {
        let watched: Vec<Watch> = {
            let liveness = self.liveness.lock().unwrap_or_else(PoisonError::into_inner);
            liveness.keys().cloned().collect()
        };
        self.held().unlisted.extend(watched);
        self.list_orders.send_modify(|orders| *orders += 1);
    }

    /// Reports each call of [`Self::list_anew`].
    pub(crate) fn list_orders(&self) -> watch::Receiver<u64> {
        self.list_orders.subscribe()
    }

    fn problems(&self) -> MutexGuard<'_, BTreeMap<&'static str, String>> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds the key until its scope is synced; returns it if it already is.
    pub(crate) fn hold(&self, controller: ControllerName, key: Key) -> Option<Key> {
        let mut scopes = self.scopes.iter();
        let Some(scope) = scopes.find(|scope| scope.holds(&key.namespace)) else {
            return Some(key);
        };
        let mut held = self.held();
        if !held.is_closed(scope) {
            return Some(key);
        }
        let keys = held.keys.entry(scope.clone()).or_default();
        keys.insert((controller, key));
        None
    }

    /// The watches that are not in order, each with its scope and the reason: kinds that were not
    /// listed yet, that lost their watch and are not listed again, or that had no message for too
    /// long.
    pub(crate) fn unsynced(&self) -> BTreeMap<String, String> {
        let named = |(kind, _, scope): &Watch| format!("{kind}{scope}");
        let mut all: BTreeMap<String, String> = self
            .silent()
            .iter()
            .map(|(watch, silence)| (named(watch), describe_silence(*silence)))
            .collect();
        let unsynced = self.unsynced.borrow();
        let problems = unsynced.iter();
        all.extend(problems.map(|(watch, problem)| (named(watch), problem.why.clone())));
        let problems = self.problems();
        let problems = problems.iter();
        all.extend(problems.map(|(part, why)| ((*part).to_owned(), why.clone())));
        all
    }

    /// Whether this operator can do its work: nothing is missing, or only in namespaces that it may
    /// not read, while there are others. A tenant who deletes his namespace, and the operator's
    /// Role with it, takes nothing from the others, the webhook included.
    pub(crate) fn is_ready(&self) -> bool {
        let refused = self.refused();
        let is_left_out = |(_, _, scope): &Watch| refused.contains(scope);
        self.problems().is_empty()
            && !self.scopes.iter().all(|scope| refused.contains(scope))
            && self.is_synced()
            && self.silent().keys().all(is_left_out)
    }

    /// Namespaces that the API server does not let this operator read.
    fn refused(&self) -> BTreeSet<Scope> {
        let unsynced = self.unsynced.borrow();
        unsynced
            .iter()
            .filter(|(_, problem)| problem.is_refused)
            .map(|((_, _, scope), _)| scope)
            .filter(|scope| scope.namespace().is_some())
            .cloned()
            .collect()
    }

    /// Watches without a message for too long, and the length of their silence.
    fn silent(&self) -> BTreeMap<Watch, Duration> {
        let liveness = self.liveness.lock().unwrap_or_else(PoisonError::into_inner);
        liveness
            .iter()
            .map(|(watch, liveness)| (watch.clone(), liveness.silence()))
            .filter(|(_, silence)| *silence > STALE)
            .collect()
    }

    /// Whether all watches of this namespace's scope were listed.
    pub(crate) fn is_synced_in(&self, namespace: &str) -> bool {
        let unsynced = self.unsynced.borrow();
        let mut scopes = unsynced.keys().map(|(_, _, scope)| scope);
        !scopes.any(|scope| scope.holds(namespace))
    }

    /// Whether nothing is missing, except messages of open watches, and namespaces that this
    /// operator may not read.
    pub(crate) fn is_synced(&self) -> bool {
        let refused = self.refused();
        let unsynced = self.unsynced.borrow();
        let mut scopes = unsynced.keys().map(|(_, _, scope)| scope);
        scopes.all(|scope| refused.contains(scope))
    }

    /// Waits until every kind is listed everywhere.
    pub(crate) async fn synced(&self) {
        let mut unsynced = self.unsynced.subscribe();
        // The sender lives as long as self.
        let _ = unsynced.wait_for(BTreeMap::is_empty).await;
    }

    /// The liveness record of that watch.
    pub(crate) fn liveness(&self, watch: Watch) -> Arc<WatchLiveness> {
        let mut liveness = self.liveness.lock().unwrap_or_else(PoisonError::into_inner);
        liveness.entry(watch).or_default().clone()
    }

    /// The watch is given up for now: its silence proves nothing, and the metrics do not call its
    /// kind silent for ever.
    pub(crate) fn stop_listening(&self, watch: &Watch, metrics: &Metrics) {
        let mut liveness = self.liveness.lock().unwrap_or_else(PoisonError::into_inner);
        liveness.remove(watch);
        if let Some(gauge) = metrics.watch_silence.get(&ByKind { kind: watch.0 }) {
            gauge.set(0.0);
        }
    }

    /// Sets the metrics to the longest silence of each kind.
    pub(crate) fn measure_silence(&self, metrics: &Metrics) {
        let liveness = self.liveness.lock().unwrap_or_else(PoisonError::into_inner);
        let mut longest: BTreeMap<&'static str, f64> = BTreeMap::new();
        for ((kind, _, _), liveness) in liveness.iter() {
            let seconds = longest.entry(kind).or_default();
            *seconds = seconds.max(liveness.silence().as_secs_f64());
        }
        for (kind, seconds) in longest {
            let gauge = metrics.watch_silence.get_or_create(&ByKind { kind });
            gauge.set(seconds);
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn describe_silence(silence: Duration) -> String {
    format!(
        "no message from its watch for {} s; check that the API server is reachable, and that \
         proxies allow long-lived watch requests",
        silence.as_secs()
    )
}
