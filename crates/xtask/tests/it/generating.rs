//! The generated files in the tree equal freshly generated ones.

use std::fs;

use serde_json::{Value, json};
use xtask::{chart_readme, crd_files, generate, output, values_schema, yaml};

/// `kubectl apply` keeps the applied object in an annotation, as JSON without spaces, and the API
/// server limits annotations.
const LARGEST_ANNOTATION: usize = 256 * 1024;

#[test]
fn the_tree_is_up_to_date() {
    assert!(
        generate::check(&output::root()).unwrap(),
        "run `cargo xtask generate`"
    );
}

#[test]
fn manifests_are_small_and_equal_the_definitions() {
    let manifests = crd_files::manifests().unwrap();
    for (output, crd) in manifests.iter().zip(api::crds::all()) {
        let read: Value = serde_saphyr::from_str(&output.text).unwrap();
        let size = read.to_string().len();
        assert!(
            size < LARGEST_ANNOTATION,
            "{}: {size} bytes",
            output.path.display()
        );
        let definition = serde_json::to_value(crd).unwrap();
        assert_eq!(whole(read), whole(definition), "{}", output.path.display());
    }
}

/// `minimum: 0` and `minimum: 0.0` are the same.
fn whole(value: Value) -> Value {
    match value {
        Value::Object(map) => map.into_iter().map(|(k, v)| (k, whole(v))).collect(),
        Value::Array(list) => list.into_iter().map(whole).collect(),
        Value::Number(n) => json!(n.as_f64()),
        other => other,
    }
}

#[test]
fn chart_templates_are_guarded() {
    for output in crd_files::chart_templates().unwrap() {
        let text = &output.text;
        assert!(text.contains("{{- if .Values.crds.install }}\napiVersion:"));
        assert!(text.contains("dict \"helm.sh/resource-policy\" \"keep\") dict .Values.crds.keep"));
        assert!(
            text.contains("  labels:\n    {{- include \"grove.labels\" . | nindent 4 }}\n  name:")
        );
        assert!(text.ends_with("{{- end }}\n"));
        assert_eq!(text.matches("{{").count(), 8, "{}", output.path.display());
    }
}

#[test]
fn awkward_texts_survive() {
    let value = json!({"a": {"b": {"c": {
        "long": "x ".repeat(200),
        "colon": "a: b",
        "flow": "{a, [b]}",
        "hash": "a # b",
        "lines": "one\ntwo\n",
        "yes": "yes",
        "number": "1.0",
        "empty": "",
        "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))$",
        "quotes": "'a' \"b\" \\c",
        "short": {"true": "True", "list": ["a, b", "- c", "{{ d }}"]},
        "nothing": {},
        "none": [],
    }}}});
    let text = yaml::text(&value).unwrap();
    let read: Value = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(read, value, "{text}");
}

#[test]
fn check_names_missing_and_changed_files() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!generate::check(folder.path()).unwrap());
    generate::write(folder.path()).unwrap();
    assert!(generate::check(folder.path()).unwrap());
    let some = folder
        .path()
        .join("config/crd/podgangs.scheduler.grove.io.yaml");
    fs::write(&some, "edited").unwrap();
    assert!(!generate::check(folder.path()).unwrap());
}

#[test]
fn values_are_listed_with_path_default_and_comment() {
    let values =
        "# About the file.\n\n# Two\n# lines.\na:\n  # Inner.\n  b: [1]\n  c: \"\"\nd:\n  e: {}\n";
    let list = chart_readme::list(values).unwrap();
    let expected =
        "- `a`\n  Two\n  lines.\n- `a.b`: `[1]`\n  Inner.\n- `a.c`: `\"\"`\n- `d.e`: `{}`\n";
    assert_eq!(list, expected);
    let error = chart_readme::list("a:\n  - b\n").unwrap_err();
    assert_eq!(error.to_string(), "charts/grove/values.yaml:2");
}

#[test]
fn comments_of_values_become_descriptions_of_the_schema() {
    let mut schema = json!({
        "properties": {
            "a": {"properties": {"b": {"type": "string"}}},
            "c": {"$ref": "#/definitions/c"},
            "d": {"$ref": "#/definitions/shared"},
            "e": {"$ref": "#/definitions/shared"},
        },
        "definitions": {
            "c": {"properties": {"f": {"description": "old"}, "g": {"description": "old"}}},
            "shared": {"properties": {"f": {"type": "string"}}},
        },
    });
    let values = "a:\n  # Two\n  # lines.\n  b: 1\nc:\n  # New.\n  f: 1\n  g: 2\n\
                  # Of d.\nd:\n  # One of two.\n  f: 1\n# Unknown.\nh: 1\n";
    for entry in chart_readme::entries(values).unwrap() {
        values_schema::describe(&mut schema, &entry);
    }
    let said = |pointer: &str| schema.pointer(pointer).unwrap().get("description");
    let expected = json!(["Two lines.", "New.", "Of d."]);
    let found = [
        said("/properties/a/properties/b"),
        said("/definitions/c/properties/f"),
        said("/properties/d"),
    ];
    assert_eq!(json!(found), expected);
    assert_eq!(said("/definitions/c/properties/g"), None);
    assert_eq!(said("/definitions/shared/properties/f"), None);
}

/// The schema contains every value, with the description from its comment.
#[test]
fn the_schema_describes_every_value() {
    let schema: Value = serde_json::from_str(&values_schema::schema().unwrap().text).unwrap();
    let described = schema.to_string().matches("\"description\"").count();
    assert!(described > 40, "{described}");
}
