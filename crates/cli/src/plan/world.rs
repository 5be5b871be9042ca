//! A cluster in memory that runs the operator's own rules: objects as an API server keeps them,
//! their caches, the four reconcilers, and pods that start as soon as they may.
//!
//! ```text
//! store ──▶ caches ──▶ observe, decide ──▶ plan ──▶ store      until nothing changes
//!   ▲                                                │
//!   └───────── kubelet: pods without gates ◀─────────┘
//! ```
//!
//! It has no network and no clock, and one fixed order, so that two runs are equal.

mod controllers;
mod garbage;
mod kinds;
mod kubelet;
mod record;
mod rules;
pub(super) mod schema;
mod settle;
mod store;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::Key;
use domain::plan::{Kind, WritableKind};
use domain::scheduling::Backend;
use engine::Caches;
use engine::triggers::Triggers;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::checks::{PlannedAnswers, PlannedCheck};
use crate::exit::Failure;
use crate::json;

pub(crate) use kubelet::NODE;
pub use record::Record;
pub use rules::Rules;

/// An object as stored.
pub type Stored = Arc<Value>;

/// Which object.
pub type Id = (Kind, Key);

/// The cluster.
pub struct World {
    objects: BTreeMap<Id, Stored>,
    uids: BTreeSet<String>,
    /// Objects by the uids of their owners.
    dependents: BTreeMap<String, BTreeSet<Id>>,
    caches: Caches,
    triggers: Triggers,
    rules: Rules,
    now: Timestamp,
    began: Timestamp,
    version: u64,
    created: u64,
    triggered: BTreeSet<controllers::Job>,
    timers: BTreeMap<controllers::Job, Timestamp>,
    /// Pods that the kubelet has to process.
    starting: BTreeSet<Id>,
    /// Pods that keep the state from the cluster.
    as_found: BTreeSet<Id>,
    decisions: usize,
    log: Vec<Record>,
    /// The progress of updates in objects from the cluster.
    found_progress: Vec<(Id, Value)>,
    /// Answers about pods of new templates, by clique.
    pub(super) answers: PlannedAnswers,
    checks: Vec<PlannedCheck>,
    assumptions: Vec<String>,
}

impl World {
    /// An empty world at that time.
    pub fn new(rules: Rules, now: Timestamp) -> Self {
        Self {
            objects: BTreeMap::new(),
            uids: BTreeSet::new(),
            dependents: BTreeMap::new(),
            caches: Caches::default(),
            triggers: controllers::triggers(),
            rules,
            now,
            began: now,
            version: 0,
            created: 0,
            triggered: BTreeSet::new(),
            timers: BTreeMap::new(),
            starting: BTreeSet::new(),
            as_found: BTreeSet::new(),
            decisions: 0,
            log: Vec::new(),
            found_progress: Vec::new(),
            answers: PlannedAnswers::new(),
            checks: Vec::new(),
            assumptions: Vec::new(),
        }
    }

    /// The pods that the operator asked the API server about, one for each changed template.
    pub fn checks(&self) -> &[PlannedCheck] {
        &self.checks
    }

    /// The backend of pods that name this scheduler.
    pub(super) fn backend_of(&self, scheduler: &str) -> Backend {
        self.rules.sets.profiles.backend_of(Some(scheduler))
    }

    /// Whether sets that name a queue of Kueue wait for quota.
    pub(super) fn is_queueing(&self) -> bool {
        self.rules.is_queueing
    }

    /// Notes a fact about the cluster that nobody knows.
    pub(super) fn assume(&mut self, fact: String) {
        self.assumptions.push(fact);
    }

    /// The facts about the cluster that nobody knows, and by which the plan was made.
    pub fn assumptions(&self) -> &[String] {
        &self.assumptions
    }

    /// All writes of the controllers, in order. Of statuses: those that change the progress of an
    /// update.
    pub fn log(&self) -> &[Record] {
        &self.log
    }

    /// The progress of updates that objects from the cluster had stored before all writes.
    pub fn found_progress(&self) -> &[(Id, Value)] {
        &self.found_progress
    }

    /// The object of that kind and name.
    pub fn get(&self, id: &Id) -> Option<&Stored> {
        self.objects.get(id)
    }

    /// All objects of a kind as they are stored, by name.
    pub fn stored(&self, kind: Kind) -> impl Iterator<Item = (&Key, &Stored)> {
        self.objects
            .iter()
            .filter(move |((k, _), _)| *k == kind)
            .map(|((_, key), object)| (key, object))
    }

    /// All objects of a kind, by name.
    pub fn all<K: WritableKind + DeserializeOwned>(&self) -> Result<Vec<K>, Failure> {
        let stored = self.stored(Kind::of::<K>());
        stored.map(|(_, object)| decode(object)).collect()
    }

    /// All objects.
    pub fn objects(&self) -> &BTreeMap<Id, Stored> {
        &self.objects
    }
}

/// The object as its type.
pub(super) fn decode<K: DeserializeOwned>(object: &Value) -> Result<K, Failure> {
    K::deserialize(object).map_err(|error| {
        let (kind, name) = (json::text(object, "/kind"), json::meta(object, "name"));
        unreadable(&format!("{kind} {name}"), &error)
    })
}

/// The object as JSON.
pub(super) fn encode<K: Serialize>(object: &K) -> Result<Value, Failure> {
    serde_json::to_value(object).map_err(|error| bug(&error.to_string()))
}

/// Objects have the text of the file: whether it or the rules are wrong, only its author can tell.
pub(super) fn unreadable(object: &str, error: &serde_json::Error) -> Failure {
    Failure::BadInput(format!(
        "the plan cannot be made: {object} could not be read ({error}); correct the errors that \
         `kubectl grove lint FILE` lists for its template"
    ))
}

/// An impossible state, whatever the file has.
pub(super) fn bug(what: &str) -> Failure {
    Failure::Other(format!(
        "the plan cannot be made: {what}; this is a bug, please report it with the file"
    ))
}
