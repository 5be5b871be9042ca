//! NVIDIA's driver: it makes the template of a ComputeDomain, and takes it away once somebody deletes
//! the domain, whether pods use it or not.

use serde_json::{Value, json};

use crate::nvlink::domains;
use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

const DRIVER: &str = "driver";

/// The driver's own finalizer.
const CLEANS_UP: &str = "resource.nvidia.com/computeDomain";

/// One move of the driver.
#[derive(Clone, Debug)]
enum Move {
    Hold,
    MakeTemplate,
    RemoveTemplate,
    LetGo,
}

/// Makes one move, if there is one to make.
pub fn run_driver(store: &mut Store, rng: &mut Rng) -> bool {
    let due: Vec<(Id, Move)> = domains(store)
        .filter_map(|(id, domain)| Some((id.clone(), next_move(store, id, domain)?)))
        .collect();
    let Some((id, due)) = rng.pick(&due).cloned() else {
        return false;
    };
    match due {
        Move::Hold => store.edit(DRIVER, &id, |domain| {
            if let Some(finalizers) = domain["metadata"]["finalizers"].as_array_mut() {
                finalizers.push(json!(CLEANS_UP));
            } else {
                domain["metadata"]["finalizers"] = json!([CLEANS_UP]);
            }
        }),
        Move::MakeTemplate => make_template(store, &id),
        Move::RemoveTemplate => store.remove(DRIVER, &template_of(&id)),
        Move::LetGo => store.edit(DRIVER, &id, |domain| {
            if let Some(finalizers) = domain["metadata"]["finalizers"].as_array_mut() {
                finalizers.retain(|finalizer| finalizer != CLEANS_UP);
            }
        }),
    }
    true
}

fn next_move(store: &Store, id: &Id, domain: &Value) -> Option<Move> {
    let template = store.get(&template_of(id));
    let is_own = template.is_some_and(|template| {
        view::owner(template).is_some_and(|(_, _, uid)| uid == view::uid(domain))
    });
    let mut finalizers = view::list(domain, "/metadata/finalizers");
    let is_holding = finalizers.any(|finalizer| finalizer == CLEANS_UP);
    match (view::is_terminating(domain), is_holding) {
        (false, false) => Some(Move::Hold),
        // The garbage collector removes one of an earlier domain.
        (false, true) => template.is_none().then_some(Move::MakeTemplate),
        (true, true) if is_own => Some(Move::RemoveTemplate),
        (true, true) => Some(Move::LetGo),
        (true, false) => None,
    }
}

fn template_of(domain: &Id) -> Id {
    domain.beside(Resource::ResourceClaimTemplate, &domain.name)
}

fn make_template(store: &mut Store, domain: &Id) {
    let Some(uid) = store.get(domain).map(|found| view::uid(found).to_owned()) else {
        return;
    };
    let owner = json!({
        "apiVersion": Resource::ComputeDomain.api_version(), "kind": "ComputeDomain",
        "name": domain.name, "uid": uid, "controller": true,
    });
    let template = json!({
        "metadata": {"name": domain.name, "ownerReferences": [owner]},
        "spec": {"spec": {}},
    });
    let path = Resource::ResourceClaimTemplate.path(&domain.namespace);
    store.handle(DRIVER, &Call::new("POST", &path, template));
}
