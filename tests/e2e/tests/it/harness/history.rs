//! The history of the pods of a namespace, including pods that are gone.

pub mod course;
pub mod placements;
pub mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::Receiver;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::namespace::Namespace;
use super::seen::{gates, index, is_ready, same};
use super::wait;

/// The gate that holds pods until their gang is complete.
const GATE: &str = "grove.io/podgang-pending-creation";

/// A watch of the pods of a namespace.
#[derive(Debug)]
pub struct History {
    events: Receiver<Value>,
    pods: BTreeMap<String, Life>,
    moments: Vec<Moment>,
    releases: Vec<Release>,
    /// Dropping it ends the watch.
    _runtime: Runtime,
}

/// One state of a pod that the watch showed.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Its uid.
    pub uid: String,
    /// Its PodClique.
    pub podclique: String,
    /// Whether it is Ready and stays.
    pub is_up: bool,
    /// Whether it is being deleted, or gone.
    pub is_going: bool,
    /// Whether it has a node.
    pub is_bound: bool,
    /// The scheduler's reason for not giving it a node.
    pub refusal: String,
    /// Annotation `example.com/version`.
    pub version: String,
    /// Its resourceVersion, which one etcd counts for all kinds.
    pub at: u64,
    /// When its deletion was requested.
    pub deleted_at: Option<Timestamp>,
}

impl Moment {
    fn of(event: &Value) -> Self {
        let (pod, meta) = (&event["object"], &event["object"]["metadata"]);
        let is_going = event["type"] == "DELETED" || !meta["deletionTimestamp"].is_null();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self {
            uid: text(&meta["uid"]),
            podclique: text(&meta["labels"]["grove.io/podclique"]),
            is_up: !is_going && is_ready(pod),
            is_going,
            is_bound: pod["spec"]["nodeName"].is_string(),
            refusal: refusal(pod),
            version: text(&meta["annotations"]["example.com/version"]),
            at: version(pod),
            deleted_at: deleted_at(meta),
        }
    }
}

/// The API server writes down when the grace period ends.
fn deleted_at(meta: &Value) -> Option<Timestamp> {
    let end: Timestamp = meta["deletionTimestamp"].as_str()?.parse().unwrap();
    let grace = meta["deletionGracePeriodSeconds"].as_i64().unwrap_or(0);
    Some(end - SignedDuration::from_secs(grace))
}

/// The resourceVersion of an object.
pub fn version(object: &Value) -> u64 {
    let version = object["metadata"]["resourceVersion"].as_str();
    version.unwrap().parse().unwrap()
}

/// The scheduler's message for a pod without a node, and its time.
fn refusal(pod: &Value) -> String {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    let mut refused = conditions.filter(|condition| {
        condition["type"] == "PodScheduled" && condition["reason"] == "Unschedulable"
    });
    let said = refused
        .next()
        .map(|c| format!("{} {}", c["lastTransitionTime"], c["message"]));
    said.unwrap_or_default()
}

/// The removal of our gate from a pod.
#[derive(Clone, Debug)]
pub struct Release {
    /// Its slot.
    pub slot: String,
    /// The slots whose pods existed then.
    pub there: BTreeSet<String>,
    /// The slots whose pods were Ready then.
    pub ready: BTreeSet<String>,
}

/// The known facts about one pod.
#[derive(Debug)]
struct Life {
    slot: String,
    version: String,
    was_deleted: bool,
    is_gone: bool,
    is_gated: bool,
    is_ready: bool,
}

impl History {
    /// Begins now, with the existing pods.
    pub fn of(ns: &Namespace<'_>) -> Self {
        let (events, runtime) = watch::begin(ns);
        Self {
            events,
            pods: BTreeMap::new(),
            moments: Vec::new(),
            releases: Vec::new(),
            _runtime: runtime,
        }
    }

    /// Waits until it has all existing pods.
    pub fn catch_up(&mut self, ns: &Namespace<'_>) {
        let seen = wait::until(|| {
            for event in self.events.try_iter() {
                self.moments.push(Moment::of(&event));
                self.releases.extend(note(&mut self.pods, &event));
            }
            let alive = self.pods.iter().filter(|(_, life)| !life.is_gone);
            let alive = alive.map(|(uid, life)| (uid.clone(), life.version.clone()));
            let seen = ns.look_on_demand();
            let text = |pod: &Value, key: &str| pod["metadata"][key].as_str().unwrap().to_owned();
            let version = |pod: &&Value| (text(pod, "uid"), text(pod, "resourceVersion"));
            let there = seen.all("Pod").iter().map(version).collect();
            seen.expect_read()?;
            same("pods", &alive.collect::<BTreeSet<_>>(), &there)
        });
        seen.unwrap();
    }

    /// All states that the watch showed, in order.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// The slots that had more than one pod.
    pub fn slots_held_twice(&self) -> BTreeSet<&str> {
        self.slots_held_by_more_than(1)
    }

    /// The slots that had more than that many pods, one after the other or at once.
    pub fn slots_held_by_more_than(&self, pods: usize) -> BTreeSet<&str> {
        let mut held: BTreeMap<&str, usize> = BTreeMap::new();
        for life in self.pods.values() {
            *held.entry(life.slot.as_str()).or_default() += 1;
        }
        let more = held.into_iter().filter(|(_, count)| *count > pods);
        more.map(|(slot, _)| slot).collect()
    }

    /// Pods that lost our gate, in order.
    pub fn releases(&self) -> &[Release] {
        &self.releases
    }

    /// The slots of deleted pods.
    pub fn slots_deleted(&self) -> BTreeSet<&str> {
        let deleted = self.pods.values().filter(|life| life.was_deleted);
        deleted.map(|life| life.slot.as_str()).collect()
    }
}

fn note(pods: &mut BTreeMap<String, Life>, event: &Value) -> Option<Release> {
    let pod = &event["object"];
    let meta = &pod["metadata"];
    let life = pods
        .entry(meta["uid"].as_str().unwrap().to_owned())
        .or_insert_with(|| Life {
            slot: slot(pod),
            version: String::new(),
            was_deleted: false,
            is_gone: false,
            is_gated: false,
            is_ready: false,
        });
    let was_gated = life.is_gated;
    let version = meta["resourceVersion"].as_str().unwrap();
    version.clone_into(&mut life.version);
    life.is_gone = event["type"] == "DELETED";
    life.was_deleted |= life.is_gone || !meta["deletionTimestamp"].is_null();
    life.is_gated = gates(pod).contains(&GATE);
    life.is_ready = is_ready(pod);
    let is_released = was_gated && !life.is_gated && !life.was_deleted;
    let slot = is_released.then(|| life.slot.clone())?;
    let held = |is_meant: &dyn Fn(&&Life) -> bool| {
        let staying = pods.values().filter(|life| !life.was_deleted);
        staying
            .filter(is_meant)
            .map(|life| life.slot.clone())
            .collect()
    };
    Some(Release {
        slot,
        there: held(&|_| true),
        ready: held(&|life| life.is_ready),
    })
}

/// The pod's PodClique and index, as `podclique#index`.
pub fn slot(pod: &Value) -> String {
    let podclique = &pod["metadata"]["labels"]["grove.io/podclique"];
    format!("{}#{}", podclique.as_str().unwrap(), index(pod))
}
