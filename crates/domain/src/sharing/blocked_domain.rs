//! Why pods wait for their ComputeDomain: as a sentence, and back.

use std::fmt;

/// A ComputeDomain that is not there for new pods. `status.lastErrors` of the PodClique has it as a
/// sentence, and kubectl-grove reads that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedDomain {
    /// Name of the domain, and of its ResourceClaimTemplate.
    pub domain: String,
    /// The cause that keeps pods from it.
    pub by: DomainBlocker,
}

/// The cause that keeps pods from a ComputeDomain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DomainBlocker {
    /// The driver has not made its template yet.
    NoTemplate,
    /// It is being deleted.
    Deletion,
    /// A domain of this owner, `kind name`, has the name.
    Owner(String),
}

const NO_TEMPLATE: &str = "is not there yet: the NVIDIA DRA driver makes it from ComputeDomain ";
const DELETION: &str = "is being deleted: it is made again once no pod uses it; end the replica to \
                        free it";
const OWNER: &str = "does not exist yet: one of that name belongs to ";

impl fmt::Display for BlockedDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let domain = &self.domain;
        match &self.by {
            DomainBlocker::NoTemplate => {
                write!(f, "ResourceClaimTemplate {domain} {NO_TEMPLATE}{domain}")
            }
            DomainBlocker::Deletion => write!(f, "ComputeDomain {domain} {DELETION}"),
            DomainBlocker::Owner(owner) => write!(f, "ComputeDomain {domain} {OWNER}{owner}"),
        }
    }
}

impl BlockedDomain {
    /// The domain of such a sentence; `None` for another one.
    pub fn read(sentence: &str) -> Option<Self> {
        let (kind, rest) = sentence.split_once(' ')?;
        let (domain, rest) = rest.split_once(' ')?;
        let by = match kind {
            "ResourceClaimTemplate" if rest.strip_prefix(NO_TEMPLATE) == Some(domain) => {
                DomainBlocker::NoTemplate
            }
            "ComputeDomain" if rest == DELETION => DomainBlocker::Deletion,
            "ComputeDomain" => DomainBlocker::Owner(rest.strip_prefix(OWNER)?.to_owned()),
            _ => return None,
        };
        Some(Self {
            domain: domain.to_owned(),
            by,
        })
    }
}
