//! The triggers of a PodClique: itself, its owners, its pods, its PodGang, its dependencies, and
//! the end of PodCliques that an earlier attempt left in its replica.

mod claims;
mod compute_domain;
mod dependents;
mod members;

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::nvidia::ComputeDomain;
use api::{
    ClusterTopologyBinding, PodClique, PodCliqueScalingGroup, PodCliqueSet, PodGang, labels,
};
use domain::health::readiness;
use domain::object::ownership;
use domain::scheduling::kubernetes::base_of_probe;
use domain::scheduling::quota;
use domain::workload::gang;
use domain::{Claim, Key, Node, Pod, Revision};
use engine::cache::set_of;
use engine::triggers::{TriggersOf, find};
use engine::{Caches, Change};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::api::scheduling::v1beta1::PodGroup;

/// Registers all triggers.
pub(crate) fn register(on: &mut TriggersOf<'_>) {
    on.on_change::<PodCliqueSet>(from_set);
    on.on_change::<PodCliqueScalingGroup>(from_group);
    on.on_change::<PodClique>(from_podclique);
    on.on_change::<PodGang>(from_gang);
    on.on_change::<Pod>(from_pod);
    on.on_change::<PodGroup>(from_pod_group);
    on.on_change::<Node>(from_node);
    on.on_change::<Claim>(claims::from_claim);
    on.on_change::<ResourceClaimTemplate>(|change, caches| {
        let mut all = claims::from_template(change, caches);
        all.extend(compute_domain::from_template(change, caches));
        all
    });
    on.on_change::<ComputeDomain>(compute_domain::from_domain);
    // The status of the set names a revision only after that was stored.
    on.on_change::<Revision>(|_, _| Vec::new());
    // A pod takes the levels when it is created.
    on.on_change::<ClusterTopologyBinding>(|_, _| Vec::new());
    on.on_settled::<Pod>(|settled, _| settled.owner.clone().into_iter().collect());
}

fn from_set(change: &Change<PodCliqueSet>, caches: &Caches) -> Vec<Key> {
    if change.keeps(read_of_set) {
        return Vec::new();
    }
    let podcliques = caches.of::<PodClique>();
    let mut all = Vec::new();
    for set in find::own(change) {
        all.extend(podcliques.part_of(&set));
        // Groups of the set belong to it whatever their labels are.
        let groups = caches.of::<PodCliqueScalingGroup>().part_of(&set);
        let grouped = groups.iter().flat_map(|g| podcliques.owned_by(&**g));
        all.extend(grouped.filter(|c| set_of(&c.metadata).as_ref() != Some(&set)));
    }
    all.iter().map(|c| Key::of(&c.metadata)).collect()
}

fn read_of_set(set: &PodCliqueSet) -> impl PartialEq + use<> {
    let status = set.status.as_ref();
    let live_replicas = status.map(|s| s.live_replicas.clone());
    let failures = status.map(|s| s.last_failures.clone());
    (find::read_by_children(set), live_replicas, failures)
}

fn from_group(change: &Change<PodCliqueScalingGroup>, caches: &Caches) -> Vec<Key> {
    let read = |group: &PodCliqueScalingGroup| {
        let status = group.status.as_ref();
        let attempts = status.map(|s| s.replica_attempts.clone());
        let update = status.and_then(|s| {
            conditions::find(&s.conditions, ConditionType::UpdateInProgress).cloned()
        });
        (
            group.metadata.uid.clone(),
            group.metadata.owner_references.clone(),
            ownership::is_terminating(&group.metadata),
            attempts.unwrap_or_default(),
            update,
        )
    };
    let mut all = dependents::find_by_group(change, caches);
    if change.keeps(read) {
        return all;
    }
    let groups = change.versions();
    let owned = groups.flat_map(|g| caches.of::<PodClique>().owned_by(&**g));
    all.extend(owned.map(|c| Key::of(&c.metadata)));
    // PodCliques of an earlier attempt that the group controls do not count any more.
    all.extend(find::beside_lost::<_, PodClique>(change, caches));
    all
}

