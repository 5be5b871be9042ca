//! A newer template that is accepted in the turn of a replica.

use api::names;
use rstest::rstest;

use super::older::{WEB, from, in_turn, progress, replace_from, running, store_reached};
use super::{change, edit, generation, status, step};

/// A pause takes the turn away before anything of the newest template is there. A pod that is lost then comes
/// back with a template that others have: that of the first revision only if one of its pods is left.
#[rstest]
#[case::none_of_the_first_is_left(0, true)]
#[case::half_of_the_first_is_left(2, false)]
fn a_second_template_in_a_turn_keeps_a_revision_that_is_there(
    #[case] replaced_from: i32,
    #[case] is_second: bool,
) {
    let mut snapshot = running(|_| ());
    let first = generation(&snapshot);
    in_turn(&mut snapshot);
    let second = generation(&snapshot);
    store_reached(&mut snapshot);
    replace_from(&mut snapshot, replaced_from);
    edit(&mut snapshot, "3");
    for _ in 0..2 {
        step(&mut snapshot);
    }
    assert_ne!(generation(&snapshot), second, "the third is accepted");
    change(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = true;
    });
    step(&mut snapshot);
    assert_eq!(progress(&snapshot).currently_updating, []);
    let entry = status(&snapshot).replica_revisions[0].clone();
    let kept = if is_second { second } else { first };
    assert_eq!(entry.older, Some(names::revision("demo", &kept)));
    assert_eq!(entry.from, from(4));
    assert!(snapshot.podcliques.contains_key(WEB));
}
