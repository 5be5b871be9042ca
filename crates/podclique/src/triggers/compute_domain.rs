//! The PodCliques whose pods join a ComputeDomain.

use std::sync::Arc;

use api::nvidia::ComputeDomain;
use api::{PodClique, PodCliqueSet, names};
use domain::Key;
use domain::object::ownership;
use domain::workload::clique::domain_of;
use engine::triggers::find;
use engine::{Caches, Change};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

pub(super) fn from_domain(change: &Change<ComputeDomain>, caches: &Caches) -> Vec<Key> {
    let Some(domain) = change.newest() else {
        return Vec::new();
    };
    find_users(&domain.metadata, &find::sets(change), caches)
}

/// The template of a domain has its name, which begins with that of the set.
pub(super) fn from_template(change: &Change<ResourceClaimTemplate>, caches: &Caches) -> Vec<Key> {
    let is_going = |template: &ResourceClaimTemplate| ownership::is_terminating(&template.metadata);
    let Some(template) = change.newest().filter(|_| !change.keeps(is_going)) else {
        return Vec::new();
    };
    let key = Key::of(&template.metadata);
    let is_of = |set: &Arc<PodCliqueSet>| {
        let set = Key::of(&set.metadata);
        let parts = names::parts_of_compute_domain(&set.name, &key.name);
        set.namespace == key.namespace && parts.is_some()
    };
    let sets = caches.of::<PodCliqueSet>().all();
    let sets = sets.iter().filter(|set| is_of(set));
    let sets: Vec<Key> = sets.map(|set| Key::of(&set.metadata)).collect();
    find_users(&template.metadata, &sets, caches)
}

/// The PodCliques of these sets whose pods join the domain of this name.
fn find_users(domain: &ObjectMeta, sets: &[Key], caches: &Caches) -> Vec<Key> {
    let name = ownership::name(domain);
    let mut users = Vec::new();
    for set in sets {
        let podcliques = caches.of::<PodClique>().part_of(set);
        let joins =
            |podclique: &PodClique| domain_of(&set.name, &podclique.spec.pod_spec) == Some(name);
        let joining = podcliques.iter().filter(|podclique| joins(podclique));
        users.extend(joining.map(|podclique| Key::of(&podclique.metadata)));
    }
    users
}
