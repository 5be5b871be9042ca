//! Dynamic resource allocation: a claim gets devices when the first of its pods gets a node, and
//! keeps them while a pod uses it. Until then it is protected: it may be deleted, and stays.

use serde_json::{Value, json};

use crate::resource::{Id, Resource};
use crate::sharing::{claims, claims_of, names};
use crate::store::Store;
use crate::{Rng, view};

const PROTECTION: &str = "resource.kubernetes.io/delete-protection";

const CONTROLLER: &str = "claim controller";

/// Whether the scheduler looks at the pod: all claims that it names exist and stay.
pub(super) fn has_claims(store: &Store, pod: &Value) -> bool {
    claims_of(pod).all(|claim| {
        let mut id = Id::new(Resource::ResourceClaim, claim);
        view::namespace(pod).clone_into(&mut id.namespace);
        store.get(&id).is_some_and(|c| !view::is_terminating(c))
    })
}

/// The claims of a pod that gets a node now get their devices.
pub(super) fn allocate(store: &mut Store, pod: &Id) {
    let named: Vec<Id> = store
        .get(pod)
        .map(|found| {
            let claims = claims_of(found);
            claims
                .map(|claim| pod.beside(Resource::ResourceClaim, claim))
                .collect()
        })
        .unwrap_or_default();
    for claim in named {
        if store.get(&claim).is_some_and(|claim| !is_allocated(claim)) {
            store.edit("scheduler", &claim, |claim| {
                claim["metadata"]["finalizers"] = json!([PROTECTION]);
                claim["status"]["allocation"] = json!({});
            });
        }
    }
}

fn is_allocated(claim: &Value) -> bool {
    view::list(claim, "/metadata/finalizers").any(|finalizer| finalizer == PROTECTION)
}

/// Takes the devices of one claim away that no unfinished pod on a node uses.
pub fn free_devices(store: &mut Store, rng: &mut Rng) -> bool {
    let is_used = |id: &Id| {
        let mut pods = store.all(Resource::Pod);
        pods.any(|(pod, seen)| {
            let runs = !view::text(seen, "/spec/nodeName").is_empty() && !view::is_finished(seen);
            pod.namespace == id.namespace && runs && names(seen, &id.name)
        })
    };
    let free: Vec<Id> = claims(store)
        .filter(|(id, claim)| is_allocated(claim) && !is_used(id))
        .map(|(id, _)| id.clone())
        .collect();
    let Some(id) = rng.pick(&free) else {
        return false;
    };
    store.edit(CONTROLLER, id, |claim| {
        claim["metadata"]["finalizers"] = json!([]);
        claim["status"] = json!({});
    });
    true
}
