//! Operators with a bug: what they send, and what they take in.

use serde_json::{Value, json};
use sim::{Answer, Call, Place, Resource, Store};

/// A bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// DELETE by name, whoever bears it.
    DeletesWithoutUid,
    /// A conflict passes for success.
    TakesConflictForSuccess,
    /// Pods get another name with each request.
    NamesPodsAtRandom,
    /// Events get another name with each request.
    NamesEventsAtRandom,
    /// Pods are created without our gate.
    ForgetsGate,
    /// PUT whatever the version.
    PutsWithoutVersion,
    /// What was written is not known before the watch shows it.
    ForgetsWrites,
    /// What is gone when a list is made passes for what is there.
    KeepsWhatListsLack,
}

impl Mutant {
    /// What it sends instead.
    pub fn spoil(self, call: &mut Call, store: &mut Store, number: usize) {
        let is_post_of = |what: &str| call.method == "POST" && call.path.ends_with(what);
        match self {
            Self::DeletesWithoutUid if call.method == "DELETE" => {
                call.body["preconditions"] = Value::Null;
            }
            Self::NamesPodsAtRandom if is_post_of("/pods") => {
                call.body["metadata"]["name"] = json!(format!("pod-{number}"));
            }
            Self::NamesEventsAtRandom if is_post_of("/events") => {
                call.body["metadata"]["name"] = json!(format!("event-{number}"));
            }
            Self::ForgetsGate if is_post_of("/pods") => {
                call.body["spec"]["schedulingGates"] = json!([]);
            }
            Self::PutsWithoutVersion if call.method == "PUT" => {
                let id = Place::parse(&call.path).and_then(|place| place.id());
                if let Some(present) = id.and_then(|id| store.get(&id)) {
                    let version = &present["metadata"]["resourceVersion"];
                    call.body["metadata"]["resourceVersion"] = version.clone();
                }
            }
            _ => {}
        }
    }

    /// What it takes an answer for.
    pub fn misread(self, call: &Call, answer: &mut Answer, store: &Store) {
        let is_write = call.method != "GET";
        match self {
            Self::TakesConflictForSuccess if is_write && answer.code == 409 => {
                let id = Place::parse(&call.path).and_then(|place| place.id());
                let present = id.and_then(|id| store.get(&id));
                *answer = Answer::ok(present.map_or(call.body.clone(), |o| (**o).clone()));
            }
            Self::ForgetsWrites if is_write && answer.code < 300 => {
                answer.body["metadata"]["resourceVersion"] = json!("0");
            }
            Self::KeepsWhatListsLack if answer.body["items"].is_array() => {
                let is_of_pods = call.path.ends_with("/pods");
                let gone = store
                    .log
                    .iter()
                    .filter(|r| r.id.resource == Resource::Pod && r.after.is_none());
                let gone = gone
                    .filter_map(|r| r.before.as_ref())
                    .filter(|_| is_of_pods);
                let gone: Vec<Value> = gone.map(|pod| (**pod).clone()).collect();
                answer.body["items"].as_array_mut().unwrap().extend(gone);
            }
            _ => {}
        }
    }
}
