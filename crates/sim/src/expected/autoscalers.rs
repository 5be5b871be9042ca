//! Autoscalers of the template.

use serde_json::{Value, json};

use crate::resource::{Id, Resource};
use crate::store::Store;
use crate::view;

/// Names of the autoscalers of a replica; with the base name in front, they are the names of their
/// targets.
pub(super) fn names(set: &Value, base: &str) -> Vec<String> {
    let full = |(name, ..): (&str, &str, &Value)| format!("{base}-{name}");
    configs(set).map(full).collect()
}

/// Errors in the existing ones.
pub(super) fn problems(store: &Store, set: &Value) -> Vec<String> {
    let replicas = 0..view::number(set, "/spec/replicas");
    replicas
        .flat_map(|i| {
            configs(set).map(move |(name, kind, part)| {
                let name = format!("{}-{i}-{name}", view::name(set));
                (name, kind, part)
            })
        })
        .filter_map(|(name, kind, part)| {
            let id = Id::new(Resource::HorizontalPodAutoscaler, &name);
            let should = spec(&name, kind, part);
            let is = store.get(&id)?["spec"].clone();
            (is != should).then(|| format!("{id}: spec is {is}, {should} is right"))
        })
        .collect()
}

/// Name, kind and template of each part with a configuration.
fn configs(set: &Value) -> impl Iterator<Item = (&str, &'static str, &Value)> {
    let cliques = view::list(set, "/spec/template/cliques")
        .map(|c| (view::text(c, "/name"), "PodClique", &c["spec"]));
    let groups = view::list(set, "/spec/template/podCliqueScalingGroups")
        .map(|g| (view::text(g, "/name"), "PodCliqueScalingGroup", g));
    cliques
        .chain(groups)
        .filter(|(.., part)| config(part).is_some())
}

fn config(part: &Value) -> Option<&Value> {
    part.get("autoScalingConfig").or(part.get("scaleConfig"))
}

/// As the API server stores it.
fn spec(name: &str, kind: &str, part: &Value) -> Value {
    let config = config(part).unwrap_or(&Value::Null);
    let count = |field: &str| part.get(field).and_then(Value::as_i64).unwrap_or(1);
    let all = json!(count("replicas").max(count("minAvailable")));
    let lowest = config
        .get("minReplicas")
        .filter(|given| !given.is_null())
        .unwrap_or(&all);
    let mut metrics = config["metrics"].clone();
    if let Some(value) = metrics.pointer_mut("/0/pods/target/averageValue")
        && *value == "2000m"
    {
        *value = json!("2");
    }
    if metrics.is_null() {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        let cpu = json!({"name": "cpu", "target": target});
        metrics = json!([{"type": "Resource", "resource": cpu}]);
    }
    json!({
        "scaleTargetRef": {"apiVersion": "grove.io/v1alpha1", "kind": kind, "name": name},
        "minReplicas": lowest,
        "maxReplicas": config["maxReplicas"],
        "metrics": metrics,
    })
}
