//! Sets that may not be acted on.

mod cases;
mod webhook_only;

use insta::assert_snapshot;

use crate::situation::{alone, demo, laid_out, plan};

#[test]
fn creates_nothing_for_an_invalid_set_and_says_what_to_mend() {
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
fn keeps_what_exists_when_a_set_becomes_invalid() {
    let mut snapshot = laid_out(&demo().build());
    let invalid = demo()
        .with(|s| s.spec.template.cliques[0].spec.min_available = Some(5))
        .build();
    snapshot.validated = alone(&invalid).validated;
    assert!(plan(&snapshot).writes_nothing());
}
