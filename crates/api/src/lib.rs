//! The contract with users: kinds, names, labels, conditions. No I/O, no client.
//!
//! ```text
//! PodCliqueSet ──▶ PodCliqueScalingGroup ──▶ PodClique ──▶ Pod
//!      │  └───────────── (standalone) ──────────▲           ▲
//!      └──▶ PodGang ──── lists the pods that start together ┘
//! ```
//!
//! Field names, defaults, enums and scale paths are those of the Grove API, so manifests written
//! for the Go operator work unchanged. Our additions are optional fields only.
// Most comments here become descriptions that `kubectl explain` prints unchanged: they name kinds
// without backticks, as every other API does.
#![allow(clippy::doc_markdown)]
// The printer columns of one kind may have the same type and priority.
#![allow(clippy::duplicated_attributes)]

pub mod causes;
pub mod codes;
pub mod conditions;
pub mod crds;
pub mod duration;
pub mod events;
pub mod kai;
pub mod kueue;
pub mod labels;
pub mod limits;
pub mod names;
pub mod nvidia;
pub mod podclique;
pub mod podcliquescalinggroup;
pub mod podcliqueset;
pub mod podgang;
pub mod resources;
pub mod schema;
mod shared_pod_spec;
pub mod start_order;
pub mod status;
pub mod topology;
pub mod volcano;

pub use duration::GoDuration;
pub use podclique::{PodClique, PodCliqueSpec, PodCliqueStatus};
pub use podcliquescalinggroup::{
    PodCliqueScalingGroup, PodCliqueScalingGroupSpec, PodCliqueScalingGroupStatus,
};
pub use podcliqueset::{PodCliqueSet, PodCliqueSetSpec, PodCliqueSetStatus};
pub use podgang::{PodGang, PodGangSpec, PodGangStatus};
pub use shared_pod_spec::SharedPodSpec;
pub use topology::{ClusterTopologyBinding, ClusterTopologyBindingSpec};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One problem that keeps the operator from doing its work on this object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastError {
    /// Stable code for programs, e.g. `ERR_CREATE_POD`.
    pub code: String,
    /// The problem, the object or field that has it, and the remedy.
    pub description: String,
    /// When this problem was first seen with the same text.
    pub observed_at: Time,
}

/// `Inference` (default): pods run until they are removed. `Training`: pods run to completion.
/// Cannot be changed.
///
/// The user sets it in a PodCliqueSet; PodCliques and PodCliqueScalingGroups have a copy that the
/// operator writes. `Inference`: the operator replaces pods that end. `Training`: finished work is
/// never repeated, and a failure restarts the replica within `trainingSpec.maxRestarts`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display,
)]
pub enum WorkloadType {
    /// Pods run until they are removed; finished pods are replaced.
    #[default]
    Inference,
    /// Pods run to completion; finished work is never repeated.
    Training,
}
