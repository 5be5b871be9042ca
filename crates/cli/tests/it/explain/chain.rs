//! The objects that lead to the cause, in the width of a terminal.

use cli::explain::Link;
use rstest::rstest;

use super::{draw, explain};
use crate::read::{demo_with, ready};

fn link(kind: &'static str, name: &str) -> Link {
    Link {
        kind,
        name: name.to_owned(),
        state: "NodeSelectorUnmatched".to_owned(),
        is_good: Some(false),
        uid: None,
    }
}

/// Section "Found through" of a set, and of a group whose name has that many characters.
fn draw_chain(length: usize) -> String {
    let mut answer = explain(&demo_with(&[ready(), ready()], &[]), &[]);
    let group = "g".repeat(length);
    answer.chain = vec![
        link("PodCliqueSet", "demo"),
        link("PodCliqueScalingGroup", &group),
    ];
    let text = draw(&answer);
    let (_, after) = text.split_once("\nFound through\n").unwrap();
    let (chain, _) = after.split_once("\n\n").unwrap();
    chain.replace(&group, "GROUP")
}

#[rstest]
#[case::in_full(
    30,
    "  PodCliqueSet            demo                             NodeSelectorUnmatched\n  \
     PodCliqueScalingGroup   GROUP   NodeSelectorUnmatched"
)]
#[case::abbreviated(
    40,
    "  pcs    demo                                       NodeSelectorUnmatched\n  \
     pcsg   GROUP   NodeSelectorUnmatched"
)]
#[case::apart(
    60,
    "  pcs    demo\n         NodeSelectorUnmatched\n  pcsg   GROUP\n         NodeSelectorUnmatched"
)]
fn the_chain_fits_a_terminal(#[case] length: usize, #[case] expected: &str) {
    assert_eq!(draw_chain(length), expected);
}
