//! Texts that are no durations.

use admission::Rules;
use rstest::rstest;
use serde_json::json;

use crate::cases::{set, words};

const SPELLING: &str = "write numbers with units h, m, s, ms: 30s, 4h, 1h30m";

/// A number has a unit that can be guessed.
#[rstest]
#[case::a_number("600", "write it with a unit, such as 600s")]
#[case::a_fraction("1.5", "write it with a unit, such as 1.5s")]
#[case::of_the_last_part("5m30", "write it with a unit, such as 5m30s")]
#[case::below_zero("-600", SPELLING)]
#[case::a_word("soon", SPELLING)]
#[case::another_unit("4 hours", SPELLING)]
#[case::a_prefix_of_a_unit("10n", SPELLING)]
#[case::nothing("", SPELLING)]
fn a_duration_without_a_unit(#[case] given: &str, #[case] remedy: &str) {
    let delay = set(&[("/spec/template/terminationDelay", json!(given))]);
    let errors = words(&delay, &Rules::default());
    let expected =
        format!("  spec.template.terminationDelay: {given:?}: is not a duration; {remedy}");
    assert_eq!(errors, expected);
}

#[rstest]
#[case::a_number("600", "write it with a unit, such as 600s")]
#[case::a_word("soon", "write it as 30s, 10m or 1h, or omit it for no deadline")]
fn a_deadline_without_a_unit(#[case] given: &str, #[case] remedy: &str) {
    let place = "/spec/template/cliques/0/rollingUpdate";
    let deadline = set(&[(place, json!({"progressDeadline": given}))]);
    let errors = words(&deadline, &Rules::default());
    let path = "spec.template.cliques[0].rollingUpdate.progressDeadline";
    assert_eq!(
        errors,
        format!("  {path}: {given:?}: is not a duration; {remedy}")
    );
}
