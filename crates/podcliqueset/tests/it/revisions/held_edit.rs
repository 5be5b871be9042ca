//! A pause that comes with another template, which is not accepted until it ends.

use rstest::rstest;

use super::older::{from, in_mid_turn, progress};
use super::{change, status, step};

/// The user pauses an update that goes wrong, and edits the template at the same time. The replica is between
/// the accepted template and the one before, whatever comes next.
#[rstest]
#[case::the_older_one_is_put_back(None)]
#[case::a_third_one(Some("3"))]
fn a_pause_with_another_template_stores_where_the_older_pods_end(#[case] version: Option<&str>) {
    let mut snapshot = in_mid_turn();
    change(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = true;
        let version = version.map(|v| ("example.com/version".to_owned(), v.to_owned()));
        set.spec.template.cliques[0].annotations = version.into_iter().collect();
    });
    step(&mut snapshot);
    assert_eq!(progress(&snapshot).currently_updating, []);
    let [entry] = &*status(&snapshot).replica_revisions else {
        panic!("{:?}", status(&snapshot).replica_revisions)
    };
    assert!(entry.older.is_some());
    assert_eq!(entry.from, from(2));
}
