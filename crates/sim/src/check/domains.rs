//! I55: no two bound pods of a scope are in two domains of the level that the scope requires, judged
//! whenever a pod gets its node.
//!
//! Nobody can keep a scope together of which others moved a part: no pod is judged by what was
//! decided while a pod, or an object above it, had been edited by somebody else, while its scope
//! was scattered already, or while a node had other labels.

mod members;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use self::members::{Decided, Member, Members};
use super::window::Window;
use super::{Checked, LATE, OPERATOR, demand};
use crate::resource::Resource;
use crate::store::Record;
use crate::topology::scopes::Scope;
use crate::topology::{self, domain};
use crate::view;

/// What the invariant remembers of the log. Positions are lengths of the log: 0 means never.
#[derive(Clone, Debug, Default)]
pub(super) struct Domains {
    members: Members,
    /// The nodes as they were last, by name, also of nodes that are gone.
    nodes: BTreeMap<String, Value>,
    /// When a node last had other labels than before.
    relabelled: usize,
    /// When each scope was last irregular, and the scopes that are.
    irregular: BTreeMap<String, usize>,
    are_irregular: BTreeSet<String>,
    /// When somebody else last changed the objects above the pods of a namespace.
    edited: BTreeMap<String, usize>,
}

impl Domains {
    pub(super) fn check(&mut self, window: &Window<'_>, record: &Record) -> Checked {
        if !topology::is_installed(window.store) {
            return Ok(());
        }
        let position = window.position + 1;
        match record.id.resource {
            Resource::Node => {
                self.note_node(record, position);
                return Ok(());
            }
            Resource::Pod => {
                let node = record.after.as_ref().and_then(|pod| self.node_of(pod));
                let is_bound = self.members.note(record, position, node);
                if is_bound {
                    self.judge(window, record)?;
                }
            }
            Resource::PodGang => {
                self.note_edit(record, position);
                if is_operator(record) {
                    self.members.note_list(record, decided(window));
                }
            }
            Resource::PodCliqueSet | Resource::PodCliqueScalingGroup | Resource::PodClique => {
                self.note_edit(record, position);
            }
            _ => return Ok(()),
        }
        if moves(record) {
            self.note_irregular(window, position);
        }
        Ok(())
    }

    fn node_of(&self, pod: &Value) -> Option<Value> {
        self.nodes.get(view::text(pod, "/spec/nodeName")).cloned()
    }

    fn note_node(&mut self, record: &Record, position: usize) {
        let Some(node) = &record.after else { return };
        let labels = |node: &Value| view::at(node, "/metadata/labels").cloned();
        let known = self.nodes.insert(record.id.name.clone(), (**node).clone());
        if known.is_some_and(|known| labels(&known) != labels(node)) {
            self.relabelled = position;
        }
    }

    /// Somebody else deletes, creates or edits what the operator keeps.
    fn note_edit(&mut self, record: &Record, position: usize) {
        if is_operator(record) {
            return;
        }
        let is_edited = match (&record.before, &record.after) {
            (Some(before), Some(after)) => {
                let is_list = record.id.resource == Resource::PodGang;
                let paths = [
                    "/metadata/deletionTimestamp",
                    "/metadata/labels",
                    "/metadata/ownerReferences",
                ];
                differ(&paths, before, after) || is_list && before["spec"] != after["spec"]
            }
            _ => true,
        };
        if is_edited {
            self.edited.insert(record.id.namespace.clone(), position);
        }
    }

    /// A scope is irregular while somebody else has edited a pod of it, or its pods are in several
    /// domains.
    fn note_irregular(&mut self, window: &Window<'_>, position: usize) {
        let mut present: BTreeSet<String> = self.members.edited_scopes().collect();
        let mut seen: BTreeMap<String, Option<Vec<&str>>> = BTreeMap::new();
        for member in self.members.bound() {
            for scope in member.scopes(window.store) {
                let own = member.domain(&scope);
                if seen.get(&scope.name).is_some_and(|other| *other != own) {
                    present.insert(scope.name.clone());
                }
                seen.insert(scope.name, own);
            }
        }
        for name in present.union(&self.are_irregular) {
            self.irregular.insert(name.clone(), position);
        }
        self.are_irregular = present;
    }

