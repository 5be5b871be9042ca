//! The facts of a definition that its users rely on, as lines of text.
//!
//! ```text
//! PATH: TYPE[!] [=DEFAULT] [in ENUM]      ! means required
//! (column NAME): TYPE JSON-PATH [wide]
//! ```

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Facts by path; names, columns and subresources in brackets.
pub type Facts = BTreeMap<String, String>;

/// The facts of a file of this folder's `facts`.
pub fn parse(text: &str) -> Facts {
    text.lines()
        .map(|line| line.split_once(": ").unwrap())
        .map(|(path, fact)| (path.to_owned(), fact.to_owned()))
        .collect()
}

/// The facts of a definition. A set's pod templates are left out: they are those of a PodClique.
pub fn of(crd: &Value) -> Facts {
    let spec = &crd["spec"];
    let names = ["kind", "listKind", "plural", "singular"].map(|name| &spec["names"][name]);
    let short = spec["names"]["shortNames"].as_array();
    let names: Vec<&str> = names
        .into_iter()
        .chain(short.into_iter().flatten())
        .filter_map(Value::as_str)
        .collect();
    let mut facts = Facts::from([
        ("(group)".to_owned(), text(&spec["group"])),
        ("(scope)".to_owned(), text(&spec["scope"])),
        ("(names)".to_owned(), names.join(" ")),
    ]);
    for version in spec["versions"].as_array().unwrap() {
        let columns = version["additionalPrinterColumns"].as_array();
        facts.extend(columns.into_iter().flatten().map(column));
        let subresources = version["subresources"].as_object();
        facts.extend(subresources.into_iter().flatten().map(subresource));
        add_schema("", &version["schema"]["openAPIV3Schema"], false, &mut facts);
    }
    facts
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn column(column: &Value) -> (String, String) {
    let is_wide = column["priority"].as_i64().unwrap_or_default() > 0;
    let (kind, path) = (text(&column["type"]), text(&column["jsonPath"]));
    let wide = if is_wide { " wide" } else { "" };
    (
        format!("(column {})", text(&column["name"])),
        format!("{kind} {path}{wide}"),
    )
}

fn subresource((name, value): (&String, &Value)) -> (String, String) {
    (format!("({name})"), value.to_string())
}

fn add_schema(path: &str, schema: &Value, is_required: bool, facts: &mut Facts) {
    let Some(object) = schema.as_object() else {
        return;
    };
    if !path.is_empty() {
        facts.insert(path.to_owned(), describe(object, is_required));
    }
    if path.ends_with(".podSpec") && path != "spec.podSpec" {
        return;
    }
    let required = schema["required"].as_array();
    for (name, value) in schema["properties"].as_object().into_iter().flatten() {
        let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
        let child = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        add_schema(&child, value, is_required, facts);
    }
    add_schema(&format!("{path}[]"), &schema["items"], false, facts);
    let values = &schema["additionalProperties"];
    add_schema(&format!("{path}{{}}"), values, false, facts);
}

fn describe(schema: &Map<String, Value>, is_required: bool) -> String {
    let is_int_or_string = schema.contains_key("x-kubernetes-int-or-string");
    let untyped = if is_int_or_string {
        "int-or-string"
    } else {
        "any"
    };
    let kind = schema.get("type").and_then(Value::as_str);
    let required = if is_required { "!" } else { "" };
    let with = |key: &str, before: &str| {
        let value = schema.get(key);
        value.map_or(String::new(), |value| format!(" {before}{value}"))
    };
    let (default, values) = (with("default", "="), with("enum", "in "));
    format!("{}{required}{default}{values}", kind.unwrap_or(untyped))
}
