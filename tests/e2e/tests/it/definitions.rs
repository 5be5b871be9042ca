//! Structures of Kubernetes in our definitions, compared with the API server's description of its
//! own kinds: lists merge alike, and an omitted field means the same.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::harness::client::send;
use crate::harness::control_plane::ControlPlane;
use crate::harness::site;

/// A structure: its place in a PodCliqueSet, and its document and name there.
struct Structure {
    at: &'static str,
    document: &'static str,
    name: &'static str,
}

const STRUCTURES: [Structure; 3] = [
    Structure {
        at: "template.cliques[].spec.podSpec",
        document: "/openapi/v3/api/v1",
        name: "io.k8s.api.core.v1.PodSpec",
    },
    Structure {
        at: "template.cliques[].spec.autoScalingConfig.metrics[]",
        document: "/openapi/v3/apis/autoscaling/v2",
        name: "io.k8s.api.autoscaling.v2.MetricSpec",
    },
    Structure {
        at: "template.resourceClaimTemplates[].templateSpec",
        document: "/openapi/v3/apis/resource.k8s.io/v1",
        name: "io.k8s.api.resource.v1.ResourceClaimTemplateSpec",
    },
];

/// Intended differences, by the end of the path. Grove's definitions call an object with an inline
/// reference atomic, and do not know these defaults: with them, the next write of a stored template
/// would change it.
const MEANT: [(&str, &str); 7] = [
    (".configMapRef", "atomic object"),
    (".secretRef", "atomic object"),
    (".configMap", "atomic object"),
    ("sources[].secret", "atomic object"),
    (".azureDisk.cachingMode", "default \"ReadWrite\""),
    (".azureDisk.kind", "default \"Shared\""),
    // A value that one writer owns as a whole gets no defaults (decision 122).
    ("tolerations[].operator", "default \"Equal\""),
];

/// The API server's claim about a field, at its path.
type Facts = BTreeSet<(String, String)>;

#[test]
fn lists_and_defaults_of_kubernetes_structures_are_those_of_the_api_server() {
    let control_plane = &site::shared().control_plane;
    let set = spec_of_sets(control_plane);
    for structure in STRUCTURES {
        let ours = Schemas::default().facts(find(&set, structure.at));
        let document = get(control_plane, structure.document);
        let theirs = Schemas::of(&document);
        let theirs = theirs.facts(&theirs.named[structure.name]);
        // Fields of a newer Kubernetes are no difference.
        let known: BTreeSet<_> = ours.paths.iter().collect();
        let lacks = theirs.says.difference(&ours.says);
        let lacks = lacks.filter(|(path, claim)| known.contains(path) && !is_zero(claim));
        let invents = ours.says.difference(&theirs.says);
        let is_meant = |(path, claim): &&(String, String)| {
            let mut meant = MEANT.iter();
            !meant.any(|(end, what)| path.ends_with(end) && claim == what)
        };
        assert_eq!(
            (
                lacks.filter(is_meant).collect::<Vec<_>>(),
                invents.filter(is_meant).collect::<Vec<_>>()
            ),
            (vec![], vec![]),
            "what {} lacks, and what it says in vain: crates/api/src/schema/kubernetes.rs",
            structure.name
        );
        assert!(ours.says.len() >= 5, "{} facts", ours.says.len());
    }
}

fn get(control_plane: &ControlPlane, path: &str) -> Value {
    let answer = send(&control_plane.kubeconfig, "GET", path, &Value::Null);
    assert_eq!(answer.status, 200, "{path}");
    answer.body
}

fn spec_of_sets(control_plane: &ControlPlane) -> Value {
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podcliquesets.grove.io";
    let definition = get(control_plane, path);
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    schema["properties"]["spec"].clone()
}

fn find<'a>(schema: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(schema, |schema, part| {
        let name = part.trim_end_matches("[]");
        let field = &schema["properties"][name];
        let item = if part.ends_with("[]") {
            &field["items"]
        } else {
            field
        };
        assert!(item.is_object(), "{path}: no {part}");
        item
    })
}

/// Zero values of Go for omitted fields: the document names them for plain fields.
fn is_zero(claim: &str) -> bool {
    ["\"\"", "0", "false", "{}", "null"]
        .map(|zero| format!("default {zero}"))
        .contains(&claim.to_owned())
}

/// The schemas that others refer to.
#[derive(Default)]
struct Schemas {
    named: Map<String, Value>,
}

#[derive(Default)]
struct Found {
    paths: Vec<String>,
    says: Facts,
}

impl Schemas {
    fn of(document: &Value) -> Self {
        let named = document["components"]["schemas"].as_object();
        Self {
            named: named.cloned().unwrap_or_default(),
        }
    }

    fn facts(&self, schema: &Value) -> Found {
        let mut found = Found::default();
        self.visit(schema, "", &mut found);
        found
    }

    /// A reference may have its own default.
    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let reference = match &schema["allOf"] {
            Value::Array(all) => &all[0]["$ref"],
            _ => &schema["$ref"],
        };
        match reference.as_str().and_then(|text| text.rsplit('/').next()) {
            Some(name) => &self.named[name],
            None => schema,
        }
    }

    fn visit(&self, field: &Value, path: &str, found: &mut Found) {
        let schema = self.resolve(field);
        found.paths.push(path.to_owned());
        for claim in claims(field, schema) {
            found.says.insert((path.to_owned(), claim));
        }
        for (name, child) in schema["properties"].as_object().into_iter().flatten() {
            self.visit(child, &format!("{path}.{name}"), found);
        }
        for (name, mark) in [("items", "[]"), ("additionalProperties", "{}")] {
            if schema[name].is_object() {
                self.visit(&schema[name], &format!("{path}{mark}"), found);
            }
        }
    }
}

fn claims(field: &Value, schema: &Value) -> Vec<String> {
    let mut claims = Vec::new();
    if schema["type"] == "array" {
        let list = schema["x-kubernetes-list-type"].as_str();
        let keys = &schema["x-kubernetes-list-map-keys"];
        claims.push(format!("list {} {keys}", list.unwrap_or("atomic")));
    }
    if schema["x-kubernetes-map-type"] == json!("atomic") {
        claims.push("atomic object".to_owned());
    }
    if let Some(default) = field.get("default") {
        claims.push(format!("default {default}"));
    }
    claims
}
