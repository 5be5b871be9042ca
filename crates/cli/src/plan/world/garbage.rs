//! The garbage collector: it deletes objects without owners.

use domain::plan::Kind;
use serde_json::Value;

use super::{Id, World};
use crate::exit::Failure;
use crate::json;

impl World {
    /// Deletes the objects whose last owner had this uid.
    pub(super) fn collect_garbage(&mut self, uid: &str) -> Result<(), Failure> {
        let dependents = self.dependents.remove(uid).unwrap_or_default();
        for id in dependents {
            let found = self.get(&id);
            let is_owned = |object: &Value| owners(object).any(|owner| self.uids.contains(owner));
            if found.is_some_and(|object| !is_owned(object)) {
                self.delete(&id)?;
            }
        }
        Ok(())
    }

    pub(super) fn note_owners(&mut self, id: &Id, object: &Value) {
        for owner in owners(object) {
            let dependents = self.dependents.entry(owner.to_owned()).or_default();
            dependents.insert(id.clone());
        }
    }

    pub(super) fn forget_owners(&mut self, id: &Id, object: &Value) {
        for owner in owners(object) {
            if let Some(dependents) = self.dependents.get_mut(owner) {
                dependents.remove(id);
            }
        }
    }

    /// The objects of that kind that this one owns, by name.
    pub fn owned_by(&self, owner: &Value, kind: Kind) -> Vec<&Value> {
        let all = self.dependents.get(json::meta(owner, "uid"));
        all.into_iter()
            .flatten()
            .filter(|id| id.0 == kind)
            .filter_map(|id| Some(&**self.get(id)?))
            .collect()
    }
}

fn owners(object: &Value) -> impl Iterator<Item = &str> {
    let all = json::items(object, "/metadata/ownerReferences");
    all.map(|owner| json::member(owner, "uid"))
}
