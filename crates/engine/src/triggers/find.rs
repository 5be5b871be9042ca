//! Searches that several reconcilers share: for keys after a change, and for changes of the fields
//! that they read.

use std::sync::Arc;

use api::{PodClique, PodCliqueSet, PodCliqueSetStatus, codes, labels};
use domain::health::{fence, suspension, training};
use domain::object::attempt::Attempt;
use domain::object::ownership;
use domain::plan::Kind;
use domain::workload::limits;
use domain::{Claim, Key, Node, Pod, sharing, update};
use k8s_openapi::api::core::v1::Pod as FullPod;
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;

use crate::cache::{Change, set_of};
use crate::caches::Caches;
use crate::caches::watched::Watched;

/// The keys of the old and the new object.
pub fn own<K: Resource<DynamicType = ()>>(change: &Change<K>) -> Vec<Key> {
    change.versions().map(|o| Key::of(o.meta())).collect()
}

/// The PodCliqueSets that the old and the new object are part of.
pub fn sets<K: Resource<DynamicType = ()>>(change: &Change<K>) -> Vec<Key> {
    change.versions().filter_map(|o| set_of(o.meta())).collect()
}

/// All fields of a set that its children read; its counts are not among them.
pub fn read_by_children(set: &PodCliqueSet) -> impl PartialEq + use<> {
    let none = PodCliqueSetStatus::default();
    let status = set.status.as_ref().unwrap_or(&none);
    (
        set.metadata.uid.clone(),
        set.metadata.generation,
        ownership::is_terminating(&set.metadata),
        // Stored before the phase, which follows once the pods have ended.
        training::is_over(Some(status)),
        limits::says_over_limits(set),
        update::is_refused(set),
        (
            suspension::is_suspended(Some(status)),
            suspension::resumed_at(Some(status)),
        ),
        status.current_generation_hash.clone(),
        status.replica_attempts.clone(),
        status.update_progress.clone(),
        status.replica_revisions.clone(),
        status.phase,
    )
}

/// The object that a label names.
pub fn labelled(meta: &ObjectMeta, label: &str) -> Option<Key> {
    let name = ownership::label(meta, label)?;
    Some(Key::new(meta.namespace.clone().unwrap_or_default(), name))
}

/// The object that may adopt this one, which has no controller: its label names it.
pub fn adopter(meta: &ObjectMeta, label: &str) -> Option<Key> {
    let is_orphan = ownership::controller(meta).is_none();
    is_orphan.then(|| labelled(meta, label))?
}

/// The controlling owner, if it is of this kind.
pub fn owner<K: Resource<DynamicType = ()>>(meta: &ObjectMeta) -> Option<Key> {
    let owner = ownership::controller(meta).filter(|o| o.kind == K::kind(&()))?;
    let namespace = meta.namespace.clone().unwrap_or_default();
    Some(Key::new(namespace, owner.name.clone()))
}

/// The objects of kind `O` that control the old and the new object, if the cache has them.
pub fn owners<K, O>(change: &Change<K>, caches: &Caches) -> Vec<Arc<O>>
where
    K: Resource<DynamicType = ()>,
    O: Watched,
{
    change
        .versions()
        .filter_map(|o| owner::<O>(o.meta()))
        .filter_map(|key| caches.of::<O>().get(&key))
        .collect()
}

/// Objects of kind `K` that name a queue which exists now, or is gone.
pub fn by_queue<Q, K>(
    change: &Change<Q>,
    caches: &Caches,
    is_named_by: impl Fn(&K, &str) -> bool,
) -> Vec<Key>
where
    Q: Resource<DynamicType = ()>,
    K: Watched,
{
    let Some(queue) = change.newest().filter(|_| !change.keeps(|_| ())) else {
        return Vec::new();
    };
    let queue = ownership::name(queue.meta());
    let all = caches.of::<K>().all();
    all.iter()
        .filter(|object| is_named_by(object, queue))
        .map(|object| Key::of(object.meta()))
        .collect()
}

/// The sets that name a ResourceClaimTemplate which exists now, or is gone.
pub fn by_claim_template(
    change: &Change<ResourceClaimTemplate>,
    caches: &Caches,
) -> Vec<Arc<PodCliqueSet>> {
    let Some(template) = change.newest().filter(|_| !change.keeps(|_| ())) else {
        return Vec::new();
    };
    let mut sets = caches.of::<PodCliqueSet>().all();
    sets.retain(|set| sharing::names_template(set, template));
    sets
}

