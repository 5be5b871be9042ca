//! The common part of the statuses of our kinds.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::Serialize;

use crate::podcliqueset::ReplicaAttempt;
use crate::topology::ClusterTopologyBindingStatus;
use crate::{
    LastError, PodCliqueScalingGroupStatus, PodCliqueSetStatus, PodCliqueStatus, PodGangStatus,
};

/// A status of one of our kinds.
pub trait Status: Clone + PartialEq + Serialize + Send + Sync + 'static {
    /// The conditions.
    fn conditions(&self) -> &[Condition];

    /// The conditions, for changes.
    fn conditions_mut(&mut self) -> &mut Vec<Condition>;

    /// The errors; none if this status has no list of them.
    fn last_errors(&self) -> &[LastError];

    /// The list of errors, if this status has one.
    fn last_errors_mut(&mut self) -> Option<&mut Vec<LastError>>;

    /// How often each replica was terminated, with the cause.
    fn replica_attempts(&self) -> &[ReplicaAttempt];
}

impl Status for PodCliqueSetStatus {
    fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    fn last_errors(&self) -> &[LastError] {
        &self.last_errors
    }

    fn last_errors_mut(&mut self) -> Option<&mut Vec<LastError>> {
        Some(&mut self.last_errors)
    }

    fn replica_attempts(&self) -> &[ReplicaAttempt] {
        &self.replica_attempts
    }
}

impl Status for PodCliqueScalingGroupStatus {
    fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    fn last_errors(&self) -> &[LastError] {
        &self.last_errors
    }

    fn last_errors_mut(&mut self) -> Option<&mut Vec<LastError>> {
        Some(&mut self.last_errors)
    }

    fn replica_attempts(&self) -> &[ReplicaAttempt] {
        &self.replica_attempts
    }
}

impl Status for PodCliqueStatus {
    fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    fn last_errors(&self) -> &[LastError] {
        &self.last_errors
    }

    fn last_errors_mut(&mut self) -> Option<&mut Vec<LastError>> {
        Some(&mut self.last_errors)
    }

    fn replica_attempts(&self) -> &[ReplicaAttempt] {
        &[]
    }
}

impl Status for PodGangStatus {
    fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    fn last_errors(&self) -> &[LastError] {
        &[]
    }

    fn last_errors_mut(&mut self) -> Option<&mut Vec<LastError>> {
        None
    }

    fn replica_attempts(&self) -> &[ReplicaAttempt] {
        &[]
    }
}

impl Status for ClusterTopologyBindingStatus {
    fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    fn conditions_mut(&mut self) -> &mut Vec<Condition> {
        &mut self.conditions
    }

    fn last_errors(&self) -> &[LastError] {
        &[]
    }

    fn last_errors_mut(&mut self) -> Option<&mut Vec<LastError>> {
        None
    }

    fn replica_attempts(&self) -> &[ReplicaAttempt] {
        &[]
    }
}
