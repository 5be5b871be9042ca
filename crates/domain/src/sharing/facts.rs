//! The inputs of decisions about claims, and the claim that a pod is to name.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::PodCliqueSet;
use jiff::Timestamp;
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;

use super::blocked::{BlockedClaim, Blocker, NOT_SERVED};
use super::choice::{choose, probes};
use super::holders::Holders;
use super::inject::NamedClaim;
use super::other_namespaces::TemplatesOfOtherNamespaces;
use super::source::{Source, find_source};
use crate::object::ownership;
use crate::workload::claims::{Level, SharedClaim};
use crate::{Claim, Key};

/// The claims that exist, and their users.
#[derive(Clone, Debug, Default)]
pub struct ClaimFacts {
    /// Whether the cluster serves resource claims.
    pub is_served: bool,
    /// Claims by name: those of the owner, those without an owner, and all of the names that are wanted.
    pub found: BTreeMap<String, Arc<Claim>>,
    /// The ResourceClaimTemplates that entries name.
    pub templates: BTreeMap<Key, Arc<ResourceClaimTemplate>>,
    /// Whether claims are created from templates of other namespaces.
    pub templates_of_other_namespaces: TemplatesOfOtherNamespaces,
    /// The pods that name claims.
    pub holders: Holders,
    /// Whether a pod may name a claim and not be among them: its POST got no answer, or the watch
    /// of pods is lost.
    pub may_have_more: bool,
}

/// The uids of the owners of a pod's claims.
#[derive(Clone, Copy, Debug, Default)]
pub struct Owners<'a> {
    /// Of the set.
    pub set: &'a str,
    /// Of the scaling group; empty without one.
    pub group: &'a str,
    /// Of the PodClique.
    pub clique: &'a str,
}

impl Owners<'_> {
    fn of(&self, level: Level) -> &str {
        match level {
            Level::Set => self.set,
            Level::Group => self.group,
            Level::Clique => self.clique,
        }
    }
}

/// A claim that pods wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingClaim {
    /// It comes by itself: its owner is about to create or to adopt it.
    Coming,
    /// It does not come before somebody acts, or a pod is gone; the cause is a sentence.
    Blocked(String),
}

impl MissingClaim {
    fn blocked(claim: &str, by: Blocker) -> Self {
        let claim = claim.to_owned();
        Self::Blocked(BlockedClaim { claim, by }.to_string())
    }
}

impl ClaimFacts {
    /// The claim that new pods name for this entry, if it is there for them.
    ///
    /// # Errors
    /// If they wait: it does not exist yet, is being deleted, or has another owner.
    pub fn find(
        &self,
        wanted: &SharedClaim<'_>,
        owners: &Owners<'_>,
        set: &PodCliqueSet,
        now: Timestamp,
    ) -> Result<NamedClaim, MissingClaim> {
        let claim = choose(self, &wanted.name, owners.of(wanted.level), now);
        if !self.is_served {
            return Err(MissingClaim::Blocked(NOT_SERVED.to_owned()));
        }
        if self.holders.is_in_doubt(&claim, now) {
            let pod = self.holders.find(&claim).unwrap_or_default();
            let by = Blocker::Hanging(pod.to_owned());
            return Err(MissingClaim::blocked(&claim, by));
        }
        let Some(found) = self.found.get(&claim) else {
            return Err(match find_source(set, wanted.sharing, self) {
                Source::Found(_) => MissingClaim::Coming,
                Source::Missing(key) => {
                    MissingClaim::blocked(&claim, Blocker::NoTemplate(key.to_string()))
                }
                Source::Forbidden(key) => MissingClaim::Blocked(format!(
                    "claim {claim} is not created: templates of other namespaces are not read here, such as \
                     ResourceClaimTemplate {key}; create another PodCliqueSet with a copy of it in \
                     resourceClaimTemplates, or set resourceSharing.templatesOfOtherNamespaces of the \
                     operator to Allow"
                )),
            });
        };
        let is_ours = ownership::is_controlled_by(&found.metadata, owners.of(wanted.level));
        if is_ours && !found.is_terminating() {
            return Ok(NamedClaim {
                name: wanted.name.clone(),
                claim,
            });
        }
        Err(self.explain_other(found, is_ours, set))
    }

    /// Whether there are no claims, so that none is removed.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The claim of that name cannot be used by new pods.
    fn explain_other(&self, found: &Claim, is_ours: bool, set: &PodCliqueSet) -> MissingClaim {
        let name = found.name();
        let is_left = found.is_left_by(ownership::name(&set.metadata));
        let blocked = |by: Blocker| MissingClaim::blocked(name, by);
        if !found.is_terminating() {
            return match ownership::controller(&found.metadata) {
                None if is_left => MissingClaim::Coming,
                None => blocked(Blocker::Nobody),
                Some(owner) => blocked(Blocker::Owner(format!("{} {}", owner.kind, owner.name))),
            };
        }
        match self.holders.find(name).map(str::to_owned) {
            None => MissingClaim::Coming,
            Some(pod) if is_ours => blocked(Blocker::Holder(pod)),
            Some(pod) => blocked(Blocker::EarlierHolder(pod)),
        }
    }

    /// The claim that the owner has for this entry now, whether it exists or not.
    pub(super) fn chosen(&self, wanted: &SharedClaim<'_>, owner: &str, now: Timestamp) -> String {
        choose(self, &wanted.name, owner, now)
    }

    /// All names that a wanted claim may have.
    pub fn names_of(name: &str) -> impl Iterator<Item = String> {
        probes(name)
    }
}
