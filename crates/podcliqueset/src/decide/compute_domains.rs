//! The ComputeDomains of the set: one for each replica and MNNVL group (docs/devices.md).
//!
//! A domain keeps our finalizer while a pod names its template, also if somebody deletes it, and pods are created
//! only while it has the finalizer and nobody deletes it (decision 176). The operator lets none go that a
//! PodClique names: its pods may be about to be created.

use std::sync::Arc;

use api::labels::{self, COMPUTE_DOMAIN_FINALIZER, component};
use api::nvidia::{ComputeDomain, ComputeDomainChannel, ComputeDomainSpec, ComputeDomainTemplate};
use api::{LastError, codes};
use domain::object::{orphaning, ownership};
use domain::plan::{Action, GuardedPatch, Pointer, Purpose, Target, first_portion};
use domain::workload::clique::domain_of;
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde_json::{Map, Value, json};

use crate::observe::{DomainsWanted, Snapshot, wanted_domains};

/// Creates missing domains, and corrects the others. One that is being deleted is waited for.
pub(super) fn plan_domains(snapshot: &Snapshot) -> Vec<Action> {
    if !snapshot.domains.is_enabled {
        return Vec::new();
    }
    let wanted = wanted(snapshot);
    let mut actions = corrections(snapshot, &wanted);
    if snapshot.domains.is_served {
        let missing = wanted
            .iter()
            .filter(|(name, _)| snapshot.domains.find(name).is_none());
        actions.extend(first_portion(missing.map(|(name, (i, group))| {
            Action::create(build(snapshot, name, *i, group))
        })));
    }
    actions
}

/// Adopts domains, without creating any.
pub(super) fn adopt_domains(snapshot: &Snapshot) -> Vec<Action> {
    if snapshot.domains.found.is_empty() {
        return Vec::new();
    }
    corrections(snapshot, &wanted(snapshot))
}

/// Lets go of the domains that are not needed any more, or that somebody deleted, once no pod names them:
/// first of the finalizer, and of the domain itself when that is seen.
pub(super) fn plan_removals(snapshot: &Snapshot) -> Vec<Action> {
    let (facts, view) = (&snapshot.domains, &snapshot.view);
    if facts.found.is_empty() || view.is_outdated || view.may_have_more_pods {
        return Vec::new();
    }
    let wanted = wanted(snapshot);
    let may_go = |domain: &ComputeDomain| {
        let name = ownership::name(&domain.metadata);
        let is_needed = wanted.contains_key(name) && !ownership::is_terminating(&domain.metadata);
        !is_needed && !facts.users.contains_key(name)
    };
    own_domains(snapshot)
        .filter(|domain| may_go(domain))
        .filter_map(|domain| {
            let meta = &domain.metadata;
            let patch = GuardedPatch::of::<ComputeDomain>(meta);
            release(meta, patch, Purpose::ReleaseComputeDomain).or_else(|| {
                let is_staying = !ownership::is_terminating(meta);
                let purpose = Purpose::RemoveComputeDomain;
                is_staying.then(|| Action::delete_as_seen::<ComputeDomain>(meta, purpose))
            })
        })
        .collect()
}

/// The same of all domains of a set that is being deleted: its PodCliques are gone, and pods that hang on
/// lost nodes hold nothing. A PodClique that lost its owner reference stays with the user, and so does its
/// domain.
pub(super) fn plan_end(snapshot: &Snapshot) -> Vec<Action> {
    let set = ownership::uid(&snapshot.stored.metadata);
    own_domains(snapshot)
        .filter_map(|domain| {
            let meta = &domain.metadata;
            let is_staying = !ownership::is_terminating(meta);
            if is_staying && has_stray(snapshot, ownership::name(meta)) {
                return Some(orphaning::release_by_patch::<ComputeDomain>(meta, set));
            }
            // Somebody may have requested that the children stay.
            let patch = GuardedPatch::of::<ComputeDomain>(meta).unless_changed();
            release(meta, patch, Purpose::ReleaseComputeDomain).or_else(|| {
                let purpose = Purpose::DeleteWithSet;
                is_staying.then(|| Action::delete_as_seen::<ComputeDomain>(meta, purpose))
            })
        })
        .collect()
}

