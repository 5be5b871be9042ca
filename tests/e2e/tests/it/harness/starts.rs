//! The start signals of pods, from an independent watch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::Receiver;

use serde_json::Value;
use tokio::runtime::Runtime;

use super::history::watch;
use super::namespace::Namespace;
use super::seen::{is_ready, name};

const START: &str = "grove.io/start";
const STARTS_AFTER: &str = "grove.io/starts-after";

/// A watch of the pods of a namespace.
#[derive(Debug)]
pub struct Starts {
    events: Receiver<Value>,
    /// Pods that are Ready, by PodClique.
    ready: BTreeMap<String, BTreeSet<String>>,
    /// Pods with the start signal, and whether they had it when they were created.
    signalled: BTreeMap<String, bool>,
    /// PodCliques that are scaled to zero: no pod waits for them.
    idle: BTreeSet<String>,
    _runtime: Runtime,
}

impl Starts {
    /// Begins now.
    pub fn of(ns: &Namespace<'_>) -> Self {
        let (events, runtime) = watch::begin(ns);
        Self {
            events,
            ready: BTreeMap::new(),
            signalled: BTreeMap::new(),
            idle: BTreeSet::new(),
            _runtime: runtime,
        }
    }

    /// From now on no pod has to wait for this PodClique.
    pub fn set_idle(&mut self, podclique: &str) {
        self.judge();
        self.idle.insert(podclique.to_owned());
    }

    /// Reads the news. No pod may have got the start signal before as many pods were Ready as its
    /// annotation requires.
    pub fn judge(&mut self) {
        let events: Vec<Value> = self.events.try_iter().collect();
        for event in events {
            let pod = &event["object"];
            if has_start_signal(pod) && !self.signalled.contains_key(name(pod)) {
                self.expect_parents(pod);
                self.signalled
                    .insert(name(pod).to_owned(), event["type"] == "ADDED");
            }
            let of_podclique = self.ready.entry(podclique(pod)).or_default();
            if is_ready(pod) && event["type"] != "DELETED" {
                of_podclique.insert(name(pod).to_owned());
            } else {
                of_podclique.remove(name(pod));
            }
        }
    }

    fn expect_parents(&self, pod: &Value) {
        let pairs = pairs(pod).split(',');
        for (parent, count) in pairs.filter_map(|pair| pair.split_once(':')) {
            if self.idle.contains(parent) {
                continue;
            }
            let ready = self.ready.get(parent).map_or(0, BTreeSet::len);
            let least: usize = count.parse().unwrap();
            let pod = name(pod);
            assert!(
                ready >= least,
                "{pod} got its start signal with {ready} of {least} pods of {parent} Ready"
            );
        }
    }

    /// Whether the pod was created with the start signal; `None` without a signal.
    pub fn signalled_at_creation(&self, pod: &str) -> Option<bool> {
        self.signalled.get(pod).copied()
    }

    /// The number of pods with the start signal.
    pub fn count(&self) -> usize {
        self.signalled.len()
    }
}

/// The dependencies in the pod's annotation.
pub fn pairs(pod: &Value) -> &str {
    pod["metadata"]["annotations"][STARTS_AFTER]
        .as_str()
        .unwrap_or_default()
}

/// Whether the pod has the start signal.
pub fn has_start_signal(pod: &Value) -> bool {
    let start = pod["metadata"]["annotations"][START].as_str();
    start.is_some_and(|start| start != "0")
}

fn podclique(pod: &Value) -> String {
    let label = &pod["metadata"]["labels"]["grove.io/podclique"];
    label.as_str().unwrap_or_default().to_owned()
}
