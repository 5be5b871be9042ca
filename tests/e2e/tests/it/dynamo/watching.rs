//! Dynamo's reader on a real API server. Watches of several kinds are not in step, so their changes
//! are put in the order of their versions, which one etcd counts for all kinds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use e2e::objects::Kind;
use serde_json::Value;
use sim::dynamo::{Moment, Reader};
use tokio::runtime::Runtime;

use crate::harness::history::watch;
use crate::harness::seen::name;
use crate::harness::{Namespace, same, wait};

const KINDS: [Kind; 4] = [
    ("grove.io", "v1alpha1", "PodCliqueSet"),
    ("grove.io", "v1alpha1", "PodClique"),
    ("grove.io", "v1alpha1", "PodCliqueScalingGroup"),
    ("", "v1", "Pod"),
];

/// The watches.
pub struct Watching {
    /// Dropping a runtime ends its watch.
    events: Vec<(&'static str, Receiver<Value>, Runtime)>,
    /// The versions of what is there, by kind and name.
    there: BTreeMap<(&'static str, String), u64>,
    reader: Reader,
    /// Every state of every PodClique and group.
    parts: Vec<Arc<Value>>,
}

struct Change {
    version: u64,
    kind: &'static str,
    name: String,
    object: Option<Arc<Value>>,
}

impl Change {
    fn of(kind: &'static str, event: &Value) -> Self {
        let object = &event["object"];
        let stays = event["type"] != "DELETED";
        Self {
            version: version(object),
            kind,
            name: name(object).to_owned(),
            object: stays.then(|| Arc::new(object.clone())),
        }
    }
}

impl Watching {
    /// Begins now.
    pub fn of(ns: &Namespace<'_>) -> Self {
        let watch = |kind: Kind| {
            let (events, runtime) = watch::begin_of(ns, kind);
            (kind.2, events, runtime)
        };
        Self {
            events: KINDS.map(watch).into(),
            there: BTreeMap::new(),
            reader: Reader::default(),
            parts: Vec::new(),
        }
    }

    /// What Dynamo concluded after each change since the last call, once all watches have shown
    /// what is there.
    pub fn catch_up(&mut self, ns: &Namespace<'_>) -> Vec<Moment> {
        let mut changes: Vec<Change> = Vec::new();
        let Self { events, there, .. } = self;
        let all_shown = wait::until(|| {
            for (kind, events, _) in events.iter() {
                for event in events.try_iter() {
                    let change = Change::of(kind, &event);
                    let key = (change.kind, change.name.clone());
                    match change.object {
                        Some(_) => there.insert(key, change.version),
                        None => there.remove(&key),
                    };
                    changes.push(change);
                }
            }
            same("what was shown", &*there, &read_versions(ns)?)
        });
        all_shown.unwrap();
        changes.sort_by_key(|change| change.version);
        changes
            .into_iter()
            .filter_map(|change| self.see(change))
            .collect()
    }

    /// Every state of every PodClique and group up to the last call.
    pub fn parts(&self) -> &[Arc<Value>] {
        &self.parts
    }

    fn see(&mut self, change: Change) -> Option<Moment> {
        let is_part = change.kind.starts_with("PodClique") && change.kind != "PodCliqueSet";
        let part = change.object.clone().filter(|_| is_part);
        self.parts.extend(part);
        self.reader.see(change.kind, &change.name, change.object)
    }
}

fn read_versions(ns: &Namespace<'_>) -> Result<BTreeMap<(&'static str, String), u64>, String> {
    let seen = ns.look()?;
    let of_kind = |(_, _, kind): Kind| {
        let all = seen.all(kind).into_iter();
        let versions = all.map(move |object| ((kind, name(object).to_owned()), version(object)));
        versions.collect::<Vec<_>>()
    };
    Ok(KINDS.into_iter().flat_map(of_kind).collect())
}

fn version(object: &Value) -> u64 {
    let version = object["metadata"]["resourceVersion"].as_str().unwrap();
    version.parse().unwrap()
}
