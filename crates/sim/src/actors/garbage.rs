//! Kubernetes' garbage collector.

use std::collections::BTreeMap;

use api::labels;
use serde_json::Value;

use crate::resource::Id;
use crate::store::{Store, Stored};
use crate::{Rng, view};

/// Deletes objects whose owners are gone, and releases objects that have to outlive their owner.
///
/// For `--cascade=orphan` it makes one pass: it removes the references that it knows at the
/// beginning, then removes its finalizer. A child that appears meanwhile keeps its reference.
#[derive(Clone, Debug, Default)]
pub struct GarbageCollector {
    /// The children still to be released, by uid of the terminating owner.
    passes: BTreeMap<String, Vec<Id>>,
}

impl GarbageCollector {
    /// Makes one move, if there is one to make.
    pub fn act(&mut self, store: &mut Store, rng: &mut Rng) -> bool {
        collect_one(store, rng) || self.orphan_one(store, rng)
    }

    fn orphan_one(&mut self, store: &mut Store, rng: &mut Rng) -> bool {
        let is_going = |(_, o): &(&Id, &Stored)| view::is_terminating(o) && view::is_orphaning(o);
        let Some((id, owner)) = store.objects().find(is_going) else {
            return false;
        };
        let (id, uid) = (id.clone(), view::uid(owner).to_owned());
        let is_of = |reference: &Value| view::text(reference, "/uid") == uid;
        let left = self
            .passes
            .entry(uid.clone())
            .or_insert_with(|| dependents_of(store, &uid));
        if left.is_empty() {
            self.passes.remove(&uid);
            remove_from(store, &id, "finalizers", |f| f == labels::ORPHAN_FINALIZER);
        } else {
            let dependent = left.swap_remove(rng.below(left.len()));
            remove_from(store, &dependent, "ownerReferences", is_of);
        }
        true
    }
}

fn dependents_of(store: &Store, owner: &str) -> Vec<Id> {
    let is_of = |reference: &Value| view::text(reference, "/uid") == owner;
    let is_dependent = |o: &Value| view::list(o, "/metadata/ownerReferences").any(is_of);
    let dependents = store.objects().filter(|(_, o)| is_dependent(o));
    dependents.map(|(id, _)| id.clone()).collect()
}

/// Deletes one object whose owners are all gone.
fn collect_one(store: &mut Store, rng: &mut Rng) -> bool {
    let lost: Vec<Id> = store
        .objects()
        .filter(|(_, o)| has_lost_owners(store, o) && !view::is_terminating(o))
        .map(|(id, _)| id.clone())
        .collect();
    let Some(id) = rng.pick(&lost) else {
        return false;
    };
    store.remove(COLLECTOR, id);
    true
}

/// The actor's name.
pub const COLLECTOR: &str = "garbage collector";

fn remove_from(store: &mut Store, id: &Id, list: &str, is_meant: impl Fn(&Value) -> bool) {
    store.edit(COLLECTOR, id, |object| {
        if let Some(items) = object["metadata"][list].as_array_mut() {
            items.retain(|item| !is_meant(item));
        }
    });
}

fn has_lost_owners(store: &Store, object: &Value) -> bool {
    let mut owners = view::list(object, "/metadata/ownerReferences").peekable();
    owners.peek().is_some() && owners.all(|o| store.by_uid(view::text(o, "/uid")).is_none())
}
