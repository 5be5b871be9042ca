//! What may be acted on.

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use admission::{Rules, validate};
use rstest::rstest;
use serde_json::json;
use testkit::builders::set;
use testkit::good_set::edited;

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

/// Nothing is made under that name yet.
#[test]
fn a_stored_set_whose_claims_have_long_names_is_acted_on() {
    let sharing = json!([{"name": "gpu.v1", "scope": "AllReplicas"}]);
    let stored = edited(&[("/spec/template/resourceSharing", sharing)]);
    let stored = serde_json::from_value(stored).unwrap();
    let validated = validated_set::validate_set(&stored, &DefaultsConfig::default());
    assert!(validated.may_act(), "{:?}", validated.errors);
    assert_eq!(validate(&validated.set, &Rules::default()).len(), 1);
}
