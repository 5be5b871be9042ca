//! Who may change what the operator made.

use serde::Deserialize;

/// Protection of what the operator made (Grove, `authorizer`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Authorizer {
    /// Whether anybody is refused. Default `false`.
    pub enabled: bool,
    /// Users that are not, beside the operator and Kubernetes' own controllers.
    pub exempt_service_account_user_names: Vec<String>,
}
