//! Files with manifests.

use cli::manifest::{parse_dump, parse_manifest};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[case::documents("kind: A\n---\n---\nkind: B\n", &["A", "B"])]
#[case::list("kind: List\nitems:\n- kind: A\n- {kind: BList, items: [{kind: B}]}\n", &["A", "B"])]
#[case::json(r#"{"kind": "A"}  {"kind": "B"}"#, &["A", "B"])]
#[case::json_list(r#"[{"kind": "A"}, {"kind": "B"}]"#, &["A", "B"])]
#[case::nothing("# nothing\n", &[])]
fn documents_and_lists_are_taken_apart(#[case] text: &str, #[case] kinds: &[&str]) {
    let objects = parse_manifest("f.yaml", text).unwrap();
    let found: Vec<&Value> = objects.iter().map(|object| &object["kind"]).collect();
    assert_eq!(found, kinds);
    assert_eq!(parse_dump("f.yaml", text).unwrap(), objects);
}

/// The values are those that kubectl sends, and `lint` judges.
#[rstest]
#[case::mode("0400", json!(256))]
#[case::remedy_of_lint("0644", json!(420))]
#[case::remedy_of_lint_in_json("511", json!(511))]
#[case::go("0o400", json!(256))]
#[case::hexadecimal("0x16", json!(22))]
#[case::word("on", json!(true))]
#[case::whole("2.0", json!(2))]
#[case::text("\"0400\"", json!("0400"))]
fn values_are_those_of_kubectl(#[case] written: &str, #[case] value: Value) {
    let objects = parse_manifest("f.yaml", &format!("a: {written}\n")).unwrap();
    assert_eq!(objects, [json!({"a": value})]);
    let objects = parse_manifest("f.yaml", &format!("{{a: {written}}}\n")).unwrap();
    assert_eq!(objects, [json!({"a": value})]);
}

#[rstest]
#[case::yaml("kind: A\n  spec: [")]
#[case::json(r#"{"kind": "A""#)]
fn a_file_that_cannot_be_parsed_is_reported_in_one_line(#[case] text: &str) {
    let failure = parse_manifest("f.yaml", text).unwrap_err();
    let told = failure.to_string();
    assert!(
        told.starts_with("f.yaml:1:") || told.starts_with("f.yaml:2:"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
    assert_eq!(failure.exit() as u8, 2);
}