/// The PodCliques that wait for claims, beside a claim of somebody else that is gone: its name is free.
/// Neither its owner nor its labels lead to those who want the name. Claims that Kubernetes makes for a
/// pod have generated names.
pub fn beside_foreign_claim(change: &Change<Claim>, caches: &Caches) -> Vec<Arc<PodClique>> {
    let is_of_pod = |claim: &Claim| owner::<FullPod>(&claim.metadata).is_some();
    let foreign =
        |claim: &&Arc<Claim>| !ownership::is_controlled_by_us(&claim.metadata) && !is_of_pod(claim);
    let Some(gone) = change.gone().filter(foreign) else {
        return Vec::new();
    };
    let mut podcliques = caches.of::<PodClique>().all();
    podcliques.retain(|podclique| {
        podclique.metadata.namespace == gone.metadata.namespace && waits_for_claim(podclique)
    });
    podcliques
}

/// Whether it has stored that its pods wait for a claim.
pub fn waits_for_claim(podclique: &PodClique) -> bool {
    let status = podclique.status.as_ref();
    let mut errors = status.into_iter().flat_map(|status| &status.last_errors);
    errors.any(|error| error.code == codes::CLAIM_MISSING)
}

/// Whether the change leaves open or settles nothing about the claims that the pod holds.
pub fn holds_claims_as_before(change: &Change<Pod>) -> bool {
    let names_claims = |pod: &Arc<Pod>| !pod.spec.resource_claims.is_empty();
    !change.versions().any(names_claims)
        || change.keeps(|pod: &Pod| {
            (
                pod.metadata.deletion_timestamp.clone(),
                pod.is_finished(),
                pod.has_run_out(),
            )
        })
}

/// Pods that hang in Terminating on a node that is lost now, or out of service: from then on
/// controllers wait for them less long. A node that comes back triggers no controller.
pub fn left_behind(change: &Change<Node>, caches: &Caches) -> Vec<Arc<Pod>> {
    let is_in_service = |node: &Option<Arc<Node>>| node.as_ref().is_some_and(|n| n.is_in_service());
    let Some(old) = change.old.as_ref().filter(|_| is_in_service(&change.old)) else {
        return Vec::new();
    };
    if is_in_service(&change.new) {
        return Vec::new();
    }
    let name = ownership::name(&old.metadata);
    let mut pods = caches.of::<Pod>().all();
    pods.retain(|p| p.is_terminating() && p.spec.node_name.as_deref() == Some(name));
    pods
}

/// The PodGang that an object's label names.
pub fn gang(meta: &ObjectMeta) -> Option<Key> {
    labelled(meta, labels::POD_GANG)
}

/// Objects of kind `K` in the PodCliqueSet replica, by their names, in which a PodClique or a
/// scaling group is gone or changed its owner, if they may have waited for the end of that object,
/// or of the objects that it controls, and wait no longer.
pub fn beside_lost<O: Watched, K: Watched>(change: &Change<O>, caches: &Caches) -> Vec<Key> {
    let opened = change.lost().and_then(|lost| opened_by(&**lost, caches));
    let Some((set, replica)) = opened else {
        return Vec::new();
    };
    let parts = caches.of::<K>().part_of(&set);
    parts
        .iter()
        .map(|part| part.meta())
        .filter(|meta| ownership::replica_in(&set.name, meta) == Some(replica))
        .map(Key::of)
        .collect()
}

/// The set and its replica in which something may be created now that this is lost. Thousands of
/// PodCliques of the present attempt may go one after the other, and no object waits for them.
fn opened_by<O: Watched>(lost: &O, caches: &Caches) -> Option<(Key, i32)> {
    let key = set_of(lost.meta())?;
    let replica = ownership::replica_in(&key.name, lost.meta())?;
    let set = caches.of::<PodCliqueSet>().get(&key)?;
    let current = fence::current_attempt(fence::attempts_of_set(&set), replica);
    let is_podclique = Kind::of::<O>() == Kind::of::<PodClique>();
    let was_waited_for = !is_podclique || Attempt::of(lost.meta()).set < current;
    let is_open = current > 0 && was_waited_for && !caches.has_previous(&set, replica);
    is_open.then_some((key, replica))
}
