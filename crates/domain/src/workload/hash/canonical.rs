//! Brings a pod spec into the form in which equal pods are equal.
//!
//! Nearly all rules depend on the name of a field alone. That is safe because maps with keys of the
//! user are left out, and because a default value of one field is nowhere else in a pod spec a
//! non-default value under the same name; rules that depend on the place are in
//! [`canonicalize_pod`] and [`canonicalize_container`].

use serde_json::{Map, Value};

use super::quantity;
use crate::scheduling::DEFAULT_SCHEDULER;

type JsonObject = Map<String, Value>;

pub(super) fn canonicalize_pod(spec: &mut JsonObject) {
    canonicalize_fields(spec);
    if let Some(old_name) = spec.remove("serviceAccount") {
        spec.entry("serviceAccountName").or_insert(old_name);
    }
    spec.retain(|name, value| match name.as_str() {
        // In a container these two names have another meaning.
        "restartPolicy" => value != "Always",
        "terminationGracePeriodSeconds" => value != 30_i64,
        _ => true,
    });
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        let items = spec.get_mut(list).and_then(Value::as_array_mut);
        items
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
            .for_each(canonicalize_container);
    }
}

fn canonicalize_container(container: &mut JsonObject) {
    let pull_policy = default_pull_policy(container);
    container.retain(|name, value| name != "imagePullPolicy" || value != pull_policy);
    if let Some(Value::Object(resources)) = container.get_mut("resources") {
        implied_requests(resources);
    }
}

/// `Always` for the tag `latest`, given or implied; an image given by digest alone has no tag.
fn default_pull_policy(container: &JsonObject) -> &'static str {
    let image = container.get("image").and_then(Value::as_str);
    let image = image.unwrap_or_default();
    let last = image.rsplit_once('/').map_or(image, |(_, last)| last);
    let (name, has_digest) = match last.split_once('@') {
        Some((name, _)) => (name, true),
        None => (last, false),
    };
    let is_latest = match name.split_once(':') {
        Some((_, tag)) => tag == "latest",
        None => !has_digest,
    };
    if is_latest { "Always" } else { "IfNotPresent" }
}

/// A resource with a limit and no request has the limit as its request.
fn implied_requests(resources: &mut JsonObject) {
    let Some(Value::Object(mut requests)) = resources.remove("requests") else {
        return;
    };
    if let Some(limits) = resources.get("limits") {
        requests.retain(|name, amount| limits.get(name) != Some(amount));
    }
    if !requests.is_empty() {
        resources.insert("requests".into(), Value::Object(requests));
    }
}

fn canonicalize_fields(object: &mut JsonObject) {
    for (name, value) in object.iter_mut() {
        match (name.as_str(), value) {
            ("limits" | "requests" | "overhead", Value::Object(amounts)) => {
                amounts.values_mut().for_each(quantity::normalize);
            }
            ("sizeLimit" | "divisor", value) => quantity::normalize(value),
            (name, Value::Object(inner)) if !is_users_map(name) => canonicalize_fields(inner),
            (name, Value::Array(items)) => canonicalize_list(name, items),
            _ => {}
        }
    }
    object.retain(|name, value| !is_void(name, value) && !is_default(name, value));
}

fn is_users_map(name: &str) -> bool {
    matches!(
        name,
        "labels" | "annotations" | "matchLabels" | "nodeSelector" | "volumeAttributes" | "options"
    )
}

fn canonicalize_list(name: &str, items: &mut [Value]) {
    items
        .iter_mut()
        .filter_map(Value::as_object_mut)
        .for_each(canonicalize_fields);
    match name {
        "env" if items.iter().any(refers_to_another) => {}
        "containers"
        | "ephemeralContainers"
        | "env"
        | "volumes"
        | "imagePullSecrets"
        | "resourceClaims"
        | "claims"
        | "schedulingGates" => sort(items, &["name"]),
        "ports" => sort(items, &["containerPort", "protocol"]),
        "volumeMounts" => sort(items, &["mountPath"]),
        "volumeDevices" => sort(items, &["devicePath"]),
        "resizePolicy" => sort(items, &["resourceName"]),
        "hostAliases" => sort(items, &["ip"]),
        "topologySpreadConstraints" => sort(items, &["topologyKey", "whenUnsatisfiable"]),
        // The order of added and dropped capabilities has no effect.
        "tolerations" | "readinessGates" | "add" | "drop" => {
            items.sort_by_cached_key(Value::to_string);
        }
        _ => {}
    }
}

fn refers_to_another(variable: &Value) -> bool {
    let value = variable.get("value").and_then(Value::as_str);
    value.is_some_and(|value| value.contains("$("))
}

/// Stable: of two items with one key the later one still takes effect.
fn sort(items: &mut [Value], keys: &[&str]) {
    items.sort_by_cached_key(|item| -> Vec<_> {
        let text = |key: &&str| item.get(*key).map(Value::to_string);
        keys.iter().map(text).collect()
    });
}

/// Whether the field has no effect. An empty selector selects everything, an empty volume source is
/// a volume and an empty storage class is none at all: these stay.
fn is_void(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty() && name != "storageClassName",
        Value::Object(fields) => fields.is_empty() && is_void_when_empty(name),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_void_when_empty(name: &str) -> bool {
    let is_optional = matches!(
        name,
        "affinity"
            | "nodeAffinity"
            | "podAffinity"
            | "podAntiAffinity"
            | "dnsConfig"
            | "emptyDir"
            | "lifecycle"
            | "metadata"
            | "securityContext"
            | "capabilities"
            | "seLinuxOptions"
            | "resources"
            | "limits"
            | "requests"
            | "overhead"
    );
    is_optional || is_users_map(name)
}

/// Whether the API server would fill in the same value.
fn is_default(name: &str, value: &Value) -> bool {
    match name {
        "dnsPolicy" => value == "ClusterFirst",
        "schedulerName" => value == DEFAULT_SCHEDULER,
        "terminationMessagePath" => value == "/dev/termination-log",
        "terminationMessagePolicy" => value == "File",
        "protocol" => value == "TCP",
        "scheme" => value == "HTTP",
        "path" => value == "/",
        "apiVersion" => value == "v1",
        "procMount" => value == "Default",
        "volumeMode" => value == "Filesystem",
        "divisor" => value == "0",
        "initialDelaySeconds" | "hostPort" => value == 0_i64,
        "timeoutSeconds" | "successThreshold" => value == 1_i64,
        "failureThreshold" => value == 3_i64,
        "periodSeconds" => value == 10_i64,
        "expirationSeconds" => value == 3600_i64,
        "defaultMode" => value == 0o644_i64,
        "enableServiceLinks" | "hostUsers" => value == true,
        "hostNetwork"
        | "hostPID"
        | "hostIPC"
        | "shareProcessNamespace"
        | "setHostnameAsFQDN"
        | "stdin"
        | "stdinOnce"
        | "tty"
        | "privileged"
        | "readOnly"
        | "readOnlyRootFilesystem"
        | "optional" => value == false,
        _ => false,
    }
}
