//! What condition `Ready` says of the objects of a controller, for whoever counts them.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::status::Status;
use domain::plan::Kind;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::core::object::HasStatus;

use crate::caches::Caches;
use crate::caches::watched::Watched;

/// What an object's condition Ready says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ReadyState {
    pub(crate) kind: &'static str,
    pub(crate) ready: String,
    pub(crate) reason: String,
}

/// What condition Ready says of each object of a kind.
pub(super) fn list_ready_states<K>(caches: &Caches) -> Vec<ReadyState>
where
    K: Watched + HasStatus<Status: Status>,
{
    let all = caches.of::<K>().all();
    let state = |object: &Arc<K>| {
        let (ready, reason) = ready_labels(object.status().map(Status::conditions));
        ReadyState {
            kind: Kind::of::<K>().name(),
            ready,
            reason,
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
