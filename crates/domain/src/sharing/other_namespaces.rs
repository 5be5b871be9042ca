//! ResourceClaimTemplates of other namespaces. The operator reads them with its own rights, and the claim shows
//! their parameters to everybody in the namespace of the set.

use api::PodCliqueSet;
use api::resources::ResourceSharing;
use serde::Deserialize;

/// Whether sets get claims from ResourceClaimTemplates of other namespaces (configuration
/// `resourceSharing.templatesOfOtherNamespaces`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum TemplatesOfOtherNamespaces {
    /// They do.
    #[default]
    Allow,
    /// They do not, and a new set that names such a template is refused.
    Deny,
}

impl TemplatesOfOtherNamespaces {
    /// Whether the set gets no claim for this entry, because the entry names another namespace. A set whose
    /// namespace is not known may be of any.
    pub fn forbids(self, set: &PodCliqueSet, sharing: &ResourceSharing) -> bool {
        let own = set.metadata.namespace.as_deref();
        let named = sharing.namespace.as_str();
        let is_of_another = !named.is_empty() && own.is_some_and(|own| own != named);
        self == Self::Deny && is_of_another
    }
}
