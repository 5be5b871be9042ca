//! The triggers of a scaling group: itself, its set, its PodCliques, and the end of PodCliques that
//! an earlier attempt left in its replica.

use std::sync::Arc;

use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, labels};
use domain::object::ownership;
use domain::{Claim, Key, Node, Pod, Revision, update};
use engine::triggers::{TriggersOf, find};
use engine::{Caches, Change};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;

/// Registers all triggers.
pub(crate) fn register(on: &mut TriggersOf<'_>) {
    on.on_change::<PodCliqueSet>(from_set);
    on.on_change::<PodCliqueScalingGroup>(from_group);
    on.on_change::<PodClique>(from_podclique);
    on.on_change::<Pod>(from_pod);
    // A pod of a job that hangs on a lost node holds its claims for less long.
    on.on_change::<Node>(|node, caches| {
        find_groups_of_users(find::left_behind(node, caches).iter())
    });
    // The status of the set names a revision only after that was stored.
    on.on_change::<Revision>(|_, _| Vec::new());
    on.on_change::<Claim>(from_claim);
    on.on_change::<ResourceClaimTemplate>(from_claim_template);
    // A claim is removed once no pod may exist unseen.
    on.on_settled::<Pod>(|settled, caches| {
        let set = settled.set.iter();
        set.flat_map(|set| find_owners_of_claims(set, caches))
            .collect()
    });
}

fn from_claim(change: &Change<Claim>, caches: &Caches) -> Vec<Key> {
    let owners = change.versions().filter_map(|claim| {
        let owner = find::owner::<PodCliqueScalingGroup>(&claim.metadata);
        owner.or_else(|| find::adopter(&claim.metadata, labels::SCALING_GROUP))
    });
    let waiting = find::beside_foreign_claim(change, caches);
    let waiting = waiting
        .iter()
        .filter_map(|podclique| find::owner::<PodCliqueScalingGroup>(&podclique.metadata));
    owners.chain(waiting).collect()
}

/// The groups of the set that have claims.
fn find_owners_of_claims(set: &Key, caches: &Caches) -> Vec<Key> {
    let Some(set) = caches.of::<PodCliqueSet>().get(set) else {
        return Vec::new();
    };
    let mut groups = set.spec.template.scaling_groups.iter();
    if groups.all(|group| group.resource_sharing.is_empty()) {
        return Vec::new();
    }
    let groups = caches.of::<PodCliqueScalingGroup>().owned_by(&*set);
    groups
        .iter()
        .map(|group| Key::of(&group.metadata))
        .collect()
}

fn from_claim_template(change: &Change<ResourceClaimTemplate>, caches: &Caches) -> Vec<Key> {
    let groups = caches.of::<PodCliqueScalingGroup>();
    find::by_claim_template(change, caches)
        .iter()
        .flat_map(|set| groups.owned_by(&**set))
        .map(|group| Key::of(&group.metadata))
        .collect()
}

fn from_set(change: &Change<PodCliqueSet>, caches: &Caches) -> Vec<Key> {
    if change.keeps(find::read_by_children) {
        return Vec::new();
    }
    let sets = find::own(change).into_iter();
    let groups = sets.flat_map(|set| caches.of::<PodCliqueScalingGroup>().part_of(&set));
    groups.map(|g| Key::of(&g.metadata)).collect()
}

fn from_group(change: &Change<PodCliqueScalingGroup>, caches: &Caches) -> Vec<Key> {
    let mut all = find::own(change);
    // PodCliques of an earlier attempt that the group controls do not count any more.
    all.extend(find::beside_lost::<_, PodCliqueScalingGroup>(
        change, caches,
    ));
    all
}

fn from_podclique(change: &Change<PodClique>, caches: &Caches) -> Vec<Key> {
    let mut all: Vec<Key> = change
        .versions()
        .filter_map(|c| {
            let meta = &c.metadata;
            let owner = find::owner::<PodCliqueScalingGroup>(meta);
            owner.or_else(|| find::adopter(meta, labels::SCALING_GROUP))
        })
        .collect();
    let sets = change
        .versions()
        .filter(|c| is_nameless(c))
        .filter_map(|c| caches.set_of_member(&c.metadata));
    let groups = sets.flat_map(|set| caches.of::<PodCliqueScalingGroup>().part_of(&set));
    all.extend(groups.map(|group| Key::of(&group.metadata)));
    // They create nothing while a PodClique of an earlier attempt exists in their replica.
    all.extend(find::beside_lost::<_, PodCliqueScalingGroup>(
        change, caches,
    ));
    all
}

/// Whether neither owner nor label names its group. Then only its own name does, and a group reads
/// it by that.
fn is_nameless(podclique: &PodClique) -> bool {
    let meta = &podclique.metadata;
    let is_orphan = ownership::controller(meta).is_none();
    is_orphan && ownership::label(meta, labels::SCALING_GROUP).is_none()
}

/// Claims are removed, or replaced by others, as the pods that use them go.
fn from_user_of_claims(change: &Change<Pod>) -> Vec<Key> {
    if find::holds_claims_as_before(change) {
        return Vec::new();
    }
    find_groups_of_users(change.versions())
}

fn find_groups_of_users<'a>(pods: impl Iterator<Item = &'a Arc<Pod>>) -> Vec<Key> {
    pods.filter(|pod| !pod.spec.resource_claims.is_empty())
        .filter_map(|pod| find::labelled(&pod.metadata, labels::SCALING_GROUP))
        .collect()
}

/// While its set is updated a group counts the Ready pods and their templates.
fn from_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let mut all = from_user_of_claims(change);
    all.extend(from_pod_in_update(change, caches));
    all
}

fn from_pod_in_update(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let read = |pod: &Pod| {
        let hash = ownership::label(&pod.metadata, labels::POD_TEMPLATE_HASH);
        (
            pod.is_ready(),
            pod.is_scheduled(),
            pod.is_gated(),
            pod.is_terminating(),
            pod.flipped_at("Ready"),
            pod.last_app_container_end(),
            hash.map(str::to_owned),
            pod.metadata.owner_references.clone(),
        )
    };
    if change.keeps(read) {
        return Vec::new();
    }
    let podcliques = find::owners::<Pod, PodClique>(change, caches);
    let is_updated = |c: &&Arc<PodClique>| {
        let set = caches.set_of_member(&c.metadata);
        let set = set.and_then(|set| caches.of::<PodCliqueSet>().get(&set));
        set.is_some_and(|set| update::turn(&set).is_some())
    };
    podcliques
        .iter()
        .filter(is_updated)
        .filter_map(|c| find::owner::<PodCliqueScalingGroup>(&c.metadata))
        .collect()
}
