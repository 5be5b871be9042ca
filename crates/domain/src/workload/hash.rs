//! Hashes that tell whether running pods were made from the present template.
//!
//! ```text
//! clique template ──▶ JSON ──▶ canonical (below) ──▶ FNV-1a 64 ──▶ r1 + 14 characters
//! ```
//!
//! Two templates that make the same pod have the same hash, whoever wrote them down: maps are
//! sorted, the order of lists that Kubernetes treats as maps is ignored, what the API server would
//! fill in counts as absent, and quantities are compared by value (`1000m` is `1`). What changes a
//! pod changes the hash. The input is JSON text and not a dump of Rust structs, so a newer
//! Kubernetes library does not restart workloads (docs/semantics.md §9.2).
//!
//! Order still counts where it has an effect: init containers run in it, `envFrom` overrides in
//! it, and an `env` list in which a value refers to another (`$(NAME)`) is read in it.
//!
//! Deliberately not evened out: a port as number or as text, `hostPort` repeated under
//! `hostNetwork`, defaults of rarely used volume types. Writing such a template in the other form
//! restarts its pods.

use api::podcliqueset::{PodCliqueSetTemplateSpec, PodCliqueTemplateSpec};
use k8s_openapi::api::core::v1::PodSpec;
use serde_json::{Map, Value, json};

use crate::object::fnv;

/// Version of the canonical form. The digit is in no hash of the Go operator.
const VERSION: &str = "r1";
/// Width that holds every 64-bit value: 27^14 > 2^64.
const DIGITS: usize = 14;

/// Hash of the pods that a clique template makes (Grove, label `grove.io/pod-template-hash`):
/// over the clique's labels, annotations and pod spec.
///
/// Pass a template with defaults applied (`admission::defaults`): for `Training` an unset
/// `restartPolicy` is not the API server's. `priority_class_name` is the one of the set; if it is
/// empty, the pod spec's own counts.
pub fn pod_template_hash(clique: &PodCliqueTemplateSpec, priority_class_name: &str) -> String {
    let mut text = String::new();
    write(&json!(clique.labels), &mut text);
    write(&json!(clique.annotations), &mut text);
    let spec = canonical_spec(&clique.spec.pod_spec, priority_class_name);
    write(&spec, &mut text);
    encode(&text)
}

/// The hash of each clique's pods, in the order of the cliques. It is the same in every replica and
/// expensive to compute: rules over all replicas compute it once.
pub fn pod_template_hashes<'a>(
    cliques: impl IntoIterator<Item = &'a PodCliqueTemplateSpec>,
    priority_class_name: &str,
) -> Vec<(&'a PodCliqueTemplateSpec, String)> {
    let hashed = |c| (c, pod_template_hash(c, priority_class_name));
    cliques.into_iter().map(hashed).collect()
}

/// Hash of a pod spec alone: for a `PodClique` whose template is not in the set any more.
pub fn pod_spec_hash(spec: &PodSpec) -> String {
    let mut text = String::new();
    write(&canonical_spec(spec, ""), &mut text);
    encode(&text)
}

/// Whether both make the same pod.
pub fn is_same_pod_spec(one: &PodSpec, other: &PodSpec) -> bool {
    one == other || canonical_spec(one, "") == canonical_spec(other, "")
}

fn canonical_spec(spec: &PodSpec, priority_class_name: &str) -> Value {
    // Serializing a pod spec cannot fail: all its keys are text.
    let mut spec = serde_json::to_value(spec).unwrap_or_default();
    if let Some(spec) = spec.as_object_mut() {
        if !priority_class_name.is_empty() {
            spec.insert("priorityClassName".into(), priority_class_name.into());
        }
        canonical::pod(spec);
    }
    spec
}

/// Hash of everything in the template whose change is an update (Grove,
/// `status.currentGenerationHash`): the pod templates of all cliques in the order of the list.
///
/// Not part of it: names, `roleName`, `replicas`, `minAvailable`, `startsAfter`, autoscaling,
/// topology, resource sharing, the headless Service, scaling groups.
pub fn generation_hash(template: &PodCliqueSetTemplateSpec) -> String {
    let hash = |clique| pod_template_hash(clique, &template.priority_class_name);
    encode(&template.cliques.iter().map(hash).collect::<String>())
}

/// Whether this version of the operator made the hash. All others, those of the Go operator as
/// well as those of a later version of ours, are foreign: objects that carry one are given ours
/// without a restart, because nothing can be concluded from comparing them.
pub fn is_ours(hash: &str) -> bool {
    hash.strip_prefix(VERSION).is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|b| fnv::ALPHABET.contains(&b))
    })
}

fn encode(text: &str) -> String {
    format!(
        "{VERSION}{}",
        fnv::encode(fnv::hash(text.as_bytes()), DIGITS)
    )
}

