//! Structures of Kubernetes inside our kinds: pod specs, metrics, resource claim templates.
//!
//! k8s-openapi's schemas have neither list types nor defaults. Without these a server-side apply
//! replaces whole lists of containers, and two containers of one name are accepted. The facts below
//! are those of the Kubernetes API (its OpenAPI document, and Grove's definitions made from it).

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};
use serde_json::{Value, json};

use super::walk::{ends_with, visit};

/// Fields of ours that hold a structure of Kubernetes.
const EMBEDDED: &[&str] = &["podSpec", "metrics", "templateSpec"];

/// Lists whose items are identified by keys. Every other list is atomic.
const MAP_LISTS: &[(&str, &[&str])] = &[
    ("containers", &["name"]),
    ("initContainers", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("env", &["name"]),
    ("ports", &["containerPort", "protocol"]),
    ("volumeMounts", &["mountPath"]),
    ("volumeDevices", &["devicePath"]),
    ("resources.claims", &["name"]),
    ("volumes", &["name"]),
    ("imagePullSecrets", &["name"]),
    ("hostAliases", &["ip"]),
    (
        "topologySpreadConstraints",
        &["topologyKey", "whenUnsatisfiable"],
    ),
    ("resourceClaims", &["name"]),
    ("schedulingGates", &["name"]),
    ("evictionResponders", &["name"]),
];

/// Lists of scalars without repetition.
const SET_LISTS: &[&str] = &["exitCodes.values", "bindMountOptions"];

/// Objects that one writer owns as a whole: references and selectors.
const ATOMIC_OBJECTS: &[&str] = &[
    "configMapKeyRef",
    "secretKeyRef",
    "fieldRef",
    "fileKeyRef",
    "resourceFieldRef",
    "configMapRef",
    "secretRef",
    "nodePublishSecretRef",
    "imagePullSecrets[]",
    "evictionResponders[]",
    "configMap",
    "sources[].secret",
    "dataSource",
    "selector",
    "labelSelector",
    "namespaceSelector",
    "nodeSelector",
    "preference",
    "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms[]",
];

/// The metadata that a claim template passes on to its claim.
const TEMPLATE_METADATA: &[&str] = &["annotations", "labels"];

/// Pattern of a quantity in Kubernetes.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

fn defaults() -> Vec<(&'static str, Value)> {
    vec![
        ("ports[].protocol", json!("TCP")),
        ("configMapKeyRef.name", json!("")),
        ("secretKeyRef.name", json!("")),
        ("configMapRef.name", json!("")),
        ("secretRef.name", json!("")),
        ("nodePublishSecretRef.name", json!("")),
        ("imagePullSecrets[].name", json!("")),
        ("configMap.name", json!("")),
        ("sources[].secret.name", json!("")),
        ("grpc.service", json!("")),
        ("fileKeyRef.optional", json!(false)),
        ("azureDisk.fsType", json!("ext4")),
        ("azureDisk.readOnly", json!(false)),
        ("iscsi.iscsiInterface", json!("default")),
        ("rbd.keyring", json!("/etc/ceph/keyring")),
        ("rbd.pool", json!("rbd")),
        ("rbd.user", json!("admin")),
        ("scaleIO.fsType", json!("xfs")),
        ("scaleIO.storageMode", json!("ThinProvisioned")),
        ("exactly.tolerations[].operator", json!("Equal")),
        ("firstAvailable[].tolerations[].operator", json!("Equal")),
    ]
}

/// Whether the field at that path holds a structure of Kubernetes.
pub(super) fn is_embedded(path: &str) -> bool {
    EMBEDDED.iter().any(|name| ends_with(path, name))
}

/// Completes the structure and its content; its own description stays.
pub(super) fn complete(root: &mut JSONSchemaProps) {
    let description = root.description.take();
    let defaults = defaults();
    visit(root, "", &mut |path, schema| {
        schema.description = None;
        list_type(path, schema);
        quantity(path, schema);
        trim_metadata(path, schema);
        if ATOMIC_OBJECTS.iter().any(|name| ends_with(path, name)) {
            schema.x_kubernetes_map_type = Some("atomic".into());
        }
        if ends_with(path, "opaque.parameters") {
            schema.x_kubernetes_preserve_unknown_fields = Some(true);
        }
        default_children(path, schema, &defaults);
    });
    root.description = description;
}

fn list_type(path: &str, schema: &mut JSONSchemaProps) {
    if schema.type_.as_deref() != Some("array") {
        return;
    }
    let keys = MAP_LISTS.iter().find(|(name, _)| ends_with(path, name));
    let list_type = match keys {
        Some((_, keys)) => {
            schema.x_kubernetes_list_map_keys =
                Some(keys.iter().copied().map(String::from).collect());
            "map"
        }
        None if SET_LISTS.iter().any(|name| ends_with(path, name)) => "set",
        None => "atomic",
    };
    schema.x_kubernetes_list_type = Some(list_type.into());
}

/// Ports are numbers or names; every other number-or-text is a quantity.
fn quantity(path: &str, schema: &mut JSONSchemaProps) {
    if schema.x_kubernetes_int_or_string != Some(true) {
        return;
    }
    let of_type = |name: &str| JSONSchemaProps {
        type_: Some(name.into()),
        ..JSONSchemaProps::default()
    };
    schema.any_of = Some(vec![of_type("integer"), of_type("string")]);
    if !ends_with(path, "port") {
        schema.pattern = Some(QUANTITY.into());
    }
}

fn trim_metadata(path: &str, schema: &mut JSONSchemaProps) {
    if let Some(properties) = &mut schema.properties
        && ends_with(path, "metadata")
    {
        properties.retain(|name, _| TEMPLATE_METADATA.contains(&name.as_str()));
    }
}

/// Sets the defaults of the fields of this object. A field with a default is not required.
fn default_children(path: &str, schema: &mut JSONSchemaProps, defaults: &[(&str, Value)]) {
    for (name, child) in schema.properties.iter_mut().flatten() {
        let here = format!("{path}.{name}");
        let Some((_, value)) = defaults.iter().find(|(suffix, _)| ends_with(&here, suffix)) else {
            continue;
        };
        child.default = Some(JSON(value.clone()));
        if let Some(required) = &mut schema.required {
            required.retain(|field| field != name);
        }
    }
    if schema.required.as_ref().is_some_and(Vec::is_empty) {
        schema.required = None;
    }
}
