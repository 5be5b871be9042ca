//! What may be acted on.

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use rstest::rstest;
use testkit::builders::set;

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
