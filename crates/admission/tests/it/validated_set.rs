//! Stored sets that the operator acts on.

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use admission::{Rules, validate};
use rstest::rstest;
use serde_json::{Map, Value, json};
use testkit::builders::set;
use testkit::good_set::{FRONTEND, GROUP, at, edited};

#[rstest]
#[case("0s")]
#[case("900ms")]
fn a_stored_delay_that_makes_no_sense_disables_and_does_not_hold_the_set_up(#[case] delay: &str) {
    let pcs = set("demo")
        .clique("a", |c| c)
        .group("g", ["a"], |g| g)
        .with(|s| s.spec.template.termination_delay = Some(delay.into()));
    let validated = validated_set::validate_set(&pcs.build(), &DefaultsConfig::default());
    assert!(validated.may_act(), "{:?}", validated.errors);
    assert_eq!(validated.invalid_delays.len(), 1);
}

/// No object with that name is created yet.
#[test]
fn a_stored_set_whose_claims_have_long_names_is_acted_on() {
    let sharing = json!([{"name": "gpu.v1", "scope": "AllReplicas"}]);
    let stored = edited(&[("/spec/template/resourceSharing", sharing)]);
    let stored = serde_json::from_value(stored).unwrap();
    let validated = validated_set::validate_set(&stored, &DefaultsConfig::default());
    assert!(validated.may_act(), "{:?}", validated.errors);
    assert_eq!(validate(&validated.set, &Rules::default()).len(), 1);
}

/// The Go operator accepts these: constraints of older releases, and additions by an update. And a
/// role that two cliques have, which earlier releases accepted.
#[rstest]
#[case::topology(
    "/spec/template/topologyConstraint".into(),
    json!({"packDomain": "rack"})
)]
#[case::node(at(FRONTEND, "spec/podSpec/nodeName"), json!("node-1"))]
#[case::spread(
    at(FRONTEND, "spec/podSpec/topologySpreadConstraints"),
    json!([{"topologyKey": "rack", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}])
)]
#[case::autoscaler(at(GROUP, "scaleConfig"), json!({"minReplicas": 3, "maxReplicas": 2}))]
#[case::role(at(FRONTEND, "spec/roleName"), json!("leader"))]
fn a_stored_set_is_acted_on_though_the_webhook_would_refuse_it(
    #[case] at: String,
    #[case] value: Value,
) {
    let stored = serde_json::from_value(edited(&[(&at, value)])).unwrap();
    let validated = validated_set::validate_set(&stored, &DefaultsConfig::default());
    assert!(validated.may_act(), "{:?}", validated.errors);
    assert_eq!(validate(&validated.set, &Rules::default()).len(), 1);
}

fn texts(count: usize) -> Value {
    let text = |i| (format!("t{i}"), json!("x"));
    Value::Object((0..count).map(text).collect::<Map<_, _>>())
}

fn variables(count: usize) -> Value {
    let variable = |i| json!({"name": format!("V{i}")});
    (0..count).map(variable).collect()
}

/// These limits came with the webhook: sets above them keep running.
#[rstest]
#[case::labels("/metadata/labels".into(), texts(501))]
#[case::annotations("/metadata/annotations".into(), texts(501))]
#[case::labels_of_a_clique(at(FRONTEND, "labels"), texts(501))]
#[case::annotations_of_a_group(at(GROUP, "annotations"), texts(501))]
#[case::entries(at(FRONTEND, "spec/podSpec/containers/0/env"), variables(20_001))]
#[case::text(at(FRONTEND, "spec/podSpec/hostname"), json!("x".repeat(3_200_000)))]
#[case::a_topology(
    "/spec/template/topologyConstraint".into(),
    json!({"topologyName": "t".repeat(254), "pack": {"required": "rack"}})
)]
#[case::a_name_of_another_clique(at(FRONTEND, "spec/startsAfter"), json!(["x".repeat(254)]))]
fn a_stored_set_over_a_limit_of_the_webhook_is_acted_on(#[case] at: String, #[case] value: Value) {
    let stored = serde_json::from_value(edited(&[(&at, value)])).unwrap();
    let validated = validated_set::validate_set(&stored, &DefaultsConfig::default());
    assert!(validated.may_act(), "{:?}", validated.errors);
    assert_eq!(validate(&validated.set, &Rules::default()).len(), 1);
}
