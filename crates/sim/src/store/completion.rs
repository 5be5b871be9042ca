//! The API server's own changes to an object before it stores it, as far as the operator could take
//! them for an edit.

use serde_json::{Value, json};

use super::{Resource, view};

/// Keeps a PodGroup of Kubernetes that pods name.
pub(crate) const POD_GROUP_FINALIZER: &str = "scheduling.k8s.io/podgroup-protection";

/// Fills in absent fields, and writes quantities in its own form.
pub(super) fn complete(resource: Resource, object: &mut Value) {
    match resource {
        Resource::HorizontalPodAutoscaler => autoscaler(object),
        Resource::PodGroup if object["metadata"]["uid"].is_null() => protect(object),
        _ => {}
    }
}

/// A new PodGroup is kept as long as pods name it.
fn protect(group: &mut Value) {
    group["metadata"]["finalizers"] = json!([POD_GROUP_FINALIZER]);
}

fn autoscaler(object: &mut Value) {
    if object["spec"]["minReplicas"].is_null() {
        object["spec"]["minReplicas"] = json!(1);
    }
    if view::list(object, "/spec/metrics").next().is_none() {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        let cpu = json!({"name": "cpu", "target": target});
        object["spec"]["metrics"] = json!([{"type": "Resource", "resource": cpu}]);
    }
    let metrics = object.pointer_mut("/spec/metrics");
    for metric in metrics.and_then(Value::as_array_mut).into_iter().flatten() {
        let value = metric.pointer_mut("/pods/target/averageValue");
        if let Some(value) = value {
            *value = json!(plain(value.as_str().unwrap_or_default()));
        }
    }
}

/// Writes thousandths as a whole number if they are one.
fn plain(quantity: &str) -> &str {
    quantity.strip_suffix("000m").unwrap_or(quantity)
}
