//! A user, or an event-driven autoscaler, scales cliques and groups to 0 or below their minimum,
//! and up again.

use serde_json::{Value, json};

use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// An object that may be scaled.
#[derive(Clone)]
struct Scalable {
    id: Id,
    replicas: i64,
    minimum: i64,
}

impl Scalable {
    fn is_below(&self) -> bool {
        (1..self.minimum).contains(&self.replicas)
    }
}

/// One clique or group is scaled to 0 or below its minimum; if it is there already, it is scaled
/// up.
pub fn toggle_idle(store: &mut Store, rng: &mut Rng) {
    let all = scalable(store);
    let Some(picked) = rng.pick(&all).cloned() else {
        return;
    };
    // A separate random source: the count changes nothing else about a seed.
    let mut own = rng.clone().fork();
    let next = match picked.replicas {
        0 => rng.between(1, 3),
        _ if picked.is_below() => own.between(picked.replicas + 1, 3.max(picked.minimum)),
        _ if picked.minimum > 1 && own.chance(500) => own.between(1, picked.minimum - 1),
        _ => 0,
    };
    scale(store, &picked.id, next);
}

/// Some cliques and groups are scaled to 0, others below their minimum.
pub fn scale_down(store: &mut Store, rng: &mut Rng) {
    let mut own = rng.clone().fork();
    for one in scalable(store) {
        if rng.chance(500) {
            scale(store, &one.id, 0);
        } else if one.minimum > 1 {
            scale(store, &one.id, own.between(1, one.minimum - 1));
        }
    }
}

/// All that were scaled down are scaled up, though not always to their old count.
pub fn scale_up(store: &mut Store, rng: &mut Rng) {
    let mut own = rng.clone().fork();
    for one in scalable(store) {
        if one.replicas == 0 {
            scale(store, &one.id, rng.between(1, 3));
        } else if one.is_below() {
            let least = if own.chance(300) {
                one.replicas + 1
            } else {
                one.minimum
            };
            scale(store, &one.id, least);
        }
    }
}

/// Scaling groups and standalone cliques. A job is not scaled.
fn scalable(store: &Store) -> Vec<Scalable> {
    let is_alone = |o: &Value| view::owner(o).is_some_and(|(kind, ..)| kind == "PodCliqueSet");
    let cliques = store.all(Resource::PodClique).filter(|(_, c)| is_alone(c));
    let groups = store.all(Resource::PodCliqueScalingGroup);
    groups
        .chain(cliques)
        .filter(|(_, o)| !view::is_job(o))
        .map(|(id, o)| Scalable {
            id: id.clone(),
            replicas: view::number(o, "/spec/replicas"),
            minimum: view::number(o, "/spec/minAvailable"),
        })
        .collect()
}

fn scale(store: &mut Store, id: &Id, replicas: i64) {
    let path = format!("{}/{}/scale", id.resource.path(&id.namespace), id.name);
    let body = json!({"spec": {"replicas": replicas}});
    store.handle("user", &Call::merge(&path, body));
}
