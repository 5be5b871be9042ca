//! The inputs of decisions about claims, and the claim that a pod is to name.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::PodCliqueSet;
use jiff::Timestamp;
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;

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
        let blocked = |text: String| Err(MissingClaim::Blocked(text));
        if !self.is_served {
            let text = "resource.k8s.io/v1 is not served: pods that share claims are not made";
            return blocked(text.to_owned());
        }
        if self.holders.is_in_doubt(&claim, now) {
            let pod = self.holders.find(&claim).unwrap_or_default();
            return blocked(format!(
                "claim {claim} is held by pods that do not end, such as {pod}"
            ));
        }
        let Some(found) = self.found.get(&claim) else {
            return match find_source(set, wanted.sharing, self) {
                Source::Found(_) => Err(MissingClaim::Coming),
                Source::Missing(key) => blocked(format!(
                    "claim {claim} does not exist yet: ResourceClaimTemplate {key} is missing"
                )),
                Source::Forbidden(key) => blocked(format!(
                    "claim {claim} is not created: templates of other namespaces are not read here, such as \
                     ResourceClaimTemplate {key}; create another PodCliqueSet with a copy of it in \
                     resourceClaimTemplates, or set resourceSharing.templatesOfOtherNamespaces of the \
                     operator to Allow"
                )),
            };
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
        if !found.is_terminating() {
            return match ownership::controller(&found.metadata) {
                None if is_left => MissingClaim::Coming,
                None => MissingClaim::Blocked(format!(
                    "claim {name} does not exist yet: one of that name belongs to nobody; to free the \
                     name: kubectl delete resourceclaim {name}"
                )),
                Some(owner) => MissingClaim::Blocked(format!(
                    "claim {name} does not exist yet: one of that name belongs to {} {}",
                    owner.kind, owner.name
                )),
            };
        }
        match self.holders.find(name) {
            None => MissingClaim::Coming,
            Some(pod) if is_ours => MissingClaim::Blocked(format!(
                "claim {name} is being deleted and held by pod {pod}; end the replica to free it"
            )),
            Some(pod) => MissingClaim::Blocked(format!(
                "claim {name} does not exist yet: an earlier one is being deleted, held by pod {pod}"
            )),
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
