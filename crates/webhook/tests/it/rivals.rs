//! Rewrites of the operator's values by another writer are reported once.

use std::time::Duration;

use tokio::time::Instant;
use webhook::certificates::plan::Patch;
use webhook::certificates::{ConfigurationKind, Rewrite, Rivals, Target};

fn patch(ca: &str) -> Patch {
    Patch {
        target: Target {
            kind: ConfigurationKind::Mutating,
            name: "defaults".into(),
        },
        webhooks: vec![0],
        bundle: vec![ca.into()],
    }
}

/// The values found at each of these minutes, each followed by a write.
fn judged(rivals: &mut Rivals, patch: &Patch, minutes: &[u64]) -> Vec<Rewrite> {
    let began = Instant::now();
    let judged = minutes.iter().map(|minute| {
        let rewrite = rivals.judge(patch, began + Duration::from_mins(*minute));
        rivals.remember(patch);
        rewrite
    });
    judged.collect()
}

#[test]
fn a_value_that_was_never_written_is_no_rewrite() {
    let mut rivals = Rivals::default();
    for ca in ["a", "b", "c", "d", "e", "f"] {
        assert_eq!(judged(&mut rivals, &patch(ca), &[0]), [Rewrite::Own]);
    }
}

#[test]
fn several_rewrites_within_an_hour_are_reported_once() {
    let seen = judged(&mut Rivals::default(), &patch("a"), &[0, 1, 2, 3, 4, 5, 6]);
    let mut expected = vec![Rewrite::Foreign; 7];
    (expected[0], expected[4]) = (Rewrite::Own, Rewrite::Rival);
    assert_eq!(seen, expected);
}

#[test]
fn a_rewrite_after_an_hour_without_one_is_reported_again() {
    let minutes = [0, 1, 2, 3, 4, 66, 67, 68, 69];
    let seen = judged(&mut Rivals::default(), &patch("a"), &minutes);
    assert_eq!(seen[4], Rewrite::Rival);
    assert_eq!(seen[5..8], [Rewrite::Foreign; 3]);
    assert_eq!(seen[8], Rewrite::Rival);
}

#[test]
fn a_rewrite_now_and_then_is_not_reported() {
    let minutes: Vec<u64> = (0..20).map(|n| n * 25).collect();
    let seen = judged(&mut Rivals::default(), &patch("a"), &minutes);
    assert!(!seen.contains(&Rewrite::Rival), "{seen:?}");
}