    /// The pod of the record has just got its node.
    fn judge(&self, window: &Window<'_>, record: &Record) -> Checked {
        let Some(own) = self.members.get(view::uid(&record.last)) else {
            return Ok(());
        };
        own.scopes(window.store)
            .iter()
            .try_for_each(|scope| self.judge_scope(window, own, scope))
    }

    fn judge_scope(&self, window: &Window<'_>, own: &Member, scope: &Scope) -> Checked {
        let is_in = |member: &&Member| member.scopes(window.store).contains(scope);
        let peers = self.members.bound().filter(|m| m.uid() != own.uid());
        let peers: Vec<&Member> = peers.filter(is_in).collect();
        let domains: BTreeSet<Option<Vec<&str>>> = peers.iter().map(|m| m.domain(scope)).collect();
        let elsewhere = |member: &&&Member| member.domain(scope) != own.domain(scope);
        let Some(other) = peers.iter().find(elsewhere).filter(|_| domains.len() == 1) else {
            return Ok(());
        };
        demand(self.is_excused(own, other, scope), "I55", || {
            let [here, there] = [own, other].map(|m| m.domain(scope).unwrap_or_default());
            format!(
                "{} is placed in {here:?}, and {} of scope {} is in {there:?}",
                own.name(),
                other.name(),
                scope.name,
            )
        })
    }

    /// Whether anything irregular happened since it was decided where these two pods may go. What
    /// was decided about the other one does not matter if it had its node by then.
    fn is_excused(&self, own: &Member, other: &Member, scope: &Scope) -> bool {
        let mut since = own.decided;
        if other.bound_at > since.view {
            since = since.earlier(other.decided);
        }
        let last = |known: Option<&usize>| known.copied().unwrap_or(0);
        let irregular = last(self.irregular.get(&scope.name));
        let edited = last(self.edited.get(own.namespace()));
        self.are_irregular.contains(&scope.name)
            || irregular.max(edited) > since.view
            || self.relabelled > since.nodes
    }
}

/// Whether the record may change which pods are in a scope, or where they are.
fn moves(record: &Record) -> bool {
    const PATHS: [&str; 7] = [
        "/metadata/deletionTimestamp",
        "/metadata/labels",
        "/metadata/ownerReferences",
        "/spec/nodeName",
        "/spec/schedulingGates",
        "/status/phase",
        "/status/replicaAttempts",
    ];
    match (&record.before, &record.after) {
        (Some(before), Some(after)) => differ(&PATHS, before, after),
        _ => true,
    }
}

fn differ(paths: &[&str], before: &Value, after: &Value) -> bool {
    paths
        .iter()
        .any(|path| view::at(before, path) != view::at(after, path))
}

fn is_operator(record: &Record) -> bool {
    record.actor == OPERATOR || record.actor == LATE
}

/// How much had been seen when the checked record was decided.
fn decided(window: &Window<'_>) -> Decided {
    const KINDS: [Resource; 5] = [
        Resource::PodCliqueSet,
        Resource::PodCliqueScalingGroup,
        Resource::PodClique,
        Resource::PodGang,
        Resource::Pod,
    ];
    let seen = KINDS.iter().map(|kind| window.horizon.of(*kind));
    Decided {
        view: seen.min().unwrap_or(0).min(window.position),
        nodes: window.horizon.of(Resource::Node).min(window.position),
    }
}

impl Member {
    /// The domain of its node when it got that.
    fn domain(&self, scope: &Scope) -> Option<Vec<&str>> {
        domain(self.node.as_ref()?, scope.position)
    }
}
