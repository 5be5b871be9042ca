//! Which users may change the operator's objects.

use serde::Deserialize;

/// Protection of the operator's objects (Grove, `authorizer`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Authorizer {
    /// Whether users are refused. Default `false`.
    pub enabled: bool,
    /// Users that are not refused, besides the operator and Kubernetes' own controllers.
    pub exempt_service_account_user_names: Vec<String>,
}
