//! Optional replicas give way while required ones wait.

use std::collections::BTreeMap;

use podgang::backend::surplus::{Placed, due_replicas};
use rstest::rstest;

const NOTHING: Placed = Placed::Nothing;
const PART: Placed = Placed::Part;
const WHOLE: Placed = Placed::Whole;

#[rstest]
#[case::starts(2, &[NOTHING, NOTHING, NOTHING], &[0, 1])]
#[case::stands(2, &[WHOLE, WHOLE, NOTHING], &[0, 1, 2])]
#[case::lost_a_pod(2, &[PART, WHOLE, NOTHING], &[0, 1])]
#[case::lost_all_pods(2, &[NOTHING, WHOLE, NOTHING], &[0, 1])]
#[case::any_others_do(2, &[NOTHING, WHOLE, WHOLE], &[0, 1, 2])]
#[case::one_that_has_nodes_is_never_left_out(1, &[NOTHING, NOTHING, PART], &[2])]
#[case::more_have_begun_than_are_required(1, &[PART, NOTHING, PART], &[0, 2])]
#[case::too_few(3, &[NOTHING, WHOLE], &[0, 1])]
#[case::none_is_required(0, &[NOTHING, NOTHING], &[0, 1])]
fn surplus_that_waits_stands_aside_while_fewer_stand_than_are_required(
    #[case] required: usize,
    #[case] placed: &[Placed],
    #[case] expected: &[i32],
) {
    let replicas: BTreeMap<i32, Placed> = (0..).zip(placed.iter().copied()).collect();
    let due: Vec<i32> = due_replicas(required, &replicas).into_iter().collect();
    assert_eq!(due, expected);
}
