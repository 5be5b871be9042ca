//! A user who changes pod templates.

use serde_json::{Value, json};

use crate::resource::Id;
use crate::store::{Call, Store};
use crate::{Rng, view};

/// Changes the version of one clique, or of all, sometimes with another budget.
pub(super) fn edit_template(store: &mut Store, rng: &mut Rng, set: &Id) {
    let Some(found) = store.get(set) else { return };
    let mut cliques = found["spec"]["template"]["cliques"].clone();
    let is_on_delete = view::text(found, "/spec/updateStrategy/type") == "OnDelete";
    let version = rng.between(1, 5).to_string();
    let are_all = rng.chance(500);
    for clique in cliques.as_array_mut().into_iter().flatten() {
        if are_all || rng.chance(500) {
            clique["annotations"]["example.com/version"] = json!(version);
        }
        if rng.chance(300) && !is_on_delete && view::text(clique, "/name") == "front" {
            let most = view::number(clique, "/spec/replicas").max(1);
            clique["rollingUpdate"] = json!({"maxUnavailable": rng.between(1, most)});
            if rng.fork().chance(500) {
                clique["rollingUpdate"]["minReadySeconds"] = json!(rng.fork().between(0, 5));
            }
        }
    }
    patch(store, set, &json!({"template": {"cliques": cliques}}));
    pause(store, &mut rng.fork(), set, is_on_delete);
}

/// Some updates are paused, and go on with a later edit.
fn pause(store: &mut Store, own: &mut Rng, set: &Id, is_on_delete: bool) {
    if !is_on_delete {
        let paused = own.chance(200);
        patch(store, set, &json!({"updateStrategy": {"paused": paused}}));
    }
}

/// From one strategy to the other; a budget is refused with `OnDelete`.
pub(super) fn switch_strategy(store: &mut Store, rng: &mut Rng, set: &Id) {
    let Some(found) = store.get(set) else { return };
    let mut cliques = found["spec"]["template"]["cliques"].clone();
    let type_ = if rng.chance(300) {
        for clique in cliques.as_array_mut().into_iter().flatten() {
            clique.as_object_mut().map(|c| c.remove("rollingUpdate"));
        }
        "OnDelete"
    } else {
        "RollingRecreate"
    };
    let strategy = json!({"type": type_, "paused": null});
    patch(
        store,
        set,
        &json!({"updateStrategy": strategy, "template": {"cliques": cliques}}),
    );
}

fn patch(store: &mut Store, set: &Id, spec: &Value) {
    let path = format!("{}/{}", set.resource.path(&set.namespace), set.name);
    store.handle("user", &Call::merge(&path, json!({"spec": spec})));
}
