//! The places of fields in a file.

use cli::files::{find_position, objects_of};
use rstest::rstest;

use super::{document, read};

fn at(text: &str, path: &str) -> (usize, usize) {
    let place = find_position(&document(text), path);
    (place.line, place.column)
}

const SET: &str = "\
# A comment.
kind: PodCliqueSet
metadata:
  name: serve
  labels:
    example.com/team: a
    example.com: b
    \"odd]key\": c
spec:
  template:
    cliques:
      - name: frontend
        spec: {replicas: 2, podSpec: {}}
      # Another comment.
      - name: worker
        spec:
          minAvailable:
            5
          startsAfter:
          - frontend
          text: |
            a
            b
          nothing:
";

#[rstest]
#[case::of_a_value_beside_its_key("kind", (2, 7))]
#[case::of_a_map_below_its_key("metadata", (3, 1))]
#[case::of_a_list_below_its_key("spec.template.cliques", (11, 5))]
#[case::of_an_item("spec.template.cliques[1]", (15, 9))]
#[case::of_a_field_of_an_item("spec.template.cliques[1].name", (15, 15))]
#[case::of_a_value_below_its_key("spec.template.cliques[1].spec.minAvailable", (17, 11))]
#[case::of_a_list_that_is_not_indented("spec.template.cliques[1].spec.startsAfter[0]", (20, 13))]
#[case::of_a_text_of_lines("spec.template.cliques[1].spec.text", (21, 11))]
#[case::of_no_value("spec.template.cliques[1].spec.nothing", (24, 18))]
#[case::of_a_map_in_braces("spec.template.cliques[0].spec", (13, 15))]
#[case::of_a_field_in_braces("spec.template.cliques[0].spec.replicas", (13, 26))]
#[case::of_a_label("metadata.labels[example.com/team]", (6, 23))]
#[case::of_a_shorter_label("metadata.labels[example.com]", (7, 18))]
#[case::of_a_label_with_a_bracket("metadata.labels[odd]key]", (8, 16))]
#[case::of_a_label_behind_a_dot("metadata.labels.example.com/team", (6, 23))]
#[case::of_the_parent_of_a_missing_field("spec.template.cliques[0].spec.minAvailable", (13, 15))]
#[case::of_an_ancestor_of_a_missing_field("spec.template.topologyConstraint.pack.required", (10, 3))]
#[case::of_the_list_of_a_missing_item("spec.template.cliques[7].name", (11, 5))]
#[case::of_a_path_that_is_cut("spec.template.cliques[1].sp…", (15, 9))]
#[case::of_a_longer_field("kinds", (2, 1))]
#[case::of_nothing_that_is_there("status", (2, 1))]
fn finds_the_place(#[case] path: &str, #[case] expected: (usize, usize)) {
    assert_eq!(at(SET, path), expected);
}

const ALIASES: &str = "\
base: &base
  replicas: 3
  roleName: a
a:
  spec: *base
b:
  spec:
    <<: *base
    replicas: 4
c: &count 5
d: *count
";

#[rstest]
#[case::of_what_an_anchor_names("base.replicas", (2, 13))]
#[case::of_an_alias("a.spec", (5, 9))]
#[case::within_an_alias("a.spec.replicas", (5, 9))]
#[case::of_what_is_merged("b.spec.roleName", (8, 9))]
#[case::of_what_replaces_it("b.spec.replicas", (9, 15))]
#[case::of_an_anchored_number("c", (10, 11))]
#[case::of_its_alias("d", (11, 4))]
fn an_alias_is_where_it_is_written(#[case] path: &str, #[case] expected: (usize, usize)) {
    assert_eq!(at(ALIASES, path), expected);
}

const JSON: &str = "{\n\t\"spec\": {\n\t\t\"replicas\": 1,\n\t\t\"list\": [\n\t\t\t{\"a\": \"\\u00e9\\/\\ud83d\\ude00\", \"b\": 2}\n\t\t]\n\t}\n}\n";

#[rstest]
#[case("spec", (2, 10))]
#[case("spec.replicas", (3, 15))]
#[case("spec.list[0]", (5, 4))]
#[case("spec.list[0].b", (5, 39))]
fn json_with_tabs_has_places_too(#[case] path: &str, #[case] expected: (usize, usize)) {
    assert_eq!(at(JSON, path), expected);
    let value: serde_json::Value = serde_json::from_str(JSON).unwrap();
    assert_eq!(document(JSON).value(), value);
}

#[test]
fn documents_and_items_of_lists_keep_their_lines() {
    let text = "---\n# nothing\n---\nkind: A\n---\nkind: List\nitems:\n- kind: B\n  x: 1\n- kind: C\n...\n---\n{kind: D}\n";
    let documents = read(text).unwrap();
    let objects: Vec<_> = documents.iter().flat_map(objects_of).collect();
    let seen: Vec<_> = objects
        .iter()
        .map(|o| (o.kind, o.node.position.line))
        .collect();
    assert_eq!(seen, [("A", 4), ("B", 8), ("C", 10), ("D", 13)]);
    assert_eq!(find_position(objects[1].node, "x").line, 9);
}

/// Keys may be longer than YAML allows.
#[test]
fn a_json_key_may_be_long() {
    let key = "k".repeat(100_000);
    let text = format!("{{\"a\":{{\"{key}\":1}},\n\"b\":2}}");
    assert_eq!(at(&text, "b"), (2, 5));
    assert_eq!(document(&text).value()["a"][&key], 1);
}

/// kubectl reads them one by one.
#[test]
fn json_objects_in_a_row_keep_their_lines() {
    let documents = read("{\"kind\": \"A\"} {\"kind\": \"B\"}\n{\n\"kind\": \"C\"}\n").unwrap();
    let objects: Vec<_> = documents.iter().flat_map(objects_of).collect();
    let seen: Vec<_> = objects
        .iter()
        .map(|o| (o.kind, o.node.position.line, o.node.position.column))
        .collect();
    assert_eq!(seen, [("A", 1, 1), ("B", 1, 15), ("C", 2, 1)]);
    assert_eq!(find_position(objects[2].node, "kind").line, 3);
}
