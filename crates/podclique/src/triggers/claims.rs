//! The PodCliques whose pods may use a claim.

use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, labels};
use domain::object::ownership;
use domain::{Claim, Key, Pod};
use engine::triggers::find;
use engine::{Caches, Change};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

pub(super) fn from_claim(change: &Change<Claim>, caches: &Caches) -> Vec<Key> {
    let claims = change.versions();
    let users = claims.flat_map(|claim| find_users(&claim.metadata, caches));
    let waiting = find::beside_foreign_claim(change, caches);
    let waiting = waiting.iter().map(|podclique| Key::of(&podclique.metadata));
    users.chain(waiting).collect()
}

/// Its owner, or the PodCliques below its owner; of a claim of one replica only those of the
/// replica.
fn find_users(claim: &ObjectMeta, caches: &Caches) -> Vec<Key> {
    let podclique = find::owner::<PodClique>(claim);
    let podclique = podclique.or_else(|| find::adopter(claim, labels::POD_CLIQUE));
    if let Some(podclique) = podclique {
        return vec![podclique];
    }
    let group = find::owner::<PodCliqueScalingGroup>(claim);
    if let Some(group) = group.or_else(|| find::adopter(claim, labels::SCALING_GROUP)) {
        return find_in_group(claim, &group, caches);
    }
    let set = find::owner::<PodCliqueSet>(claim);
    let set = set.or_else(|| find::adopter(claim, labels::PART_OF));
    set.map_or_else(Vec::new, |set| find_in_set(claim, &set, caches))
}

fn find_in_group(claim: &ObjectMeta, group: &Key, caches: &Caches) -> Vec<Key> {
    let Some(object) = caches.of::<PodCliqueScalingGroup>().get(group) else {
        return Vec::new();
    };
    let replica = ownership::label_index(claim, labels::SCALING_GROUP_REPLICA_INDEX);
    let mut podcliques = caches.of::<PodClique>().owned_by(&*object);
    podcliques.retain(|podclique| {
        let of = ownership::group_replica_in(&group.name, &podclique.metadata);
        replica.is_none() || of == replica
    });
    podcliques.iter().map(|c| Key::of(&c.metadata)).collect()
}

fn find_in_set(claim: &ObjectMeta, set: &Key, caches: &Caches) -> Vec<Key> {
    let replica = ownership::label_index(claim, labels::PCS_REPLICA_INDEX);
    let mut podcliques = caches.of::<PodClique>().part_of(set);
    podcliques.retain(|podclique| {
        let of = ownership::replica_in(&set.name, &podclique.metadata);
        replica.is_none() || of == replica
    });
    podcliques.iter().map(|c| Key::of(&c.metadata)).collect()
}

pub(super) fn from_template(change: &Change<ResourceClaimTemplate>, caches: &Caches) -> Vec<Key> {
    find::by_claim_template(change, caches)
        .iter()
        .flat_map(|set| caches.of::<PodClique>().part_of(&Key::of(&set.metadata)))
        .map(|podclique| Key::of(&podclique.metadata))
        .collect()
}

/// PodCliques whose pods wait for a claim that other pods hold: those pods go.
pub(super) fn from_user(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    if find::holds_claims_as_before(change) {
        return Vec::new();
    }
    find_waiting(change.versions(), caches)
}

/// PodCliques whose pods wait for a claim that one of these pods may hold.
pub(super) fn find_waiting<'a>(
    holders: impl Iterator<Item = &'a Arc<Pod>>,
    caches: &Caches,
) -> Vec<Key> {
    holders
        .filter(|pod| !pod.spec.resource_claims.is_empty())
        .filter_map(|pod| find::labelled(&pod.metadata, labels::PART_OF))
        .flat_map(|set| caches.of::<PodClique>().part_of(&set))
        .filter(|podclique| find::waits_for_claim(podclique))
        .map(|podclique| Key::of(&podclique.metadata))
        .collect()
}
