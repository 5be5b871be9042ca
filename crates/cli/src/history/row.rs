//! The revisions as rows.

use std::collections::{BTreeMap, BTreeSet};

use api::PodCliqueSet;
use domain::Revision;
use domain::object::{indices, ownership};
use domain::update;
use domain::workload::revision::{RevisionClique, Revisions, decode};
use jiff::Timestamp;
use serde::Serialize;

use crate::restart::{CHANGE_CAUSE, RESTARTED_AT};

/// The cliques of a revision, by name.
type Cliques = BTreeMap<String, RevisionClique>;

/// The revisions of a set, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// Name of the set.
    pub set: String,
    /// Its revisions.
    pub revisions: Vec<Row>,
}

/// One revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its number: `kubectl grove undo --to` takes it.
    pub revision: i64,
    /// Name of the ControllerRevision.
    pub name: String,
    /// When it was first accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<Timestamp>,
    /// Whether the operator accepted these templates last.
    pub is_current: bool,
    /// The cliques whose templates differ from the next older revision.
    pub changed_cliques: Vec<String>,
    /// Indexes of the replicas of the set that have these templates, or get them with their turn:
    /// `0-3,5`.
    pub replicas: String,
    /// The reason of the restart that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The rows of a set.
pub fn list_rows(set: &PodCliqueSet, revisions: &Revisions) -> History {
    let mut rows = Vec::new();
    let mut older: Option<Cliques> = None;
    for found in revisions.iter() {
        let cliques = read_cliques(found);
        let mut row = row(set, found);
        if let Some(older) = &older {
            row.changed_cliques = list_changed(&cliques, older);
            row.reason = find_reason(&cliques, older);
        }
        rows.push(row);
        older = Some(cliques);
    }
    rows.reverse();
    History {
        set: ownership::name(&set.metadata).to_owned(),
        revisions: rows,
    }
}

/// None if somebody edited the revision into something else.
fn read_cliques(revision: &Revision) -> Cliques {
    let content = decode(revision);
    let cliques = content.map(|content| content.cliques).unwrap_or_default();
    let cliques = cliques.into_iter();
    cliques
        .map(|clique| (clique.name.clone(), clique))
        .collect()
}

/// The cliques whose templates differ from those of an older revision.
fn list_changed(cliques: &Cliques, older: &Cliques) -> Vec<String> {
    let differs = |(name, clique): &(&String, &RevisionClique)| {
        older.get(*name).map(|older| &older.hash) != Some(&clique.hash)
    };
    let changed = cliques.iter().filter(differs);
    changed.map(|(name, _)| name.clone()).collect()
}

/// The reasons of the cliques whose restart is newer than that of an older revision: an edit of the
/// template keeps the annotations of the last restart.
fn find_reason(cliques: &Cliques, older: &Cliques) -> Option<String> {
    let is_restarted = |(name, clique): &(&String, &RevisionClique)| {
        restarted_at(clique) != older.get(*name).and_then(restarted_at)
    };
    let restarted = cliques.iter().filter(is_restarted);
    let reasons: BTreeSet<&str> = restarted
        .filter_map(|(_, clique)| annotation(clique, CHANGE_CAUSE))
        .collect();
    let reasons: Vec<&str> = reasons.into_iter().collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn restarted_at(clique: &RevisionClique) -> Option<&str> {
    annotation(clique, RESTARTED_AT)
}

fn annotation<'a>(clique: &'a RevisionClique, key: &str) -> Option<&'a str> {
    let meta = clique.template.metadata.as_ref()?;
    meta.annotations.as_ref()?.get(key).map(String::as_str)
}

/// The row without the differences from the next older revision.
fn row(set: &PodCliqueSet, found: &Revision) -> Row {
    let status = set.status.as_ref();
    let current = status.and_then(|status| status.current_revision.as_deref());
    let is_current = current == Some(found.name());
    let has_it = |replica: &i32| {
        let own = status.and_then(|status| update::revision_of(status, *replica));
        own.map_or(is_current, |own| own == found.name())
    };
    // Its units below a partition are on this one.
    let entries = status.map_or(&[][..], |status| &status.replica_revisions);
    let of_older = entries
        .iter()
        .filter(|entry| !entry.from.is_empty() && entry.older.as_deref() == Some(found.name()))
        .map(|entry| entry.replica);
    let own = (0..set.spec.replicas).filter(has_it);
    let replicas: BTreeSet<i32> = own.chain(of_older).collect();
    Row {
        revision: found.revision,
        name: found.name().to_owned(),
        created: found.metadata.creation_timestamp.as_ref().map(|at| at.0),
        is_current,
        changed_cliques: Vec::new(),
        replicas: indices::format(&replicas),
        reason: None,
    }
}
