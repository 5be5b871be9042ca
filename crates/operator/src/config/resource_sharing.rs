//! Resource claims that pods share.

use domain::sharing::TemplatesOfOtherNamespaces;
use serde::Deserialize;

/// Resource claims that pods share. Grove does not have this field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ResourceSharing {
    /// Whether sets get claims from ResourceClaimTemplates of other namespaces. Default `Allow`.
    pub templates_of_other_namespaces: TemplatesOfOtherNamespaces,
}
