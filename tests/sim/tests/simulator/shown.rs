//! The contents of the operator's caches, object by object: no object goes back to an older
//! version, and no deleted one comes back (docs/semantics.md §10.3).

use std::collections::HashMap;

use api::labels;
use engine::Context;
use serde_json::Value;
use sim::check::Violation;
use sim::{Resource, Store, view};

use crate::views::{self, KINDS};

/// The objects shown at the last look, by uid.
#[derive(Default)]
pub struct Shown(HashMap<String, Sighting>);

struct Sighting {
    kind: Resource,
    version: u64,
    is_going: bool,
    is_gone: bool,
}

impl Shown {
    /// Compares the shown objects with those of the last look.
    pub fn check(&mut self, context: &Context, store: &Store) -> Result<(), Violation> {
        KINDS
            .into_iter()
            .try_for_each(|kind| self.check_kind(kind, views::versions(context, kind), store))
    }

    fn check_kind(
        &mut self,
        kind: Resource,
        shown: HashMap<String, (u64, bool)>,
        store: &Store,
    ) -> Result<(), Violation> {
        let is_lost = |(uid, before): &(&String, &mut Sighting)| {
            before.kind == kind && !before.is_gone && !shown.contains_key(*uid)
        };
        for (uid, before) in self.0.iter_mut().filter(is_lost) {
            before.is_gone = store.by_uid(uid).is_none();
            demand(before.is_gone || was_let_go(store, uid), || {
                format!("{kind} {uid} passes for gone and is there")
            })?;
        }
        for (uid, (version, is_going)) in shown {
            if let Some(before) = self.0.get(&uid) {
                demand(!before.is_gone, || format!("{kind} {uid} is shown again"))?;
                demand(is_going || !before.is_going, || {
                    format!("{kind} {uid} was on its way out and is shown to stay")
                })?;
                demand(before.version <= version, || {
                    let before = before.version;
                    format!("{kind} {uid} is shown at {version} after {before}")
                })?;
            }
            let is_gone = false;
            let sighting = Sighting {
                kind,
                version,
                is_going,
                is_gone,
            };
            self.0.insert(uid, sighting);
        }
        Ok(())
    }
}

/// Whether it lost our label at some time, so that the operator may have ignored it then.
fn was_let_go(store: &Store, uid: &str) -> bool {
    let is_meant = |o: &Value| view::uid(o) == uid;
    let is_strange = |o: &Value| view::label(o, labels::MANAGED_BY) != labels::MANAGER;
    let states = store.log.iter().filter_map(|r| r.after.as_ref());
    states.filter(|o| is_meant(o)).any(|o| is_strange(o))
}

fn demand(holds: bool, message: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds {
        return Ok(());
    }
    Err(Violation {
        invariant: "VIEW",
        message: message(),
    })
}

/// The position in the log, between these two, before which nothing of a kind is shown.
pub fn up_to(context: &Context, store: &Store, kind: Resource, from: usize, to: usize) -> usize {
    let is_ahead = |position: &usize| {
        let record = &store.log[*position];
        let is_older = || {
            let shown = views::version_of(context, &record.id, view::uid(&record.last));
            shown.is_some_and(|shown| shown < record.version)
        };
        record.id.resource == kind && is_older()
    };
    (from..to).find(is_ahead).unwrap_or(to)
}
