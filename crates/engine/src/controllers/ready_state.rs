//! The condition `Ready` of the objects of a controller, for counting.

use std::sync::Arc;

use api::conditions::{self, ConditionType, Reason};
use api::status::Status;
use domain::plan::Kind;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use kube::core::object::HasStatus;

use crate::caches::Caches;
use crate::caches::watched::Watched;

/// An object's condition Ready.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ReadyState {
    pub(crate) kind: &'static str,
    pub(crate) namespace: String,
    pub(crate) ready: String,
    pub(crate) reason: String,
    /// Since when it is not ready, if its readiness is expected; it is not for an object that is
    /// being deleted or suspended, nor for a job that failed for good.
    pub(crate) waits_since: Option<Timestamp>,
}

/// The condition Ready of each object of a kind.
pub(super) fn list_ready_states<K>(caches: &Caches) -> Vec<ReadyState>
where
    K: Watched + HasStatus<Status: Status>,
{
    let all = caches.of::<K>().all();
    let state = |object: &Arc<K>| {
        let conditions = object.status().map(Status::conditions);
        let (ready, reason) = ready_labels(conditions);
        ReadyState {
            kind: Kind::of::<K>().name(),
            namespace: object.meta().namespace.clone().unwrap_or_default(),
            ready,
            reason,
            waits_since: waits_since(object.meta(), conditions.unwrap_or_default()),
        }
    };
    all.iter().map(state).collect()
}

/// Status and reason of condition Ready.
pub(crate) fn ready_labels(conditions: Option<&[Condition]>) -> (String, String) {
    let found = conditions.and_then(|c| conditions::find(c, ConditionType::Ready));
    found.map_or_else(
        || ("Unknown".to_owned(), String::new()),
        |c| (c.status.clone(), c.reason.clone()),
    )
}

fn waits_since(meta: &ObjectMeta, conditions: &[Condition]) -> Option<Timestamp> {
    let failed = conditions::find(conditions, ConditionType::Failed);
    if meta.deletion_timestamp.is_some() || failed.is_some_and(|c| c.status == "True") {
        return None;
    }
    let ready = conditions::find(conditions, ConditionType::Ready);
    let waits_on_purpose = [
        Reason::Suspended,
        Reason::WaitingForQuota,
        Reason::QuotaEvicted,
    ];
    if ready.is_some_and(|c| {
        waits_on_purpose
            .iter()
            .any(|r| c.reason == <&str>::from(*r))
    }) {
        return None;
    }
    let since = false_since(meta, conditions, ConditionType::Ready)?;
    // The wait of a set that was resumed begins with the resume.
    let resumed = conditions::find(conditions, ConditionType::Suspended);
    let resumed = resumed.map_or(Timestamp::MIN, |c| c.last_transition_time.0);
    Some(since.max(resumed))
}

/// Since when the condition is not True; since the start if there is none yet.
pub(crate) fn false_since(
    meta: &ObjectMeta,
    conditions: &[Condition],
    type_: ConditionType,
) -> Option<Timestamp> {
    let created = meta.creation_timestamp.as_ref();
    match conditions::find(conditions, type_) {
        Some(found) if found.status == "True" => None,
        Some(found) => Some(found.last_transition_time.0),
        None => created.map(|at| at.0),
    }
}
