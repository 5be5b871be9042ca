//! References of a pod by name. Optional ones are left out.

use k8s_openapi::api::core::v1::PodSpec;
use serde_json::Value;

use super::answers::NeededKind::{self, Claim, ClaimTemplate, ConfigMap, ResourceClaim, Secret};
use super::needs::Need;

/// Fields that name an object; a list stands for each of its items.
const FIELDS: [(&str, NeededKind); 16] = [
    ("imagePullSecrets.name", Secret),
    ("volumes.persistentVolumeClaim.claimName", Claim),
    ("volumes.configMap.name", ConfigMap),
    ("volumes.secret.secretName", Secret),
    ("volumes.projected.sources.configMap.name", ConfigMap),
    ("volumes.projected.sources.secret.name", Secret),
    ("containers.envFrom.configMapRef.name", ConfigMap),
    ("containers.envFrom.secretRef.name", Secret),
    ("containers.env.valueFrom.configMapKeyRef.name", ConfigMap),
    ("containers.env.valueFrom.secretKeyRef.name", Secret),
    ("initContainers.envFrom.configMapRef.name", ConfigMap),
    ("initContainers.envFrom.secretRef.name", Secret),
    (
        "initContainers.env.valueFrom.configMapKeyRef.name",
        ConfigMap,
    ),
    ("initContainers.env.valueFrom.secretKeyRef.name", Secret),
    ("resourceClaims.resourceClaimName", ResourceClaim),
    ("resourceClaims.resourceClaimTemplateName", ClaimTemplate),
];

/// References of the pod template; its `PriorityClass` only if it counts.
pub(super) fn of_pod(namespace: &str, at: &str, pod: &PodSpec, own_class: bool) -> Vec<Need> {
    let need = |kind, name: &str, at: String| Need::new(kind, namespace, name, at);
    let class = pod
        .priority_class_name
        .as_deref()
        .filter(|_| own_class)
        .map(|name| (name, format!("{at}.priorityClassName")));
    let mut needs: Vec<Need> = of_account(at, pod)
        .map(|(name, at)| need(NeededKind::ServiceAccount, name, at))
        .into_iter()
        .chain(class.map(|(name, at)| need(NeededKind::PriorityClass, name, at)))
        .collect();
    let spec = serde_json::to_value(pod).unwrap_or_default();
    for (field, kind) in FIELDS {
        let names = names_at(&spec, at, field).into_iter();
        needs.extend(names.map(|(name, at)| need(kind, name, at)));
    }
    needs.retain(|need| !need.wanted.name.is_empty());
    needs
}

/// Account `default` exists as soon as its namespace does.
fn of_account<'a>(at: &str, pod: &'a PodSpec) -> Option<(&'a str, String)> {
    let named = pod.service_account_name.as_deref();
    let named = named.filter(|name| !name.is_empty());
    let (name, field) = match named {
        Some(name) => (name, "serviceAccountName"),
        None => (pod.service_account.as_deref()?, "serviceAccount"),
    };
    (name != "default").then(|| (name, format!("{at}.{field}")))
}

/// The names in a field below `value`, each with its path.
pub(super) fn names_at<'a>(value: &'a Value, at: &str, field: &str) -> Vec<(&'a str, String)> {
    if value.get("optional") == Some(&Value::Bool(true)) {
        return Vec::new();
    }
    let (step, rest) = field.split_once('.').unwrap_or((field, ""));
    let at = format!("{at}.{step}");
    match value.get(step) {
        Some(Value::String(name)) => vec![(name, at)],
        Some(Value::Array(items)) => items
            .iter()
            .enumerate()
            .flat_map(|(i, item)| names_at(item, &format!("{at}[{i}]"), rest))
            .collect(),
        Some(inner) => names_at(inner, &at, rest),
        None => Vec::new(),
    }
}
