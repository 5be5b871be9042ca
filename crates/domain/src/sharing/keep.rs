//! The claims of an owner: made once, adopted, and removed when no pod uses them any more.

use std::collections::{BTreeMap, BTreeSet};

use api::labels::{self, component};
use api::{PodCliqueSet, names};
use jiff::Timestamp;
use k8s_openapi::api::resource::v1::{ResourceClaim, ResourceClaimTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use serde_json::{Map, Value, json};

use super::ClaimFacts;
use super::source::{Source, find_source};
use crate::Claim;
use crate::object::ownership;
use crate::plan::{Action, Purpose, Target, first_portion};
use crate::scheduling::kubernetes::base_of_probe;
use crate::workload::claims::{Level, SharedClaim};

/// The owner of claims, and those that it has to have.
#[derive(Clone, Debug)]
pub struct Keeper<'a> {
    /// The set that the owner is, or is a part of.
    pub set: &'a PodCliqueSet,
    /// The owner.
    pub owner: OwnerReference,
    /// The claims that it has to have.
    pub wanted: Vec<SharedClaim<'a>>,
    /// The claims that exist, and their users.
    pub facts: &'a ClaimFacts,
}

impl Keeper<'_> {
    /// Creates claims that are missing and whose template exists. A claim with an owner that is gone
    /// is waited for.
    pub fn creations(&self, now: Timestamp) -> Vec<Action> {
        if !self.facts.is_served {
            return Vec::new();
        }
        first_portion(self.wanted.iter().filter_map(|wanted| {
            let name = self.facts.chosen(wanted, &self.owner.uid, now);
            let Source::Found(template) = find_source(self.set, wanted.sharing, self.facts) else {
                return None;
            };
            let is_absent = !self.facts.found.contains_key(&name);
            is_absent.then(|| Action::create(self.build(wanted, name, template)))
        }))
    }

    fn build(
        &self,
        wanted: &SharedClaim<'_>,
        name: String,
        template: &ResourceClaimTemplateSpec,
    ) -> ResourceClaim {
        let given = template.metadata.clone().unwrap_or_default();
        let mut all = given.labels.unwrap_or_default();
        all.extend(self.labels(wanted));
        ResourceClaim {
            metadata: ObjectMeta {
                name: Some(name),
                namespace: self.set.metadata.namespace.clone(),
                labels: Some(all),
                annotations: given.annotations,
                owner_references: Some(vec![self.owner.clone()]),
                ..ObjectMeta::default()
            },
            spec: template.spec.clone(),
            status: None,
        }
    }

    /// Our labels of a claim; the others are the template's.
    fn labels(&self, wanted: &SharedClaim<'_>) -> BTreeMap<String, String> {
        let (of_owner, of_index) = match wanted.level {
            Level::Set => (None, labels::PCS_REPLICA_INDEX),
            Level::Group => (
                Some(labels::SCALING_GROUP),
                labels::SCALING_GROUP_REPLICA_INDEX,
            ),
            Level::Clique => (Some(labels::POD_CLIQUE), labels::POD_INDEX),
        };
        let mut all = labels::default_labels(ownership::name(&self.set.metadata));
        all.insert(labels::COMPONENT.into(), component::RESOURCE_CLAIM.into());
        let owner = of_owner.map(|key| (key.to_owned(), self.owner.name.clone()));
        let index = wanted
            .index
            .map(|index| (of_index.to_owned(), index.to_string()));
        all.extend(owner.into_iter().chain(index));
        all
    }

    /// Adopts claims that an earlier owner left, and restores labels of ours.
    pub fn corrections(&self) -> Vec<Action> {
        let known: BTreeMap<&str, &SharedClaim<'_>> = self
            .wanted
            .iter()
            .map(|wanted| (wanted.name.as_str(), wanted))
            .collect();
        self.facts
            .found
            .values()
            .filter(|claim| !claim.is_terminating())
            .filter_map(|claim| {
                let wanted = known.get(base_of_probe(claim.name()))?;
                self.correction(claim, wanted)
            })
            .collect()
    }

    fn correction(&self, claim: &Claim, wanted: &SharedClaim<'_>) -> Option<Action> {
        let meta = &claim.metadata;
        let is_free = claim.is_left_by(ownership::name(&self.set.metadata));
        if !is_free && !self.controls(claim) {
            return None;
        }
        let mut patch = Map::new();
        if is_free {
            let mut owners = meta.owner_references.clone().unwrap_or_default();
            owners.push(self.owner.clone());
            patch.insert("ownerReferences".into(), json!(owners));
            patch.insert("resourceVersion".into(), json!(meta.resource_version));
        }
        let is_edited =
            |(key, value): &(&String, &String)| ownership::label(meta, key) != Some(value.as_str());
        let all = self.labels(wanted);
        let edited: BTreeMap<&String, &String> = all.iter().filter(is_edited).collect();
        if !edited.is_empty() {
            patch.insert("labels".into(), json!(edited));
        }
        (!patch.is_empty()).then(|| Action::Merge {
            target: Target::of::<Claim>(meta),
            patch: json!({"metadata": Value::Object(patch)}),
        })
    }

    /// Removes claims that are not wanted any more and that no pod names, lost ones included.
    /// `is_free` returns whether no pod of an index can be created any more. It does not matter for a
    /// claim that another one of its entry has replaced: new pods name that one.
    pub fn removals(&self, now: Timestamp, is_free: impl Fn(i32) -> bool) -> Vec<Action> {
        if self.facts.may_have_more {
            return Vec::new();
        }
        let wanted: BTreeSet<&str> = self.wanted.iter().map(|w| w.name.as_str()).collect();
        let chosen: BTreeSet<String> = self
            .wanted
            .iter()
            .map(|wanted| self.facts.chosen(wanted, &self.owner.uid, now))
            .collect();
        let is_surplus = |claim: &Claim| {
            let is_replaced = wanted.contains(base_of_probe(claim.name()));
            !chosen.contains(claim.name())
                && !self.facts.holders.is_named(claim.name())
                && (is_replaced || self.index_of(claim).is_none_or(&is_free))
        };
        self.facts
            .found
            .values()
            .filter(|claim| self.controls(claim) && !claim.is_terminating())
            .filter(|claim| is_surplus(claim))
            .map(|claim| Action::delete::<Claim>(&claim.metadata, Purpose::RemoveClaim))
            .collect()
    }

    fn index_of(&self, claim: &Claim) -> Option<i32> {
        let name = base_of_probe(claim.name());
        names::parts_of_replica_claim(&self.owner.name, name).map(|(index, _)| index)
    }

    fn controls(&self, claim: &Claim) -> bool {
        ownership::is_controlled_by(&claim.metadata, &self.owner.uid)
    }
}
