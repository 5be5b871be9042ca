//! I7, I34, I35: requests without success, and requests without effect.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{Checked, demand};
use crate::resource::RequestPath;
use crate::store::{Answer, Call, Store};
use crate::view;

/// This many POSTs of one name within a minute may fail because a foreign object has it: waits
/// double from 50 ms on, several objects may want the name, and an event may trigger each.
const TRIES: usize = 30;
const SPAN: SignedDuration = SignedDuration::from_mins(1);

/// The operator's unsuccessful requests since it started.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    taken: BTreeMap<String, Vec<Timestamp>>,
    /// Uids of the objects whose creation was confirmed to the operator.
    told: BTreeSet<String>,
}

impl Requests {
    /// I34: a PUT is sent only if it changes something; `before` is the version of the store.
    pub fn wrote(call: &Call, answer: &Answer, records: usize) -> Checked {
        let is_void = call.method == "PUT" && answer.code == 200 && records == 0;
        demand(!is_void, "I34", || {
            format!("PUT {} changed nothing", call.path)
        })
    }

    /// The operator reads this answer.
    pub fn answered(&mut self, call: &Call, answer: &Answer) {
        if call.method == "POST" && answer.code == 201 && !is_event(call) {
            self.told.insert(view::uid(&answer.body).to_owned());
        }
    }

    /// I35: the operator does not create an object again after the server confirmed it. An event
    /// may be posted as long as its reason holds: its name makes it one event.
    fn known(&self, holder: &Value, call: &Call) -> Checked {
        let is_known = self.told.contains(view::uid(holder)) && !view::is_terminating(holder);
        demand(!is_known, "I35", || {
            format!(
                "{} of {} though it knew that it is there",
                call.method,
                view::name(holder)
            )
        })
    }

    /// I7: a name that a foreign object holds is requested only now and then.
    pub fn refused(&mut self, store: &Store, call: &Call, answer: &Answer) -> Checked {
        if call.method != "POST" || view::text(&answer.body, "/reason") != "AlreadyExists" {
            return Ok(());
        }
        let target = RequestPath::parse(&call.path);
        let id = target.and_then(|mut target| {
            target.name = Some(view::name(&call.body).to_owned());
            target.id()
        });
        let Some((id, holder)) = id.and_then(|id| Some((id.clone(), store.get(&id)?))) else {
            return Ok(());
        };
        if view::owner(holder) == view::owner(&call.body) {
            return self.known(holder, call);
        }
        let times = self.taken.entry(id.to_string()).or_default();
        times.retain(|at| *at + SPAN > store.now);
        times.push(store.now);
        let count = times.len();
        demand(count <= TRIES, "I7", || {
            format!("{id} belongs to another and was asked for {count} times within {SPAN:#}")
        })
    }
}

fn is_event(call: &Call) -> bool {
    call.path.starts_with("/apis/events.k8s.io/")
}
