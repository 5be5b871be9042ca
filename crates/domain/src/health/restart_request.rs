//! The restart of one replica that a user asks for in an annotation of the set (decision 182).
//!
//! ```text
//! annotation  {"replica": 2, "attempt": 5}
//! stored attempt of replica 2          5 ──▶ 6      the write that answers the request
//!                                                   it names 5: it is void from here on
//! ```
//!
//! The request is a compare-and-set: nothing else has to be stored, removed or remembered.

use api::podcliqueset::ReplicaAttempt;
use api::{PodCliqueSet, PodCliqueSetStatus, labels};
use serde::{Deserialize, Serialize};

use super::fence::{self, AttemptCause};
use super::{suspension, training};
use crate::object::ownership;
use crate::workload::limits;

/// Bytes of a reason. The status keeps it with the attempt.
pub const LONGEST_REASON: usize = 256;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestartRequest {
    /// Index of the replica, from 0.
    pub replica: i32,
    /// The attempt of the replica that ends.
    pub attempt: i32,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why a request has no effect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It has another form.
    #[error("is no request for a restart: {0}")]
    Unreadable(String),
    /// Its reason is too long, or has control characters.
    #[error("its reason must be one line of at most 256 bytes")]
    Reason,
    /// The set is a job.
    #[error("the set is a job, whose replicas restart within trainingSpec.maxRestarts")]
    Job,
    /// The set is being deleted.
    #[error("the set is being deleted")]
    Deleted,
    /// The set is suspended.
    #[error("the set is suspended, so nothing of it runs")]
    Suspended,
    /// The set has no replica of that index.
    #[error("there is no replica {replica}: spec.replicas is {replicas}, and the first index is 0")]
    NoSuchReplica {
        /// The index.
        replica: i32,
        /// Replicas of the set.
        replicas: i32,
    },
    /// The replica is in another attempt.
    #[error("replica {replica} is in attempt {stored}, not in {asked}")]
    OtherAttempt {
        /// The index.
        replica: i32,
        /// The attempt in the request.
        asked: i32,
        /// The stored one.
        stored: i32,
    },
}

impl Refusal {
    /// The remedy; `set` is the name of the set.
    pub fn remedy(&self, set: &str) -> String {
        match self {
            Self::Unreadable(_) => format!(
                "let `kubectl grove restart {set} --replica 0` write it, in the form \
                 {{\"replica\": 0, \"attempt\": 0, \"reason\": \"new driver\"}}"
            ),
            Self::Reason => "shorten the reason to one line".to_owned(),
            Self::Job => format!(
                "to restart a replica within that budget, delete one of its pods: kubectl get pods -l \
                 {}={set}",
                labels::PART_OF
            ),
            Self::Deleted => "apply the manifest again once the set is gone".to_owned(),
            Self::Suspended => {
                format!("start all its gangs with: kubectl grove resume {set}")
            }
            Self::NoSuchReplica { .. } => "name a replica below spec.replicas".to_owned(),
            Self::OtherAttempt { replica, .. } => format!(
                "look whether it was restarted meanwhile: kubectl grove timeline {set}; if it has to \
                 restart again: kubectl grove restart {set} --replica {replica}"
            ),
        }
    }
}

/// Reads a request.
///
/// # Errors
/// If the text has another form, or the reason is too long.
pub fn parse(text: &str) -> Result<RestartRequest, Refusal> {
    let request: RestartRequest =
        serde_json::from_str(text).map_err(|error| Refusal::Unreadable(error.to_string()))?;
    let reason = request.reason.as_deref().unwrap_or_default();
    if reason.len() > LONGEST_REASON || reason.contains(char::is_control) {
        return Err(Refusal::Reason);
    }
    Ok(request)
}

/// The request in the annotations of a stored set that waits for the operator. `acted_on` is the set by
/// which the operator acts.
pub fn find_waiting(stored: &PodCliqueSet, acted_on: &PodCliqueSet) -> Option<RestartRequest> {
    let text = ownership::annotation(&stored.metadata, labels::RESTART_REPLICA)?;
    let request = parse(text).ok()?;
    let verdict = request.check(acted_on, stored.status.as_ref());
    verdict.is_ok().then_some(request)
}

impl RestartRequest {
    /// Whether the replica of this set has to be restarted, by the stored status.
    ///
    /// # Errors
    /// If it has no effect.
    pub fn check(
        &self,
        set: &PodCliqueSet,
        status: Option<&PodCliqueSetStatus>,
    ) -> Result<(), Refusal> {
        check_set(set, status)?;
        let (replica, replicas) = (self.replica, limits::bounded(set.spec.replicas));
        if !(0..replicas).contains(&replica) {
            return Err(Refusal::NoSuchReplica { replica, replicas });
        }
        let attempts: &[ReplicaAttempt] = status.map_or(&[], |s| &s.replica_attempts);
        let (asked, stored) = (self.attempt, fence::current_attempt(attempts, replica));
        if asked != stored {
            return Err(Refusal::OtherAttempt {
                replica,
                asked,
                stored,
            });
        }
        Ok(())
    }

    /// The cause stored with the attempt that answers it.
    pub fn cause(&self) -> AttemptCause {
        let reason = self.reason.as_deref().map(str::trim);
        let message = match reason.filter(|reason| !reason.is_empty()) {
            Some(reason) => format!("restart on demand: {reason}"),
            None => "restart on demand".to_owned(),
        };
        AttemptCause {
            reason: ReplicaAttempt::REQUESTED.to_owned(),
            message,
        }
    }
}

fn check_set(set: &PodCliqueSet, status: Option<&PodCliqueSetStatus>) -> Result<(), Refusal> {
    if training::is_training(set) {
        return Err(Refusal::Job);
    }
    if ownership::is_terminating(&set.metadata) {
        return Err(Refusal::Deleted);
    }
    if set.spec.suspend || suspension::is_suspended(status) {
        return Err(Refusal::Suspended);
    }
    Ok(())
}
