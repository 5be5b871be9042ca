//! What happened to pods with topology constraints, and to nodes.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::check::{LATE, OPERATOR};
use crate::resource::{Id, Resource};
use crate::store::{Record, Store, Stored};
use crate::topology::{self, domain, pin, scopes};
use crate::view;

/// The cases in the log, each as often as it happened.
pub(super) fn cases(store: &Store) -> Vec<&'static str> {
    if !topology::is_installed(store) {
        return Vec::new();
    }
    let mut read = Reader::default();
    for record in &store.log {
        match record.id.resource {
            Resource::Node => read.node(record),
            Resource::Pod => read.pod(record),
            Resource::PodCliqueSet => {
                if let Some(set) = &record.after {
                    read.sets.insert(record.id.clone(), set.clone());
                }
            }
            _ => {}
        }
    }
    read.cases
}

#[derive(Default)]
struct Reader {
    cases: Vec<&'static str>,
    sets: BTreeMap<Id, Stored>,
    nodes: BTreeMap<String, Stored>,
    /// The last domain of each scope.
    last: BTreeMap<String, Vec<String>>,
}

impl Reader {
    fn node(&mut self, record: &Record) {
        let Some(node) = &record.after else {
            return self.cases.push("node lost");
        };
        let labels = |node: &Value| view::at(node, "/metadata/labels").cloned();
        let known = self.nodes.insert(record.id.name.clone(), node.clone());
        let Some(known) = known else { return };
        if record.before.is_none() {
            self.cases.push("node came back");
        }
        if labels(&known) != labels(node) {
            self.cases.push("node got other labels");
        }
    }

    fn pod(&mut self, record: &Record) {
        let is_ours = [OPERATOR, LATE].contains(&record.actor);
        let is_bound = |pod: &Value| !view::text(pod, "/spec/nodeName").is_empty();
        let goes = |pod: &Value| view::is_terminating(pod);
        let (before, after) = (record.before.as_ref(), record.after.as_ref());
        let was_pinned = before.is_some_and(|pod| pin(pod).is_some());
        if is_ours && !was_pinned && after.is_some_and(|pod| pin(pod).is_some()) {
            self.cases.push("pod pinned");
        }
        let is_deleted = after.is_none_or(|pod| goes(pod))
            && before.is_some_and(|pod| !goes(pod) && !is_bound(pod));
        if is_ours && was_pinned && is_deleted {
            self.cases.push("pinned pod deleted before it had a node");
        }
        let was_bound = before.is_some_and(|pod| is_bound(pod));
        if let Some(pod) = after.filter(|pod| !was_bound && is_bound(pod)) {
            self.bound(record, pod);
        }
    }

    fn bound(&mut self, record: &Record, pod: &Value) {
        self.cases.push(match pin(pod) {
            Some(_) => "pinned pod placed",
            None => "pod placed without a pin",
        });
        let id = record.id.beside(Resource::PodCliqueSet, view::set_of(pod));
        let node = self.nodes.get(view::text(pod, "/spec/nodeName"));
        let owner = view::owner(pod);
        let (Some(set), Some(node), Some((_, podclique, _))) = (self.sets.get(&id), node, owner)
        else {
            return;
        };
        for scope in scopes::of_pod(set, podclique, pod) {
            let domain = domain(node, scope.position).unwrap_or_default();
            let domain: Vec<String> = domain.into_iter().map(str::to_owned).collect();
            let last = self.last.insert(scope.name, domain.clone());
            if last.is_some_and(|last| last != domain) {
                self.cases.push("scope started anew elsewhere");
            }
        }
    }
}
