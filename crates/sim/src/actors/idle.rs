//! A user, or an autoscaler of events, who scales cliques and groups to 0 and wakes them.

use serde_json::{Value, json};

use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// One clique or group is scaled to 0; if it is idle it is woken.
pub fn toggle_idle(store: &mut Store, rng: &mut Rng) {
    let all = scalable(store);
    let Some((id, replicas)) = rng.pick(&all).cloned() else {
        return;
    };
    let next = if replicas > 0 { 0 } else { rng.between(1, 3) };
    scale(store, &id, next);
}

/// Some cliques and groups are scaled to 0.
pub fn scale_to_zero(store: &mut Store, rng: &mut Rng) {
    for (id, _) in scalable(store) {
        if rng.chance(500) {
            scale(store, &id, 0);
        }
    }
}

/// All that is idle is woken.
pub fn wake_all(store: &mut Store, rng: &mut Rng) {
    for (id, replicas) in scalable(store) {
        if replicas == 0 {
            scale(store, &id, rng.between(1, 3));
        }
    }
}

/// Scaling groups and cliques of their own, with their replicas. A job is not scaled.
fn scalable(store: &Store) -> Vec<(Id, i64)> {
    let is_alone = |o: &Value| view::owner(o).is_some_and(|(kind, ..)| kind == "PodCliqueSet");
    let cliques = store.all(Resource::PodClique);
    let cliques = cliques.filter(|(_, c)| is_alone(c));
    let groups = store.all(Resource::PodCliqueScalingGroup);
    let all = groups.chain(cliques).filter(|(_, o)| !view::is_job(o));
    all.map(|(id, o)| (id.clone(), view::number(o, "/spec/replicas")))
        .collect()
}

fn scale(store: &mut Store, id: &Id, replicas: i64) {
    let path = format!("{}/{}/scale", id.resource.path(&id.namespace), id.name);
    let body = json!({"spec": {"replicas": replicas}});
    store.handle("user", &Call::merge(&path, body));
}
