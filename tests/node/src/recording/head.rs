//! The first line of a recording.

use anyhow::{Context as _, Result};
use kube::Client;
use kube::api::{Api, DynamicObject};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use super::Wanted;

/// The facts about the pod and its set.
pub(super) async fn of(client: &Client, wanted: &Wanted, pod: &Value) -> Result<Value> {
    let spec = pod.get("spec").unwrap_or(&Value::Null);
    let init = spec.get("initContainers").and_then(Value::as_array);
    let runs_on = |container: &&Value| container.get("restartPolicy").is_some();
    let sidecars = init.into_iter().flatten().filter(runs_on);
    let sidecars: Vec<_> = sidecars
        .filter_map(|container| container.get("name"))
        .collect();
    let mut head = json!({
        "about": wanted.about,
        "workload": workload(client, wanted, pod).await?,
        "restartPolicy": spec.get("restartPolicy"),
    });
    if let Some(fields) = head.as_object_mut()
        && !sidecars.is_empty()
    {
        fields.insert("sidecars".to_owned(), json!(sidecars));
    }
    Ok(head)
}

/// `Training` or `Inference`, from its set.
async fn workload(client: &Client, wanted: &Wanted, pod: &Value) -> Result<String> {
    let label = pod.pointer("/metadata/labels/app.kubernetes.io~1part-of");
    let set = label
        .and_then(Value::as_str)
        .context("the pod is of no PodCliqueSet")?;
    let kind = GroupVersionKind::gvk("grove.io", "v1alpha1", "PodCliqueSet");
    let kind = ApiResource::from_gvk(&kind);
    let sets = Api::<DynamicObject>::namespaced_with(client.clone(), &wanted.namespace, &kind);
    let set = json!(sets.get(set).await?);
    let workload = set.pointer("/spec/workloadType").and_then(Value::as_str);
    Ok(workload.unwrap_or("Inference").to_owned())
}