/// JSON with sorted keys: `serde_json` keeps insertion order if any crate in the build asks so.
fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<_> = object.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (name, value) in fields {
                write(&json!(name), out);
                out.push(':');
                write(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Brings a pod spec into the form in which equal pods are equal.
///
/// Nearly all rules go by the name of a field alone. That is safe because maps with keys of the
/// user are left out, and because a value that is a default in one place is no other thing's
/// non-default value elsewhere in a pod spec; what does depend on the place is in [`pod`] and
/// [`container`].
mod canonical {
    use super::{Map, Value, quantity};

    type Object = Map<String, Value>;

    pub(super) fn pod(spec: &mut Object) {
        fields(spec);
        if let Some(old_name) = spec.remove("serviceAccount") {
            spec.entry("serviceAccountName").or_insert(old_name);
        }
        spec.retain(|name, value| match name.as_str() {
            // Of a container these two mean something else.
            "restartPolicy" => value != "Always",
            "terminationGracePeriodSeconds" => value != 30_i64,
            _ => true,
        });
        for list in ["containers", "initContainers", "ephemeralContainers"] {
            let items = spec.get_mut(list).and_then(Value::as_array_mut);
            let items = items.into_iter().flatten();
            items.filter_map(Value::as_object_mut).for_each(container);
        }
    }

    fn container(container: &mut Object) {
        let pull_policy = default_pull_policy(container);
        container.retain(|name, value| name != "imagePullPolicy" || value != pull_policy);
        if let Some(Value::Object(resources)) = container.get_mut("resources") {
            implied_requests(resources);
        }
    }

    /// `Always` for the tag `latest`, given or implied; an image given by digest alone has no tag.
    fn default_pull_policy(container: &Object) -> &'static str {
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

    /// What a container does not request, but is limited to, it requests.
    fn implied_requests(resources: &mut Object) {
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

    fn fields(object: &mut Object) {
        for (name, value) in object.iter_mut() {
            match (name.as_str(), value) {
                ("limits" | "requests" | "overhead", Value::Object(amounts)) => {
                    amounts.values_mut().for_each(quantity::normalize);
                }
                ("sizeLimit" | "divisor", value) => quantity::normalize(value),
                (name, Value::Object(inner)) if !is_users_map(name) => fields(inner),
                (name, Value::Array(items)) => list(name, items),
                _ => {}
            }
        }
        object.retain(|name, value| !is_void(name, value) && !is_default(name, value));
    }

    fn is_users_map(name: &str) -> bool {
        matches!(
            name,
            "labels"
                | "annotations"
                | "matchLabels"
                | "nodeSelector"
                | "volumeAttributes"
                | "options"
        )
    }

    fn list(name: &str, items: &mut [Value]) {
        let objects = items.iter_mut().filter_map(Value::as_object_mut);
        objects.for_each(fields);
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
            // Capabilities are added and dropped as sets.
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

    /// Stable: of two items with one key the later one still wins.
    fn sort(items: &mut [Value], keys: &[&str]) {
        items.sort_by_cached_key(|item| -> Vec<_> {
            let text = |key: &&str| item.get(*key).map(Value::to_string);
            keys.iter().map(text).collect()
        });
    }

    /// Whether the field says nothing. An empty selector selects everything, an empty volume
    /// source is a volume and an empty storage class is none at all: these stay.
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

    /// Whether the API server would fill in the same.
    fn is_default(name: &str, value: &Value) -> bool {
        match name {
            "dnsPolicy" => value == "ClusterFirst",
            "schedulerName" => value == "default-scheduler",
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
}

/// Quantities by value, so that `1000m` and `1` are the same.
mod quantity {
    use super::Value;

    /// Rewrites a quantity as a whole number of billionths. What is finer, larger or malformed
    /// stays as it is.
    pub(super) fn normalize(value: &mut Value) {
        if let Some(amount) = value.as_str().and_then(billionths) {
            *value = Value::String(amount.to_string());
        }
    }

    fn billionths(text: &str) -> Option<i128> {
        let end = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '+' | '-'));
        let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let scaled = digits.checked_mul(scale(suffix)?)?;
        let divisor = power(10, fraction.len())?;
        (scaled % divisor == 0).then_some(scaled / divisor)
    }

    /// How many billionths one unit of the suffix is.
    fn scale(suffix: &str) -> Option<i128> {
        const BILLION: i128 = 1_000_000_000;
        let binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
        let decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
        let place = |list: &[&str]| list.iter().position(|s| *s == suffix);
        if let Some(place) = place(&binary) {
            return power(1024, place + 1)?.checked_mul(BILLION);
        }
        if let Some(place) = place(&decimal) {
            return power(1000, place);
        }
        let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
        power(10, usize::try_from(exponent.checked_add(9)?).ok()?)
    }

    fn power(base: i128, exponent: usize) -> Option<i128> {
        base.checked_pow(u32::try_from(exponent).ok()?)
    }
}
