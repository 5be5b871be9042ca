//! What became of the pods of a namespace, also of those that are gone.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::{Deserializer, Value};

use super::namespace::Namespace;
use super::seen::{index, same};
use super::wait;

/// A watch of the pods of a namespace.
#[derive(Debug)]
pub struct History {
    kubectl: Child,
    events: Receiver<Value>,
    pods: BTreeMap<String, Life>,
}

/// What is known of one pod.
#[derive(Debug)]
struct Life {
    slot: String,
    was_deleted: bool,
    is_gone: bool,
}

impl History {
    /// Begins now; pods that exist are seen.
    pub fn of(ns: &Namespace<'_>) -> Self {
        let watch = [
            "get",
            "pods",
            "--watch",
            "--output-watch-events",
            "--output=json",
        ];
        let mut kubectl = ns.command(&watch).stdout(Stdio::piped()).spawn().unwrap();
        // Byte by byte it would fall behind, and the API server ends the watch of who is slow.
        let shown = BufReader::new(kubectl.stdout.take().unwrap());
        let (tell, events) = mpsc::channel();
        thread::spawn(move || {
            let events = Deserializer::from_reader(shown).into_iter();
            events
                .map_while(Result::ok)
                .try_for_each(|event| tell.send(event))
        });
        Self {
            kubectl,
            events,
            pods: BTreeMap::new(),
        }
    }

    /// Waits until it knows what is there now.
    pub fn catch_up(&mut self, ns: &Namespace<'_>) {
        let seen = wait::until(|| {
            for event in self.events.try_iter() {
                note(&mut self.pods, &event);
            }
            let alive = self.pods.iter().filter(|(_, life)| !life.is_gone);
            let alive: BTreeSet<_> = alive.map(|(uid, _)| uid.clone()).collect();
            let seen = ns.look()?;
            let uid = |pod: &&Value| pod["metadata"]["uid"].as_str().unwrap().to_owned();
            same("pods", &alive, &seen.all("Pod").iter().map(uid).collect())
        });
        seen.unwrap();
    }

    /// The slots that more than one pod had.
    pub fn slots_held_twice(&self) -> BTreeSet<&str> {
        self.slots_held_by_more_than(1)
    }

    /// The slots that more than so many pods had, one after the other or at once.
    pub fn slots_held_by_more_than(&self, pods: usize) -> BTreeSet<&str> {
        let mut held: BTreeMap<&str, usize> = BTreeMap::new();
        for life in self.pods.values() {
            *held.entry(life.slot.as_str()).or_default() += 1;
        }
        let more = held.into_iter().filter(|(_, count)| *count > pods);
        more.map(|(slot, _)| slot).collect()
    }

    /// The slots of which a pod was deleted.
    pub fn slots_deleted(&self) -> BTreeSet<&str> {
        let deleted = self.pods.values().filter(|life| life.was_deleted);
        deleted.map(|life| life.slot.as_str()).collect()
    }
}

impl Drop for History {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.kubectl.kill();
        let _ = self.kubectl.wait();
    }
}

fn note(pods: &mut BTreeMap<String, Life>, event: &Value) {
    let meta = &event["object"]["metadata"];
    let life = pods
        .entry(meta["uid"].as_str().unwrap().to_owned())
        .or_insert_with(|| Life {
            slot: slot(&event["object"]),
            was_deleted: false,
            is_gone: false,
        });
    life.is_gone = event["type"] == "DELETED";
    life.was_deleted |= life.is_gone || !meta["deletionTimestamp"].is_null();
}

/// The pod's PodClique and index, as `podclique#index`.
pub fn slot(pod: &Value) -> String {
    let podclique = &pod["metadata"]["labels"]["grove.io/podclique"];
    format!("{}#{}", podclique.as_str().unwrap(), index(pod))
}
