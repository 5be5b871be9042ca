//! Facts of Grove's definitions that the Rust types do not carry.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};
use serde_json::json;

use super::walk::{at, ends_with, visit};

/// One correction of a definition.
enum Fact {
    /// The object at that path requires these fields, although they have defaults.
    Require(&'static str, &'static [&'static str]),
    /// The writer of the object sets the value; there is no default.
    NoDefault(&'static str),
    /// The list is a map keyed by name.
    MapByName(&'static str),
    /// The object at that path does not have this field, although the Rust type does.
    Without(&'static str, &'static str),
    /// Any text: the writers agree on the values, the API server does not check them.
    AnyText(&'static str),
    /// Any number.
    AnyNumber(&'static str),
}

use Fact::{AnyNumber, AnyText, MapByName, NoDefault, Require, Without};

fn facts_of(kind: &str) -> &'static [Fact] {
    match kind {
        "PodCliqueSet" => &[
            MapByName("spec.template.cliques"),
            MapByName("spec.template.podCliqueScalingGroups"),
            Require(
                "spec.template.headlessServiceConfig",
                &["publishNotReadyAddresses"],
            ),
            Require(
                "spec.template.resourceClaimTemplates[].templateSpec",
                &["spec"],
            ),
            // The operator derives it from `spec.workloadType` of the set.
            Without("spec.template.cliques[].spec", "workloadType"),
            Require("status", &["availableReplicas", "updatedReplicas"]),
            NoDefault("status.replicas"),
        ],
        "PodClique" => &[
            Require(
                "status",
                &[
                    "readyReplicas",
                    "scheduleGatedReplicas",
                    "scheduledReplicas",
                    "updatedReplicas",
                ],
            ),
            NoDefault("status.replicas"),
        ],
        "PodCliqueScalingGroup" => &[
            Require("spec", &["replicas"]),
            Require(
                "status",
                &["availableReplicas", "scheduledReplicas", "updatedReplicas"],
            ),
            NoDefault("status.replicas"),
        ],
        "PodGang" => &[AnyText("status.phase"), AnyNumber("status.placementScore")],
        "ClusterTopologyBinding" => &[NoDefault(
            "status.schedulerTopologyStatuses[].schedulerBackendTopologyObservedGeneration",
        )],
        _ => &[],
    }
}

/// Applies the facts of that kind, and those of all kinds.
pub(super) fn complete(kind: &str, root: &mut JSONSchemaProps) {
    for fact in facts_of(kind) {
        at(root, fact.path(), &|schema| fact.apply(schema));
    }
    visit(root, "", &mut |path, schema| {
        if ends_with(path, "conditions[]") {
            complete_condition(schema);
        }
    });
    object_header(root);
}

/// The paths in the facts of that kind.
pub(super) fn paths(kind: &str) -> Vec<String> {
    facts_of(kind).iter().map(|f| f.path().to_owned()).collect()
}

impl Fact {
    fn path(&self) -> &'static str {
        match self {
            Require(path, _)
            | NoDefault(path)
            | MapByName(path)
            | Without(path, _)
            | AnyText(path)
            | AnyNumber(path) => path,
        }
    }

    fn apply(&self, schema: &mut JSONSchemaProps) {
        match self {
            Require(_, fields) => require(schema, fields),
            NoDefault(_) => schema.default = None,
            MapByName(_) => {
                schema.x_kubernetes_list_type = Some("map".into());
                schema.x_kubernetes_list_map_keys = Some(vec!["name".into()]);
            }
            Without(_, field) => {
                if let Some(properties) = &mut schema.properties {
                    properties.remove(*field);
                }
            }
            AnyText(_) => schema.enum_ = None,
            AnyNumber(_) => schema.format = None,
        }
    }
}

fn require(schema: &mut JSONSchemaProps, fields: &[&str]) {
    let required = schema.required.get_or_insert_default();
    required.extend(fields.iter().copied().map(String::from));
    required.sort();
    required.dedup();
}

/// Limits of `metav1.Condition`, which k8s-openapi's schema leaves out. The description of the list
/// names our conditions; the descriptions here explain their fields.
fn complete_condition(schema: &mut JSONSchemaProps) {
    schema.description = None;
    for (name, field) in schema.properties.iter_mut().flatten() {
        field.description = describe_condition_field(name).map(Into::into);
        match name.as_str() {
            "message" => field.max_length = Some(32_768),
            "observedGeneration" => field.minimum = Some(0.0),
            "reason" => limit(field, 1, 1024, r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"),
            "status" => {
                field.enum_ = Some(["True", "False", "Unknown"].map(|s| JSON(json!(s))).into());
            }
            "type" => limit(
                field,
                0,
                316,
                r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
            ),
            _ => {}
        }
    }
}

fn describe_condition_field(name: &str) -> Option<&'static str> {
    Some(match name {
        "lastTransitionTime" => "When the status last changed; a new reason or message keeps it.",
        "message" => {
            "The cause, as a sentence for people: the object, the numbers, the first cause."
        }
        "observedGeneration" => "Generation of the spec that the condition describes.",
        "reason" => {
            "The cause, in one word for programs. New words may be added; no word changes its meaning."
        }
        "status" => "Whether the condition holds: True, False or Unknown.",
        "type" => "Name of the condition, once in the list.",
        _ => return None,
    })
}

fn limit(field: &mut JSONSchemaProps, min: i64, max: i64, pattern: &str) {
    field.min_length = (min > 0).then_some(min);
    field.max_length = Some(max);
    field.pattern = Some(pattern.into());
}

/// `apiVersion`, `kind` and `metadata`, which the derive macro leaves to the API server.
fn object_header(root: &mut JSONSchemaProps) {
    let properties = root.properties.get_or_insert_default();
    for (name, type_) in [
        ("apiVersion", "string"),
        ("kind", "string"),
        ("metadata", "object"),
    ] {
        let schema = JSONSchemaProps {
            type_: Some(type_.into()),
            ..JSONSchemaProps::default()
        };
        properties.insert(name.into(), schema);
    }
}
