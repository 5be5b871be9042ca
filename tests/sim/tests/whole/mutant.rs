//! Operators with a bug: what they send, and what they take in.

use serde_json::{Value, json};
use sim::{Answer, Call, Place, Store};

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
    /// A watch begins with what is there by then, and not where the list ended or the last watch.
    WatchesFromNow,
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
                call.body["metadata"]["name"] = json!(format!("pod-{number:03}"));
            }
            Self::NamesEventsAtRandom if is_post_of("/events") => {
                call.body["metadata"]["name"] = json!(format!("event-{number:03}"));
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
            _ => {}
        }
    }

    /// What it asks for instead.
    pub fn misdirect(self, query: &str, store: &Store) -> String {
        let mut parts: Vec<String> = query.split('&').map(str::to_owned).collect();
        if self == Self::WatchesFromNow && parts.iter().any(|part| part == "watch=true") {
            parts.retain(|part| !part.starts_with("resourceVersion="));
            parts.push(format!("resourceVersion={}", store.version()));
        }
        parts.join("&")
    }
}
