//! A user who changes pod templates.

mod limits;
mod rollout;

use serde_json::{Value, json};

use crate::check::units::is_coherent;
use crate::check::updates::is_on_delete;
use crate::resource::Id;
use crate::store::{Call, Store};
use crate::{Rng, view};

pub(super) use limits::drop_all as drop_limits;
pub use rollout::{lose_unit, lower_partitions, roll_out, write_refused};

/// In this many of a thousand cases a user chooses strategy `Coherent`.
const COHERENT: usize = 300;

/// Changes the version of one clique, or of all, sometimes with another budget.
pub(super) fn edit_template(store: &mut Store, rng: &mut Rng, set: &Id) {
    let Some(found) = store.get(set) else { return };
    let mut cliques = found["spec"]["template"]["cliques"].clone();
    let is_on_delete = is_on_delete(found);
    let is_coherent = is_coherent(found);
    let has_fixed_limits = is_on_delete || is_coherent;
    let version = rng.between(1, 5).to_string();
    let are_all = rng.chance(500);
    for clique in cliques.as_array_mut().into_iter().flatten() {
        if are_all || rng.chance(500) {
            clique["annotations"]["example.com/version"] = json!(version);
        }
        if rng.chance(300) && !has_fixed_limits && view::text(clique, "/name") == "front" {
            let most = view::number(clique, "/spec/replicas").max(1);
            clique["rollingUpdate"] = json!({"maxUnavailable": rng.between(1, most)});
            if rng.fork().chance(500) {
                clique["rollingUpdate"]["minReadySeconds"] = json!(rng.fork().between(0, 5));
            }
            add_surge(&mut rng.fork(), &mut clique["rollingUpdate"], most);
        }
    }
    let mut groups = groups_of(found);
    let mut own = rng.fork();
    for group in groups.as_array_mut().into_iter().flatten() {
        if own.chance(300) && !has_fixed_limits {
            let most = view::number(group, "/replicas").max(1);
            group["rollingUpdate"] = json!({"maxUnavailable": own.between(1, most)});
            add_surge(&mut own, &mut group["rollingUpdate"], most);
        }
    }
    let mut template = json!({"cliques": cliques, "podCliqueScalingGroups": groups});
    let mut dice = apart(rng);
    if is_coherent && dice.chance(400) {
        limits::suit_coherent(&mut template, &mut dice);
    }
    if !is_on_delete {
        limits::change_partitions(&mut template, &mut dice);
    }
    patch(store, set, &json!({"template": template}));
    pause(store, &mut rng.fork(), set, is_on_delete);
}

/// A separate random source, so that nothing else about a seed changes.
fn apart(rng: &Rng) -> Rng {
    const APART: u64 = 0xC04E_7E27;
    Rng::new(rng.clone().number() ^ APART)
}

fn groups_of(set: &Value) -> Value {
    set["spec"]["template"]["podCliqueScalingGroups"].clone()
}

/// Some sets have surge, partitions or strategy `Coherent` from the beginning.
pub(super) fn write_some(manifest: &mut Value, own: &mut Rng) {
    let is_job = view::is_job(manifest);
    for parts in ["cliques", "podCliqueScalingGroups"] {
        let parts = manifest.pointer_mut(&format!("/spec/template/{parts}"));
        for part in parts.and_then(Value::as_array_mut).into_iter().flatten() {
            let is_clique = part.get("spec").is_some();
            let replicas = if is_clique {
                view::number(part, "/spec/replicas")
            } else {
                view::number(part, "/replicas")
            };
            let is_updated_alone = !is_clique || view::text(part, "/name") == "front";
            if own.chance(800) && is_updated_alone && !is_job {
                add_surge(own, &mut part["rollingUpdate"], replicas.max(1));
            }
        }
    }
    if !is_job {
        write_strategy(manifest, &mut apart(own));
    }
}

fn write_strategy(manifest: &mut Value, dice: &mut Rng) {
    let template = &mut manifest["spec"]["template"];
    let is_coherent = dice.chance(COHERENT);
    if is_coherent {
        limits::enlarge(template, dice);
        limits::suit_coherent(template, dice);
    }
    limits::change_partitions(template, dice);
    if is_coherent {
        manifest["spec"]["updateStrategy"]["type"] = json!("Coherent");
    }
}

/// Some updates have surge, and some of these wait until it has room.
fn add_surge(own: &mut Rng, rolling: &mut Value, replicas: i64) {
    if own.chance(400) {
        rolling["maxSurge"] = json!(own.between(1, replicas));
        if own.chance(300) {
            rolling["maxUnavailable"] = json!(0);
        }
    }
}

/// Some updates are paused, or keep the first replica as it is, and go on with a later edit.
fn pause(store: &mut Store, own: &mut Rng, set: &Id, is_on_delete: bool) {
    if !is_on_delete {
        let paused = own.chance(200);
        let partition = i64::from(own.fork().chance(150));
        let strategy = json!({"paused": paused, "partition": partition});
        patch(store, set, &json!({"updateStrategy": strategy}));
    }
}

/// From one strategy to another; a budget is refused with `OnDelete`.
pub(super) fn switch_strategy(store: &mut Store, rng: &mut Rng, set: &Id) {
    let Some(found) = store.get(set) else { return };
    let cliques = &found["spec"]["template"]["cliques"];
    let mut template = json!({"cliques": cliques, "podCliqueScalingGroups": groups_of(found)});
    let mut dice = apart(rng);
    let type_ = if rng.chance(300) {
        limits::drop_all(&mut template);
        "OnDelete"
    } else if dice.chance(COHERENT) {
        limits::suit_coherent(&mut template, &mut dice);
        "Coherent"
    } else {
        "RollingRecreate"
    };
    let strategy = json!({"type": type_, "paused": null, "partition": null});
    patch(
        store,
        set,
        &json!({"updateStrategy": strategy, "template": template}),
    );
}

fn patch(store: &mut Store, set: &Id, spec: &Value) {
    let path = format!("{}/{}", set.resource.path(&set.namespace), set.name);
    store.handle("user", &Call::merge(&path, json!({"spec": spec})));
}
