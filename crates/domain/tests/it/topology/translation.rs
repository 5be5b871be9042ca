//! The constraints of a set in its PodGangs.

use domain::topology::{GangPart, GroupOfPart, translate};
use insta::assert_snapshot;
use rstest::rstest;
use serde_json::{Value, json};

use super::{levels, required, template};

fn part<'a>(name: &'a str, clique: &'a str, replica: Option<i32>) -> GangPart<'a> {
    GangPart {
        name,
        clique,
        group: replica.map(|j| GroupOfPart {
            config: "g",
            replica: format!("llm-0-g-{j}"),
        }),
    }
}

fn base() -> Vec<GangPart<'static>> {
    vec![
        part("llm-0-router", "router", None),
        part("llm-0-g-0-leader", "leader", Some(0)),
        part("llm-0-g-0-worker", "worker", Some(0)),
        part("llm-0-g-1-leader", "leader", Some(1)),
        part("llm-0-g-1-worker", "worker", Some(1)),
    ]
}

fn scaled() -> Vec<GangPart<'static>> {
    vec![
        part("llm-0-g-2-leader", "leader", Some(2)),
        part("llm-0-g-2-worker", "worker", Some(2)),
    ]
}

fn show(set: &Value, group: &Value, leader: &Value, is_scaled: bool) -> String {
    let template = template(set, group, leader);
    let parts = if is_scaled { scaled() } else { base() };
    let found = translate(&template, is_scaled, &parts, &levels());
    let all = json!({
        "gang": found.gang,
        "groups": found.groups,
        "parts": found.parts,
    });
    serde_json::to_string_pretty(&all).unwrap()
}

#[test]
fn a_base_gang_has_the_constraints_of_set_groups_and_cliques() {
    assert_snapshot!(show(
        &required("zone"),
        &required("rack"),
        &required("host"),
        false
    ));
}

#[test]
fn a_scaled_gang_has_the_constraint_of_its_group() {
    assert_snapshot!(show(
        &required("zone"),
        &required("rack"),
        &required("host"),
        true
    ));
}

#[rstest]
#[case::of_the_set(required("zone"), Value::Null, "topology.kubernetes.io/zone")]
#[case::of_the_group(Value::Null, required("rack"), "topology.kubernetes.io/rack")]
#[case::of_the_group_first(required("zone"), required("rack"), "topology.kubernetes.io/rack")]
fn a_scaled_gang_falls_back_to_the_set(
    #[case] set: Value,
    #[case] group: Value,
    #[case] key: &str,
) {
    let template = template(&set, &group, &Value::Null);
    let found = translate(&template, true, &scaled(), &levels());
    let pack = found.gang.unwrap().pack_constraint.unwrap();
    assert_eq!(pack.required.as_deref(), Some(key));
    assert!(found.groups.is_empty());
}

#[test]
fn a_level_that_is_not_known_is_left_out() {
    let both = json!({"topologyName": "fabric", "pack": {"required": "rack", "preferred": "row"}});
    let template = template(&both, &Value::Null, &required("row"));
    let found = translate(&template, false, &base(), &levels());
    let pack = found.gang.unwrap().pack_constraint.unwrap();
    assert_eq!(
        pack.required.as_deref(),
        Some("topology.kubernetes.io/rack")
    );
    assert_eq!(pack.preferred, None);
    assert!(found.parts.is_empty());
}

#[test]
fn a_set_without_constraints_translates_to_nothing() {
    let template = template(&Value::Null, &Value::Null, &Value::Null);
    assert!(translate(&template, false, &base(), &levels()).is_empty());
}
