//! The status of a set that is or was suspended.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::GoDuration;

/// How long the set was suspended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suspension {
    /// When the present suspension began; absent while the set is not suspended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
    /// How long all earlier suspensions lasted together, e.g. `2h30m`. `Training` only.
    ///
    /// Whole seconds, counted from `status.startTime` on. `maxRuntime` leaves them out. Absent before
    /// the first suspension of a job that runs has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<GoDuration>,
}
