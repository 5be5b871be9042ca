//! The resource claims that pods share, and the pods that name them.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::PodCliqueSet;
use domain::health::stuck::StuckTimeouts;
use domain::health::training;
use domain::object::ownership;
use domain::sharing::{ClaimFacts, Holders, TemplatesOfOtherNamespaces, key_of_template};
use domain::workload::claims::SharedClaim;
use domain::{Claim, Key, Pod};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use kube::Resource;

use super::Caches;

/// Claims by name.
type Found = BTreeMap<String, Arc<Claim>>;

impl Caches {
    /// The facts about the claims that this owner controls, and about all that have a wanted name.
    /// `find_holders` returns the pods that name claims.
    pub fn claim_facts<O: Resource<DynamicType = ()>>(
        &self,
        set: &PodCliqueSet,
        owner: &O,
        wanted: &[SharedClaim<'_>],
        templates_of_other_namespaces: TemplatesOfOtherNamespaces,
        find_holders: impl FnOnce() -> Holders,
    ) -> ClaimFacts {
        let key = Key::of(&set.metadata);
        // Flags are read before the pods that they qualify.
        let is_outdated = self.is_outdated::<Pod>(&key.namespace);
        let may_have_more = is_outdated || self.of::<Pod>().may_have_more_in(&key);
        let holders = find_holders();
        let found = self.find_claims(&key.namespace, owner, wanted, &holders);
        ClaimFacts {
            is_served: self.is_served::<Claim>(&key.namespace),
            may_have_more,
            // Pods that name other claims trigger nothing here, so nothing may depend on them.
            holders: holders.only(|claim| found.contains_key(claim) || may_name(wanted, claim)),
            found,
            templates: self.find_templates(set, wanted),
            templates_of_other_namespaces,
        }
    }

    /// The pods of the set that name claims. A terminating pod that its index does not wait for any
    /// more counts as lost.
    pub fn holders_of_claims(&self, set: &PodCliqueSet, timeouts: StuckTimeouts) -> Holders {
        let pods = self.of::<Pod>().part_of(&Key::of(&set.metadata));
        self.holders_among(set, &pods, timeouts)
    }

    /// The same of these pods.
    pub fn holders_among(
        &self,
        set: &PodCliqueSet,
        pods: &[Arc<Pod>],
        timeouts: StuckTimeouts,
    ) -> Holders {
        let is_job = training::is_training(set);
        Holders::of(pods.iter().map(AsRef::as_ref), |pod| {
            let node = pod.spec.node_name.as_deref();
            let runs = is_job && !pod.has_run_out();
            let is_on_ready_node = runs && node.is_some_and(|node| self.is_node_in_service(node));
            timeouts.slot_until(pod, is_on_ready_node)
        })
    }

    fn find_claims<O: Resource<DynamicType = ()>>(
        &self,
        namespace: &str,
        owner: &O,
        wanted: &[SharedClaim<'_>],
        holders: &Holders,
    ) -> Found {
        let claims = self.of::<Claim>();
        let mut found: Found = claims
            .owned_by(owner)
            .into_iter()
            .map(|claim| (claim.name().to_owned(), claim))
            .collect();
        // Of a claim whose pods may be lost those with a number count as well.
        let is_settled = |found: &Found, name: &str| {
            let claim = found.get(name);
            let uid = ownership::uid(owner.meta());
            claim.is_some_and(|claim| {
                !claim.is_terminating() && ownership::is_controlled_by(&claim.metadata, uid)
            }) && !holders.may_be_lost(name)
        };
        for wanted in wanted {
            if is_settled(&found, &wanted.name) {
                continue;
            }
            let named = ClaimFacts::names_of(&wanted.name)
                .filter_map(|name| Some((name.clone(), claims.get(&Key::new(namespace, name))?)));
            found.extend(named);
        }
        found
    }

    fn find_templates(
        &self,
        set: &PodCliqueSet,
        wanted: &[SharedClaim<'_>],
    ) -> BTreeMap<Key, Arc<ResourceClaimTemplate>> {
        let templates = self.of::<ResourceClaimTemplate>();
        let mut found = BTreeMap::new();
        let named = wanted
            .iter()
            .filter_map(|w| key_of_template(set, w.sharing));
        for key in named {
            if !found.contains_key(&key)
                && let Some(template) = templates.get(&key)
            {
                found.insert(key, template);
            }
        }
        found
    }
}

/// Whether a wanted claim may have this name.
fn may_name(wanted: &[SharedClaim<'_>], claim: &str) -> bool {
    wanted.iter().any(|wanted| wanted.may_have_name(claim))
}
