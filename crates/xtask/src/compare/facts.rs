//! A definition taken apart into facts that can be compared one by one.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value, json};

use crate::json::at;

/// Facts by place and kind.
pub type Facts = BTreeMap<Key, Value>;

/// Where a fact is and what it is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Path of the schema, e.g. `spec.template.cliques[].name`; `crd` for the definition itself.
    pub path: String,
    /// Keyword of the schema, e.g. `default`; empty for the fact that the path exists.
    pub aspect: String,
}

impl Key {
    /// The fact that the path exists.
    pub fn presence(path: &str) -> Self {
        Self::new(path, "")
    }

    /// Whether this is the fact that the path exists.
    pub fn is_presence(&self) -> bool {
        self.aspect.is_empty()
    }

    fn new(path: &str, aspect: &str) -> Self {
        Self {
            path: path.to_owned(),
            aspect: aspect.to_owned(),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path, self.aspect)
    }
}

/// The path of the schema that holds the one at this path; the root's is none.
pub fn parent(path: &str) -> Option<&str> {
    path.strip_suffix("[]")
        .or_else(|| path.strip_suffix("{}"))
        .or_else(|| path.rsplit_once('.').map(|(parent, _)| parent))
}

/// Every fact of a definition. Descriptions are none.
pub fn of(crd: &Value) -> Facts {
    let mut facts = Facts::from([(Key::presence("crd"), Value::Null)]);
    for (aspect, place) in NAMES {
        facts.insert(Key::new("crd", aspect), at(crd, place).clone());
    }
    for version in at(crd, "/spec/versions").as_array().into_iter().flatten() {
        columns(version, &mut facts);
        let subresources = at(version, "/subresources").clone();
        facts.insert(Key::new("crd", "subresources"), subresources);
        if let Value::Object(root) = at(version, "/schema/openAPIV3Schema") {
            schema("", root, &mut facts);
        }
    }
    facts
}

const NAMES: [(&str, &str); 7] = [
    ("group", "/spec/group"),
    ("scope", "/spec/scope"),
    ("kind", "/spec/names/kind"),
    ("listKind", "/spec/names/listKind"),
    ("plural", "/spec/names/plural"),
    ("singular", "/spec/names/singular"),
    ("shortNames", "/spec/names/shortNames"),
];

fn columns(version: &Value, facts: &mut Facts) {
    let columns = version["additionalPrinterColumns"].as_array();
    for column in columns.into_iter().flatten() {
        let path = format!("column {}", column["name"].as_str().unwrap_or_default());
        facts.insert(Key::presence(&path), Value::Null);
        for aspect in ["jsonPath", "type"] {
            facts.insert(Key::new(&path, aspect), column[aspect].clone());
        }
        let priority = column["priority"].as_i64().unwrap_or_default();
        facts.insert(Key::new(&path, "priority"), json!(priority));
    }
}

fn schema(path: &str, schema: &Map<String, Value>, facts: &mut Facts) {
    facts.insert(Key::presence(path), Value::Null);
    for (keyword, value) in schema {
        match keyword.as_str() {
            "description" => {}
            "properties" => children(path, value, facts),
            "items" => child(&format!("{path}[]"), value, facts),
            "additionalProperties" => child(&format!("{path}{{}}"), value, facts),
            "required" => required(path, value, facts),
            "x-kubernetes-validations" => validations(path, value, facts),
            _ => {
                facts.insert(Key::new(path, keyword), whole_numbers(value));
            }
        }
    }
}

fn children(path: &str, properties: &Value, facts: &mut Facts) {
    for (name, value) in properties.as_object().into_iter().flatten() {
        child(&join(path, name), value, facts);
    }
}

fn child(path: &str, value: &Value, facts: &mut Facts) {
    if let Value::Object(child) = value {
        schema(path, child, facts);
    }
}

fn required(path: &str, names: &Value, facts: &mut Facts) {
    for name in names.as_array().into_iter().flatten() {
        let field = join(path, name.as_str().unwrap_or_default());
        facts.insert(Key::new(&field, "required"), json!(true));
    }
}

fn validations(path: &str, rules: &Value, facts: &mut Facts) {
    for rule in rules.as_array().into_iter().flatten() {
        let mut rest = rule.clone();
        let text = rest.as_object_mut().and_then(|rule| rule.remove("rule"));
        let text = text.as_ref().and_then(Value::as_str).unwrap_or_default();
        facts.insert(Key::new(path, &format!("rule `{text}`")), rest);
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// `0` and `0.0` are the same limit.
fn whole_numbers(value: &Value) -> Value {
    match value.as_f64() {
        Some(number) => json!(number),
        None => value.clone(),
    }
}