/// Whether a PodClique joins the domain and stays although those of the set are gone.
fn has_stray(snapshot: &Snapshot, domain: &str) -> bool {
    let strays = snapshot.podcliques.values().map(|seen| &seen.podclique);
    let mut staying = strays.filter(|stray| !ownership::is_terminating(&stray.metadata));
    staying.any(|stray| domain_of(snapshot.name(), &stray.spec.pod_spec) == Some(domain))
}

/// Whether nothing is left to be done with the domains of a set that is being deleted.
pub(super) fn are_gone(snapshot: &Snapshot) -> bool {
    !snapshot.domains.may_have_more && own_domains(snapshot).all(is_going)
}

/// Takes the finalizer off the domains that a set which goes leaves behind: nobody would do so when they
/// are deleted later. A set that adopts one puts it back.
pub(super) fn plan_leaving(snapshot: &Snapshot) -> impl Iterator<Item = Action> {
    let set = ownership::uid(&snapshot.stored.metadata);
    let metas = snapshot.domains.found.iter().map(|domain| &domain.metadata);
    let is_left = move |meta: &&ObjectMeta| {
        ownership::controller(meta).is_none_or(|controller| controller.uid == set)
    };
    metas.filter(is_left).filter_map(|meta| {
        let patch = GuardedPatch::of::<ComputeDomain>(meta);
        release(meta, patch, Purpose::LeaveComputeDomain)
    })
}

/// The domains that are not about to go.
pub(super) fn find_staying(snapshot: &Snapshot) -> Vec<Arc<ComputeDomain>> {
    let all = snapshot.domains.found.iter();
    all.filter(|domain| !is_going(domain)).cloned().collect()
}

/// Whether it is deleted, and only others may hold it.
fn is_going(domain: &ComputeDomain) -> bool {
    let meta = &domain.metadata;
    ownership::is_terminating(meta) && !ownership::has_finalizer(meta, COMPUTE_DOMAIN_FINALIZER)
}

/// Domains that somebody deleted and that pods still use.
pub(super) fn explain_held(snapshot: &Snapshot, now: Timestamp) -> Vec<LastError> {
    own_domains(snapshot)
        .filter(|domain| ownership::is_terminating(&domain.metadata))
        .filter_map(|domain| {
            let name = ownership::name(&domain.metadata);
            let pod = snapshot.domains.users.get(name)?;
            Some(LastError {
                code: codes::COMPUTE_DOMAIN_DELETED.to_owned(),
                description: format!(
                    "ComputeDomain {name} is being deleted and held by pod {pod}: it goes, and is \
                     made again, once no pod uses it; end the replica to free it"
                ),
                observed_at: Time(now),
            })
        })
        .collect()
}

fn wanted(snapshot: &Snapshot) -> DomainsWanted {
    wanted_domains(&snapshot.validated.set, &snapshot.podcliques)
}

/// Those that the set controls, and those of nobody, or of an earlier set of its name, that are being
/// deleted: only this set can let them go.
fn own_domains(snapshot: &Snapshot) -> impl Iterator<Item = &ComputeDomain> {
    let set = ownership::uid(&snapshot.stored.metadata);
    let all = snapshot.domains.found.iter().map(AsRef::as_ref);
    all.filter(move |domain: &&ComputeDomain| {
        let meta = &domain.metadata;
        ownership::is_controlled_by(meta, set) || ownership::is_terminating(meta)
    })
}

