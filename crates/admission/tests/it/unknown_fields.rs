//! Common fields that do not exist.

use admission::unknown_fields::hints;
use serde_json::json;
use testkit::good_set::good;

use crate::cases::lines;

#[test]
fn the_name_that_grove_uses_in_its_messages_is_answered_with_the_right_one() {
    let written = json!({"spec": {"template": {
        "cliques": [], "podCliqueScalingGroupConfigs": [{"name": "g"}]
    }}});
    insta::assert_snapshot!(lines(&hints(&written)));
}

#[test]
fn a_set_without_such_fields_gets_no_hints() {
    assert_eq!(hints(&good()), []);
    assert_eq!(hints(&json!({"spec": []})), []);
    assert_eq!(hints(&json!("text")), []);
}
