//! The constraints of a set in its PodGangs.

use api::podcliqueset::PodCliqueSetTemplateSpec;
use api::podgang::{GangTopologyConstraint, TopologyConstraintGroupConfig};
use domain::topology::{GangPart, GroupOfPart, find_group_in_pieces, translate};
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
            name: "llm-0-g".to_owned(),
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

/// The set requires a zone, all replicas of the group a rack.
fn of_all_replicas(group: &Value, minimum: i32) -> PodCliqueSetTemplateSpec {
    let mut template = template(&required("zone"), group, &Value::Null);
    let config = &mut template.scaling_groups[0];
    config.min_available = Some(minimum);
    let rack = json!({"pack": {"required": "rack"}});
    config.all_replicas_topology_constraint = serde_json::from_value(rack).unwrap();
    template
}

/// Of the form `required/preferred`, in names of levels.
fn name(constraint: Option<&GangTopologyConstraint>) -> String {
    let pack = constraint.and_then(|constraint| constraint.pack_constraint.clone());
    let pack = pack.unwrap_or_default();
    let level = |key: Option<String>| {
        let key = key.unwrap_or_default();
        key.rsplit('/').next().unwrap_or_default().to_owned()
    };
    format!("{}/{}", level(pack.required), level(pack.preferred))
}

fn describe(configs: &[TopologyConstraintGroupConfig]) -> Vec<String> {
    let each = configs.iter().map(|config| {
        let parts = config.pod_group_names.len();
        let constraint = name(config.topology_constraint.as_ref());
        format!("{} ({parts}): {constraint}", config.name)
    });
    each.collect()
}

#[rstest]
#[case::several(Value::Null, 2, &["llm-0-g (4): rack/"], &[])]
#[case::several_each_on_a_host(
    required("host"),
    2,
    &["llm-0-g (4): rack/"],
    &["llm-0-g-0 (2): hostname/", "llm-0-g-1 (2): hostname/"]
)]
#[case::one(Value::Null, 1, &[], &["llm-0-g-0 (2): rack/", "llm-0-g-1 (2): rack/"])]
#[case::one_on_a_host(
    required("host"),
    1,
    &[],
    &["llm-0-g-0 (2): hostname/", "llm-0-g-1 (2): hostname/"]
)]
#[case::one_if_possible_on_a_host(
    json!({"pack": {"preferred": "host"}}),
    1,
    &[],
    &["llm-0-g-0 (2): rack/hostname", "llm-0-g-1 (2): rack/hostname"]
)]
fn all_replicas_of_a_group_in_a_base_gang_share_a_level(
    #[case] group: Value,
    #[case] minimum: i32,
    #[case] of_groups: &[&str],
    #[case] of_replicas: &[&str],
) {
    let template = of_all_replicas(&group, minimum);
    let found = translate(&template, false, &base(), &levels());
    assert_eq!(name(found.gang.as_ref()), "zone/");
    assert_eq!(describe(&found.scaling_groups), of_groups);
    assert_eq!(describe(&found.groups), of_replicas);
}

#[rstest]
#[case::of_all_replicas(Value::Null, "rack/")]
#[case::of_the_group(required("host"), "hostname/")]
#[case::of_both(json!({"pack": {"preferred": "host"}}), "rack/hostname")]
fn a_scaled_gang_has_the_level_of_all_replicas_of_its_group(
    #[case] group: Value,
    #[case] expected: &str,
) {
    let template = of_all_replicas(&group, 1);
    let found = translate(&template, true, &scaled(), &levels());
    assert_eq!(name(found.gang.as_ref()), expected);
    assert!(found.groups.is_empty() && found.scaling_groups.is_empty());
}

/// Schedulers that get each gang by itself cannot start several replicas in one domain.
#[rstest]
#[case::several(2, Some("g"))]
#[case::one(1, None)]
fn several_replicas_share_a_domain_only_in_a_tree(
    #[case] minimum: i32,
    #[case] expected: Option<&str>,
) {
    let template = of_all_replicas(&Value::Null, minimum);
    assert_eq!(find_group_in_pieces(&template), expected);
    let mut preferred = of_all_replicas(&Value::Null, minimum);
    let rack = json!({"pack": {"preferred": "rack"}});
    let config = &mut preferred.scaling_groups[0];
    config.all_replicas_topology_constraint = serde_json::from_value(rack).unwrap();
    assert_eq!(find_group_in_pieces(&preferred), None);
}

#[test]
fn a_set_without_constraints_translates_to_nothing() {
    let template = template(&Value::Null, &Value::Null, &Value::Null);
    assert!(translate(&template, false, &base(), &levels()).is_empty());
}
