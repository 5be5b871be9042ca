//! The writes of plans, with the preconditions that the API server checks.

use domain::Key;
use domain::plan::{Action, Check, CheckAnswer, GuardedPatch, Object, Target};
use serde_json::{Value, json};

use super::record::{self, Record};
use super::{Id, World, bug};
use crate::exit::Failure;
use crate::json;
use crate::plan::checks::{PlannedAnswer, PlannedCheck};

/// The result of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// The write succeeded.
    Done,
    /// The object changed since it was observed, or is gone: the controller decides again.
    Outdated,
    /// The name belongs to another owner.
    Taken,
    /// A question was answered: the controller decides again.
    Answered,
}

impl World {
    /// Executes one write and records it.
    pub(super) fn carry_out(&mut self, action: &Action) -> Result<Written, Failure> {
        let id = (action.kind(), action.key());
        let before = self.get(&id).cloned();
        let written = match action {
            Action::Create(object) => self.create(&id, encode(object)?)?,
            Action::Check(check) => self.answer(check),
            Action::Replace(object) | Action::ReplaceStatus(object) => {
                self.replace(&id, encode(object)?)?
            }
            Action::Merge { target, patch } => self.merge(target, patch)?,
            Action::Patch { patch, .. } => self.patch(patch)?,
            Action::Delete {
                target,
                resource_version,
                ..
            } => self.delete_as_seen(target, resource_version.as_deref())?,
            Action::Finalizers {
                target,
                resource_version,
                finalizers,
            } => {
                let meta = json!({"resourceVersion": resource_version, "finalizers": finalizers});
                self.merge(target, &json!({ "metadata": meta }))?
            }
        };
        if written == Written::Done {
            self.log.push(Record {
                decision: self.decisions,
                verb: action.verb(),
                purpose: action.purpose(),
                after: self.get(&id).map(record::shorten),
                before: before.as_ref().map(record::shorten),
                id,
            });
        }
        Ok(written)
    }

    /// Answers as the API server did, if it was asked.
    fn answer(&mut self, check: &Check) -> Written {
        let clique = &check.template.clique;
        let answer = self
            .answers
            .get(clique)
            .cloned()
            .unwrap_or(PlannedAnswer::Accepted);
        let known = match &answer {
            PlannedAnswer::Refused(words) => CheckAnswer::Refused(words.clone()),
            PlannedAnswer::Accepted | PlannedAnswer::Unanswered(_) => CheckAnswer::Accepted,
        };
        self.caches
            .check_answers
            .insert(&check.template, known, self.now);
        if self.checks.iter().all(|asked| asked.clique != *clique) {
            self.checks.push(PlannedCheck {
                clique: clique.clone(),
                answer,
                check: check.clone(),
            });
        }
        Written::Answered
    }

    fn create(&mut self, id: &Id, body: Value) -> Result<Written, Failure> {
        if self.get(id).is_some() {
            return Ok(Written::Taken);
        }
        self.insert_new(id, body)?;
        Ok(Written::Done)
    }

    fn replace(&mut self, id: &Id, body: Value) -> Result<Written, Failure> {
        let Some(before) = self.get(id) else {
            return Ok(Written::Outdated);
        };
        if version_of(before) != version_of(&body) {
            return Ok(Written::Outdated);
        }
        self.put(id, body)?;
        Ok(Written::Done)
    }

    fn merge(&mut self, target: &Target, patch: &Value) -> Result<Written, Failure> {
        let Some((id, mut next)) = self.find_target(target) else {
            return Ok(Written::Outdated);
        };
        let version = version_of(&next).to_owned();
        json_patch::merge(&mut next, patch);
        if version_of(&next) != version {
            return Ok(Written::Outdated);
        }
        self.put(&id, next)?;
        Ok(Written::Done)
    }

    fn patch(&mut self, patch: &GuardedPatch) -> Result<Written, Failure> {
        let Some((id, mut next)) = self.find_target(patch.target()) else {
            return Ok(Written::Outdated);
        };
        let operations: json_patch::Patch = serde_json::from_value(patch.operations().into())
            .map_err(|error| bug(&format!("not a patch: {error}")))?;
        if json_patch::patch(&mut next, &operations).is_err() {
            return Ok(Written::Outdated);
        }
        self.put(&id, next)?;
        Ok(Written::Done)
    }

    fn delete_as_seen(
        &mut self,
        target: &Target,
        version: Option<&str>,
    ) -> Result<Written, Failure> {
        let Some((id, found)) = self.find_target(target) else {
            return Ok(Written::Outdated);
        };
        if version.is_some_and(|seen| seen != version_of(&found)) {
            return Ok(Written::Outdated);
        }
        self.delete(&id)?;
        Ok(Written::Done)
    }

    /// The object, if it is still the same.
    fn find_target(&self, target: &Target) -> Option<(Id, Value)> {
        let id = (target.kind, Key::clone(&target.key));
        let found = self.get(&id)?;
        let is_it = json::meta(found, "uid") == target.uid;
        is_it.then(|| (id, (**found).clone()))
    }

    /// Writes the status of an object in the version that was observed.
    pub(super) fn write_status(
        &mut self,
        id: &Id,
        observed: Option<&str>,
        status: Value,
    ) -> Result<Written, Failure> {
        let Some(before) = self.get(id).cloned() else {
            return Ok(Written::Outdated);
        };
        if Some(version_of(&before)) != observed {
            return Ok(Written::Outdated);
        }
        let mut next = (*before).clone();
        json::set(&mut next, "", "status", status);
        self.put_all(id, next)?;
        self.note_progress(id, &before);
        Ok(Written::Done)
    }
}

fn encode(object: &Object) -> Result<Value, Failure> {
    let bytes = object.encode().map_err(|error| bug(&error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| bug(&error.to_string()))
}

fn version_of(object: &Value) -> &str {
    json::meta(object, "resourceVersion")
}
