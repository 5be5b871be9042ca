//! The pods that exist, with what was known when it was decided where they may go.

use std::collections::BTreeMap;

use api::labels;
use serde_json::Value;

use super::is_operator;
use crate::store::{Record, Store, Stored};
use crate::topology::scopes::{self, Scope};
use crate::view;

/// How much of the log had been seen at a decision: of the workload, and of the nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decided {
    pub view: usize,
    pub nodes: usize,
}

impl Decided {
    fn at(position: usize) -> Self {
        Self {
            view: position,
            nodes: position,
        }
    }

    /// What both had seen.
    pub(super) fn earlier(self, other: Self) -> Self {
        Self {
            view: self.view.min(other.view),
            nodes: self.nodes.min(other.nodes),
        }
    }
}

/// A pod.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pod: Stored,
    /// Name of the PodClique for which it was created.
    podclique: String,
    /// The earliest decision about it: the first list of a PodGang that names it.
    pub decided: Decided,
    /// Its node, as that was when the pod got it, and when that was.
    pub node: Option<Value>,
    pub bound_at: usize,
    /// Whether somebody else edited it in a way that the operator decides by.
    is_edited: bool,
}

impl Member {
    pub(super) fn uid(&self) -> &str {
        view::uid(&self.pod)
    }

    pub(super) fn name(&self) -> &str {
        view::name(&self.pod)
    }

    pub(super) fn namespace(&self) -> &str {
        view::namespace(&self.pod)
    }

    /// Its scopes that require a level, if it counts in them.
    pub(super) fn scopes(&self, store: &Store) -> Vec<Scope> {
        scopes::of_standing_pod(store, &self.pod)
    }
}

/// All pods, by uid.
#[derive(Clone, Debug, Default)]
pub(super) struct Members(BTreeMap<String, Member>);

impl Members {
    pub(super) fn get(&self, uid: &str) -> Option<&Member> {
        self.0.get(uid)
    }

    /// Those that have a node and stay.
    pub(super) fn bound(&self) -> impl Iterator<Item = &Member> {
        let is_bound = |member: &&Member| member.bound_at > 0 && view::is_live(&member.pod);
        self.0.values().filter(is_bound)
    }

    /// The scopes with a pod that somebody else edited.
    pub(super) fn edited_scopes(&self) -> impl Iterator<Item = String> {
        let edited = self.0.values().filter(|member| member.is_edited);
        edited.flat_map(|member| scopes::names(&member.podclique, &member.pod))
    }

    /// Returns whether the pod has just got its node, which is `node`.
    pub(super) fn note(&mut self, record: &Record, position: usize, node: Option<Value>) -> bool {
        let uid = view::uid(&record.last).to_owned();
        let Some(pod) = &record.after else {
            self.0.remove(&uid);
            return false;
        };
        let member = self.0.entry(uid).or_insert_with(|| Member {
            podclique: podclique_of(pod),
            pod: pod.clone(),
            decided: Decided::at(position),
            node: None,
            bound_at: 0,
            is_edited: !is_operator(record),
        });
        member.pod = pod.clone();
        if let Some(before) = &record.before {
            member.is_edited |= is_edit(record, before, pod);
        }
        let is_bound = !view::text(pod, "/spec/nodeName").is_empty();
        if !is_bound || member.bound_at > 0 {
            return false;
        }
        (member.node, member.bound_at) = (node, position);
        true
    }

    /// The pods that the operator lists by this record were decided on with this view.
    pub(super) fn note_list(&mut self, record: &Record, decided: Decided) {
        let parts = |gang: &'_ Value| -> Vec<String> {
            let groups = view::list(gang, "/spec/podgroups");
            let pods = groups.flat_map(|group| view::list(group, "/podReferences"));
            pods.map(|pod| view::text(pod, "/name").to_owned())
                .collect()
        };
        let listed = record
            .after
            .as_ref()
            .map_or_else(Vec::new, |gang| parts(gang));
        for member in self.0.values_mut() {
            let is_meant = member.namespace() == record.id.namespace && member.bound_at == 0;
            if is_meant && listed.iter().any(|name| name == member.name()) {
                member.decided = member.decided.earlier(decided);
            }
        }
    }
}

fn podclique_of(pod: &Value) -> String {
    let owner = view::owner(pod);
    owner.map_or_else(String::new, |(_, name, _)| name.to_owned())
}

/// Whether the record changes the owner of the pod, or somebody else its labels or our gate.
fn is_edit(record: &Record, before: &Value, after: &Value) -> bool {
    let differs = |path| view::at(before, path) != view::at(after, path);
    let has_gate = |pod| view::gates(pod).contains(&labels::POD_GANG_GATE);
    let is_foreign = !is_operator(record);
    differs("/metadata/ownerReferences")
        || is_foreign && (differs("/metadata/labels") || has_gate(before) && !has_gate(after))
}