/// Takes our finalizer off; `None` if it is off.
fn release(meta: &ObjectMeta, patch: GuardedPatch, purpose: Purpose) -> Option<Action> {
    let mut finalizers = meta.finalizers.iter().flatten();
    let at = finalizers.position(|finalizer| finalizer == COMPUTE_DOMAIN_FINALIZER)?;
    let place = Pointer::to(&["metadata", "finalizers", &at.to_string()]);
    let patch = patch.test(&place, COMPUTE_DOMAIN_FINALIZER).remove(&place);
    Some(patch.because(purpose))
}

fn build(snapshot: &Snapshot, name: &str, replica: i32, group: &str) -> ComputeDomain {
    let set = &snapshot.validated.set;
    ComputeDomain {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: set.metadata.namespace.clone(),
            labels: Some(labels_of(snapshot, name, replica, group).collect()),
            owner_references: Some(vec![ownership::controller_reference(set)]),
            finalizers: Some(vec![COMPUTE_DOMAIN_FINALIZER.to_owned()]),
            ..ObjectMeta::default()
        },
        spec: ComputeDomainSpec {
            num_nodes: 0,
            channel: ComputeDomainChannel {
                resource_claim_template: ComputeDomainTemplate {
                    name: name.to_owned(),
                },
            },
        },
        status: None,
    }
}

fn labels_of(
    snapshot: &Snapshot,
    name: &str,
    replica: i32,
    group: &str,
) -> impl Iterator<Item = (String, String)> + use<> {
    let own = [
        (labels::NAME, name.to_owned()),
        (labels::COMPONENT, component::COMPUTE_DOMAIN.to_owned()),
        (labels::PCS_REPLICA_INDEX, replica.to_string()),
        (labels::MNNVL_GROUP, group.to_owned()),
    ];
    let own = own.map(|(key, value)| (key.to_owned(), value));
    labels::default_labels(snapshot.name())
        .into_iter()
        .chain(own)
}

/// Adopts domains without an owner, and restores labels and the finalizer.
fn corrections(snapshot: &Snapshot, wanted: &DomainsWanted) -> Vec<Action> {
    let set = ownership::uid(&snapshot.stored.metadata);
    let all = snapshot.domains.found.iter();
    let is_foreign = |meta: &ObjectMeta| {
        let controller = ownership::controller(meta);
        controller.is_some_and(|controller| controller.uid != set)
    };
    all.filter(|domain| !ownership::is_terminating(&domain.metadata))
        .filter(|domain| !is_foreign(&domain.metadata))
        .filter_map(|domain| {
            let meta = &domain.metadata;
            let (i, group) = wanted.get(ownership::name(meta))?;
            correct(snapshot, meta, *i, group)
        })
        .collect()
}

/// A merge patch replaces a whole list: it names the version that the list comes from.
fn correct(snapshot: &Snapshot, meta: &ObjectMeta, replica: i32, group: &str) -> Option<Action> {
    let mut patch = Map::new();
    if ownership::controller(meta).is_none() {
        let mut owners = meta.owner_references.clone().unwrap_or_default();
        owners.push(ownership::controller_reference(&*snapshot.stored));
        patch.insert("ownerReferences".into(), json!(owners));
    }
    if !ownership::has_finalizer(meta, COMPUTE_DOMAIN_FINALIZER) {
        let mut finalizers = meta.finalizers.clone().unwrap_or_default();
        finalizers.push(COMPUTE_DOMAIN_FINALIZER.to_owned());
        patch.insert("finalizers".into(), json!(finalizers));
    }
    if !patch.is_empty() {
        patch.insert("resourceVersion".into(), json!(meta.resource_version));
    }
    let edited: Map<String, Value> = labels_of(snapshot, ownership::name(meta), replica, group)
        .filter(|(key, value)| ownership::label(meta, key) != Some(value.as_str()))
        .map(|(key, value)| (key, Value::String(value)))
        .collect();
    if !edited.is_empty() {
        patch.insert("labels".into(), Value::Object(edited));
    }
    (!patch.is_empty()).then(|| Action::Merge {
        target: Target::of::<ComputeDomain>(meta),
        patch: json!({"metadata": Value::Object(patch)}),
    })
}
