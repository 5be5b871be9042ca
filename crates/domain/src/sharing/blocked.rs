//! Why pods wait for a claim that does not come by itself: as a sentence, and back.

use std::fmt;

/// The sentence where the cluster serves no claims.
pub const NOT_SERVED: &str =
    "resource.k8s.io/v1 is not served: pods that share claims are not made";

/// A claim that does not come by itself. `status.lastErrors` of the PodClique has it as a sentence, and
/// kubectl-grove reads that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedClaim {
    /// Name of the claim.
    pub claim: String,
    /// The cause that keeps pods from it.
    pub by: Blocker,
}

/// The cause that keeps pods from a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// This ResourceClaimTemplate, `namespace/name`, is missing.
    NoTemplate(String),
    /// A claim without an owner has the name.
    Nobody,
    /// A claim of this owner, `kind name`, has the name.
    Owner(String),
    /// The claim is being deleted, and this pod holds it.
    Holder(String),
    /// An earlier claim of the name is being deleted, and this pod holds it.
    EarlierHolder(String),
    /// Pods such as this one hang in Terminating and hold the claim.
    Hanging(String),
}

/// The words before the name, and after it.
type Words = (&'static str, &'static str);

const NO_TEMPLATE: Words = ("does not exist yet: ResourceClaimTemplate ", " is missing");
const NOBODY: Words = (
    "does not exist yet: one of that name belongs to nobody; to free the name: kubectl delete \
     resourceclaim ",
    "",
);
const OWNER: Words = ("does not exist yet: one of that name belongs to ", "");
const HOLDER: Words = (
    "is being deleted and held by pod ",
    "; end the replica to free it",
);
const EARLIER_HOLDER: Words = (
    "does not exist yet: an earlier one is being deleted, held by pod ",
    "",
);
const HANGING: Words = ("is held by pods that do not end, such as ", "");

impl fmt::Display for BlockedClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = &self.claim;
        let ((before, after), name) = match &self.by {
            Blocker::NoTemplate(template) => (NO_TEMPLATE, template),
            Blocker::Nobody => (NOBODY, claim),
            Blocker::Owner(owner) => (OWNER, owner),
            Blocker::Holder(pod) => (HOLDER, pod),
            Blocker::EarlierHolder(pod) => (EARLIER_HOLDER, pod),
            Blocker::Hanging(pod) => (HANGING, pod),
        };
        write!(f, "claim {claim} {before}{name}{after}")
    }
}

impl BlockedClaim {
    /// The claim of such a sentence; `None` for another one.
    pub fn read(sentence: &str) -> Option<Self> {
        let (claim, rest) = sentence.strip_prefix("claim ")?.split_once(' ')?;
        Some(Self {
            claim: claim.to_owned(),
            by: Blocker::read(rest)?,
        })
    }
}

impl Blocker {
    /// The words for nobody begin like those for an owner, so they come first.
    fn read(text: &str) -> Option<Self> {
        let name = |(before, after): Words| {
            let name = text.strip_prefix(before)?.strip_suffix(after)?;
            Some(name.to_owned())
        };
        name(NO_TEMPLATE)
            .map(Self::NoTemplate)
            .or_else(|| name(NOBODY).map(|_| Self::Nobody))
            .or_else(|| name(OWNER).map(Self::Owner))
            .or_else(|| name(HOLDER).map(Self::Holder))
            .or_else(|| name(EARLIER_HOLDER).map(Self::EarlierHolder))
            .or_else(|| name(HANGING).map(Self::Hanging))
    }
}
