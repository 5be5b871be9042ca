//! Files with manifests.

use cli::manifest::parse_manifest;
use rstest::rstest;
use serde_json::Value;

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
}

#[rstest]
#[case::yaml("kind: A\n  spec: [")]
#[case::json(r#"{"kind": "A""#)]
fn a_file_that_cannot_be_parsed_is_reported_in_one_line(#[case] text: &str) {
    let failure = parse_manifest("f.yaml", text).unwrap_err();
    let told = failure.to_string();
    assert!(told.starts_with("cannot use f.yaml: "), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert_eq!(failure.exit() as u8, 2);
}
