//! Invalid sets.

mod cases;
mod webhook_only;

use std::sync::Arc;

use insta::assert_snapshot;
use rstest::rstest;

use crate::situation::{alone, demo, laid_out, plan};

#[test]
fn creates_nothing_for_an_invalid_set_and_reports_the_remedy() {
    let set = demo()
        .with(|s| {
            let cliques = &mut s.spec.template.cliques;
            cliques[0].spec.min_available = Some(5);
            cliques[1].name = "Leader".into();
        })
        .build();
    let plan = plan(&alone(&set));
    assert!(plan.writes_nothing());
    assert_snapshot!(plan);
}

#[test]
fn keeps_existing_objects_when_a_set_becomes_invalid() {
    let mut snapshot = laid_out(&demo().build());
    let invalid = demo()
        .with(|s| s.spec.template.cliques[0].spec.min_available = Some(5))
        .build();
    snapshot.validated = alone(&invalid).validated;
    assert!(plan(&snapshot).writes_nothing());
}

/// `observedGeneration`, which tools compare with the generation, 2 (decision 102).
#[rstest]
#[case::nothing_of_it_exists(false, None, Some(2))]
#[case::an_earlier_spec_runs(true, Some(1), None)]
#[case::and_did_already(true, None, None)]
#[case::it_was_acted_on_before_it_was_refused(true, Some(2), Some(2))]
fn a_refused_spec_is_observed_only_where_nothing_else_runs(
    #[case] runs: bool,
    #[case] before: Option<i64>,
    #[case] expected: Option<i64>,
) {
    let invalid = demo()
        .with(|s| s.spec.template.cliques[0].spec.min_available = Some(5))
        .build();
    let mut snapshot = if runs {
        laid_out(&demo().build())
    } else {
        alone(&invalid)
    };
    snapshot.validated = alone(&invalid).validated;
    let stored = Arc::make_mut(&mut snapshot.stored);
    stored.metadata.generation = Some(2);
    stored.status.get_or_insert_default().observed_generation = before;
    assert_eq!(
        plan(&snapshot).status.unwrap().observed_generation,
        expected
    );
}
