//! Kubernetes' controller of HorizontalPodAutoscalers.

use serde_json::{Value, json};

use crate::resource::{Id, Resource};
use crate::store::{Call, Store};
use crate::{Rng, view};

/// One autoscaler moves a count that is outside its limits to the nearest limit; if all are inside
/// and load changes, it wants another count. A target that is scaled to zero stays as it is.
pub fn autoscale(store: &mut Store, rng: &mut Rng, does_load_change: bool) -> bool {
    let autoscalers = store.all(Resource::HorizontalPodAutoscaler);
    let wishes: Vec<(Id, Id, i64)> = autoscalers
        .filter_map(|(id, autoscaler)| {
            let (target, live) = target(store, id, autoscaler)?;
            let limit = |key: &str| view::number(autoscaler, &format!("/spec/{key}"));
            let (lowest, highest) = (limit("minReplicas").max(1), limit("maxReplicas").max(1));
            let wanted = if does_load_change {
                rng.between(lowest, highest.max(lowest))
            } else {
                live.max(lowest).min(highest)
            };
            (wanted != live).then(|| (id.clone(), target, wanted))
        })
        .collect();
    let Some((autoscaler, target, wanted)) = rng.pick(&wishes).cloned() else {
        return false;
    };
    let path = target.resource.path(&target.namespace);
    let path = format!("{path}/{}/scale", target.name);
    let body = json!({"spec": {"replicas": wanted}});
    store.handle("autoscaler", &Call::merge(&path, body));
    store.edit("autoscaler", &autoscaler, |object| {
        object["status"] = json!({"desiredReplicas": wanted});
    });
    true
}

/// The target and its count, unless the count is 0 or the target is terminating.
fn target(store: &Store, id: &Id, autoscaler: &Value) -> Option<(Id, i64)> {
    let kind = view::text(autoscaler, "/spec/scaleTargetRef/kind");
    let name = view::text(autoscaler, "/spec/scaleTargetRef/name");
    let target = id.beside(kind.parse().ok()?, name);
    let found = store.get(&target).filter(|o| !view::is_terminating(o))?;
    let live = view::number(found, "/spec/replicas");
    (live > 0 && !view::is_terminating(autoscaler)).then_some((target, live))
}