fn from_podclique(change: &Change<PodClique>, caches: &Caches) -> Vec<Key> {
    let mut all = find::own(change);
    // They create nothing while a PodClique of an earlier attempt exists in their replica.
    all.extend(find::beside_lost::<_, PodClique>(change, caches));
    all.extend(dependents::find_by_podclique(change, caches));
    all
}

fn from_pod(change: &Change<Pod>, caches: &Caches) -> Vec<Key> {
    let holders = change.versions().filter_map(|pod| {
        let owner = find::owner::<PodClique>(&pod.metadata);
        owner.or_else(|| find::adopter(&pod.metadata, labels::POD_CLIQUE))
    });
    let dependents = dependents::find_by_pod(change, caches);
    let waiting = claims::from_user(change, caches);
    holders.chain(dependents).chain(waiting).collect()
}

/// A pod that hangs there may hold its index, and claims for which others wait.
fn from_node(change: &Change<Node>, caches: &Caches) -> Vec<Key> {
    let pods = find::left_behind(change, caches);
    let owners = pods.iter();
    let owners = owners.filter_map(|pod| find::owner::<PodClique>(&pod.metadata));
    let waiting = claims::find_waiting(pods.iter(), caches);
    owners.chain(waiting).collect()
}

/// New pods wait until a PodGroup that was used before is gone, or is known to go.
fn from_pod_group(change: &Change<PodGroup>, caches: &Caches) -> Vec<Key> {
    let is_wanted = |group: &Arc<PodGroup>| !ownership::is_terminating(&group.metadata);
    if change.new.as_ref().is_some_and(is_wanted) {
        return Vec::new();
    }
    change
        .versions()
        .filter_map(|group| {
            let base = base_of_probe(ownership::name(&group.metadata));
            let set = find::labelled(&group.metadata, labels::PART_OF)?;
            let own = Key::new(set.namespace.clone(), base);
            if caches.of::<PodClique>().get(&own).is_some() {
                return Some(vec![own]);
            }
            Some(members::find_by_name(&set, base, caches))
        })
        .flatten()
        .collect()
}

/// An annotation decides whether the gang's list opens gates.
fn from_gang(change: &Change<PodGang>, caches: &Caches) -> Vec<Key> {
    let read = |gang: &PodGang| {
        (
            gang.metadata.annotations.clone(),
            gang.metadata.owner_references.clone(),
            readiness::no_domain_of(gang).map(str::to_owned),
            read_by_joining(gang),
            readiness::contradiction_of(gang).map(str::to_owned),
        )
    };
    let mut all = if change.keeps(gang::is_ready) {
        Vec::new()
    } else {
        let newest = change.newest().into_iter();
        newest
            .flat_map(|gang| members::find_by_base(gang, caches))
            .collect()
    };
    // A gang may list thousands of pods.
    if change.keeps_part(|gang| &gang.spec) && change.keeps(read) {
        return all;
    }
    let key_in = |gang: &PodGang, name: &str| {
        Key::new(gang.metadata.namespace.clone().unwrap_or_default(), name)
    };
    all.extend(change.versions().flat_map(|gang| {
        let groups = gang.spec.pod_groups.iter();
        groups.map(move |group| key_in(gang, &group.name))
    }));
    // Parts that are to join the gang report whether it runs, and have their quota in its status.
    if !change.keeps(readiness::runs) || !change.keeps(read_by_joining) {
        let newest = change.newest().into_iter();
        all.extend(newest.flat_map(|gang| members::find_by_gang(gang, caches)));
    }
    all
}

/// The quota of a gang, and the words about it. A part that its list does not name yet creates pods
/// only for quota that it has, where the scheduler waits for gates.
fn read_by_joining(gang: &PodGang) -> impl PartialEq + use<> {
    (
        gang.status.as_ref().and_then(|s| s.quota.clone()),
        quota::report(gang).map(|words| words.map(str::to_owned)),
        quota::requested(&gang.metadata),
    )
}
