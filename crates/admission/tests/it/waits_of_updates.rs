//! What makes an update wait: `minReadySeconds` of a clique or group, and `paused` of the set.

use admission::Rules;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::good_set::{FRONTEND, GROUP, at};

use crate::cases::{changes_of, set, words};

const STRATEGY: &str = "/spec/updateStrategy";

/// The errors of a set of which this part has these limits.
fn with(part: &str, rolling: &Value) -> String {
    let place = at(part, "rollingUpdate");
    let edit = (place.as_str(), rolling.clone());
    words(&set(&[edit]), &Rules::default())
}

#[rstest]
#[case::negative(
    json!({"minReadySeconds": -1}),
    "-1: must not be negative; set it to how many seconds a new pod must be Ready, at most 86400"
)]
#[case::more_than_a_day(
    json!({"minReadySeconds": 86_401}),
    "86401: must not be greater than 86400; set it to how many seconds a new pod must be Ready, at \
     most 86400"
)]
#[case::all_of_the_deadline(
    json!({"minReadySeconds": 600, "progressDeadline": "10m"}),
    "600: must be less than progressDeadline (10m), or every update would be reported as standing \
     still; lower it or raise progressDeadline"
)]
#[case::all_but_a_part_of_a_second(
    json!({"minReadySeconds": 600, "progressDeadline": "600.5s"}),
    "600: must be less than progressDeadline (600.5s), or every update would be reported as standing \
     still; lower it or raise progressDeadline"
)]
#[case::more_than_the_deadline(
    json!({"minReadySeconds": 60, "progressDeadline": "30s"}),
    "60: must be less than progressDeadline (30s), or every update would be reported as standing \
     still; lower it or raise progressDeadline"
)]
fn a_wait_that_makes_no_sense_is_refused(
    #[values(
        (FRONTEND, "spec.template.cliques[0]"),
        (GROUP, "spec.template.podCliqueScalingGroups[0]")
    )]
    of: (&str, &str),
    #[case] rolling: Value,
    #[case] expected: &str,
) {
    let (part, path) = of;
    let expected = format!("  {path}.rollingUpdate.minReadySeconds: {expected}");
    assert_eq!(with(part, &rolling), expected);
}

#[rstest]
#[case::none_at_all(json!({"minReadySeconds": 0}))]
#[case::a_day(json!({"minReadySeconds": 86_400}))]
#[case::none_within_a_deadline(json!({"minReadySeconds": 0, "progressDeadline": "1s"}))]
#[case::a_second_less_than_the_deadline(
    json!({"minReadySeconds": 599, "progressDeadline": "10m"})
)]
fn a_wait_within_its_limits_is_accepted(
    #[values(FRONTEND, GROUP)] part: &str,
    #[case] rolling: Value,
) {
    assert_eq!(with(part, &rolling), "");
}

/// An unreadable deadline is one error, and not a second one of the wait beside it.
#[test]
fn a_wait_is_not_measured_by_a_deadline_that_is_none() {
    let rolling = json!({"minReadySeconds": 600, "progressDeadline": "soon"});
    let errors = with(FRONTEND, &rolling);
    assert!(
        errors.contains("progressDeadline: \"soon\": is not a duration"),
        "{errors}"
    );
    assert!(!errors.contains("minReadySeconds"), "{errors}");
}

/// The error of a set that is paused and replaces nothing anyway.
const WITHOUT_EFFECT: &str = "  spec.updateStrategy.paused: true: has no effect with updateStrategy \
                              OnDelete; remove it or set spec.updateStrategy.type to RollingRecreate";

#[rstest]
#[case::on_delete("OnDelete", true, WITHOUT_EFFECT)]
#[case::on_delete_and_not_paused("OnDelete", false, "")]
#[case::rolling("RollingRecreate", true, "")]
#[case::coherent("Coherent", true, "")]
fn a_pause_is_refused_where_nothing_would_go_on(
    #[case] type_: &str,
    #[case] is_paused: bool,
    #[case] expected: &str,
) {
    let strategy = json!({"type": type_, "paused": is_paused});
    let errors = words(&set(&[(STRATEGY, strategy)]), &Rules::default());
    assert_eq!(errors, expected);
}

/// A paused update is resumed in the write that gives it up for `OnDelete`. A set that was stored
/// with both stays editable.
#[test]
fn a_paused_set_is_switched_to_on_delete_with_the_end_of_its_pause() {
    let by = |strategy: &Value, replicas: i32| {
        set(&[
            (STRATEGY, strategy.clone()),
            ("/spec/replicas", json!(replicas)),
        ])
    };
    let paused = by(&json!({"type": "RollingRecreate", "paused": true}), 1);
    let both = json!({"type": "OnDelete", "paused": true});
    assert_eq!(changes_of(&paused, &by(&both, 1)), WITHOUT_EFFECT);
    let resumed = by(&json!({"type": "OnDelete"}), 1);
    assert_eq!(changes_of(&paused, &resumed), "");
    assert_eq!(changes_of(&by(&both, 1), &by(&both, 2)), "");
}
