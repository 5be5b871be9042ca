//! One more update of the sets that keep older pods, or are updated in steps.

use serde_json::{Value, json};

use super::{limits, patch};
use crate::check::units::{Unit, has_partitions, is_coherent};
use crate::check::updates::{is_partitioned, is_paused};
use crate::resource::{Id, Resource};
use crate::store::Store;
use crate::{Rng, view};

/// Users change the templates of these sets, which resumes a paused update. Returns whether there is
/// such a set.
pub fn roll_out(store: &mut Store, rng: &mut Rng) -> bool {
    let sets = sets_that(store, |set| is_coherent(set) || has_partitions(set));
    for id in &sets {
        // Another one than those of earlier edits.
        let version = rng.between(6, 9).to_string();
        write_version(store, rng, id, &version);
    }
    !sets.is_empty()
}

/// Users change the templates of all sets that they may update, to one of which an admission policy
/// refuses the pods. Returns whether there is such a set.
pub fn write_refused(store: &mut Store, rng: &mut Rng) -> bool {
    /// Another one than those of all other edits.
    const VERSION: &str = "10";
    let sets = sets_that(store, |set| !view::is_job(set) && !is_paused(set));
    store.refused.insert(VERSION.to_owned(), store.log.len());
    for id in &sets {
        write_version(store, rng, id, VERSION);
    }
    !sets.is_empty()
}

/// Some cliques of the set get this version, mostly all, which resumes a paused update.
fn write_version(store: &mut Store, rng: &mut Rng, id: &Id, version: &str) {
    let Some(set) = store.get(id) else { return };
    let mut cliques = set["spec"]["template"]["cliques"].clone();
    let are_all = rng.chance(700);
    for clique in cliques.as_array_mut().into_iter().flatten() {
        if are_all || rng.chance(500) {
            clique["annotations"]["example.com/version"] = json!(version);
        }
    }
    let template = json!({"cliques": cliques});
    let strategy = json!({"paused": false});
    let spec = json!({"template": template, "updateStrategy": strategy});
    patch(store, id, &spec);
}

/// Users lower all partitions to 0. Returns whether there was one.
pub fn lower_partitions(store: &mut Store) -> bool {
    let sets = sets_that(store, |set| has_partitions(set) || is_partitioned(set));
    for id in &sets {
        let Some(set) = store.get(id) else { continue };
        let mut template = set["spec"]["template"].clone();
        limits::drop_partitions(&mut template);
        let strategy = json!({"partition": 0});
        let spec = json!({"template": template, "updateStrategy": strategy});
        patch(store, id, &spec);
    }
    !sets.is_empty()
}

/// Somebody deletes a unit of an update: a pod of a standalone clique, or a PodClique of a group.
pub fn lose_unit(store: &mut Store, rng: &mut Rng) {
    let is_member = |podclique: &Value| Unit::of_podclique(podclique).is_some();
    let is_standalone = |pod: &Value| {
        let owner = view::owner(pod).map_or("", |(_, name, _)| name);
        owner.split('-').count() == 3
    };
    let pods = store.all(Resource::Pod);
    let pods = pods.filter(|(_, pod)| view::is_ready(pod) && is_standalone(pod));
    let podcliques = store.all(Resource::PodClique);
    let podcliques = podcliques.filter(|(_, podclique)| is_member(podclique));
    let all: Vec<Id> = pods.chain(podcliques).map(|(id, _)| id.clone()).collect();
    if let Some(id) = rng.pick(&all) {
        store.remove("chaos", id);
    }
}

fn sets_that(store: &Store, claim: impl Fn(&Value) -> bool) -> Vec<Id> {
    store
        .all(Resource::PodCliqueSet)
        .filter(|(_, set)| !view::is_terminating(set) && claim(set))
        .map(|(id, _)| id.clone())
        .collect()
}
