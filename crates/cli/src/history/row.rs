//! The revisions as rows.

use std::collections::{BTreeMap, BTreeSet};

use api::PodCliqueSet;
use domain::Revision;
use domain::object::{indices, ownership};
use domain::update;
use domain::workload::revision::{Revisions, read_hashes};
use jiff::Timestamp;
use serde::Serialize;

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
}

/// The rows of a set.
pub fn list_rows(set: &PodCliqueSet, revisions: &Revisions) -> History {
    let mut rows = Vec::new();
    let mut older: Option<BTreeMap<String, String>> = None;
    for found in revisions.iter() {
        let hashes = read_hashes(found);
        let changed = older.as_ref().map_or_else(Vec::new, |older| {
            let differs = |(name, hash): &(&String, &String)| older.get(*name) != Some(*hash);
            let changed = hashes.iter().filter(differs);
            changed.map(|(name, _)| name.clone()).collect()
        });
        rows.push(row(set, found, changed));
        older = Some(hashes);
    }
    rows.reverse();
    History {
        set: ownership::name(&set.metadata).to_owned(),
        revisions: rows,
    }
}

fn row(set: &PodCliqueSet, found: &Revision, changed_cliques: Vec<String>) -> Row {
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
        changed_cliques,
        replicas: indices::format(&replicas),
    }
}
