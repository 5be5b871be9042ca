//! A coherent update that is taken back in its first step.

use super::older::{
    WEB, from, in_turn, replace_from, running, set_coherent, store_reached, targets,
};
use super::{change, generation, hash_of, step};
use crate::situation::accept_templates;

/// Four pods with a minimum of two. Of the first two one is replaced when a user puts the template back:
/// the other three have it already, so the write that accepts it again begins no step of two, though
/// the PodClique gets it only after that write.
#[test]
fn the_write_that_accepts_the_older_template_again_counts_its_pods_as_new() {
    let mut snapshot = running(set_coherent);
    let accepted = generation(&snapshot);
    let before = in_turn(&mut snapshot);
    store_reached(&mut snapshot);
    step(&mut snapshot);
    assert_eq!(targets(&snapshot), from(2));
    replace_from(&mut snapshot, 3);
    change(&mut snapshot, |set| {
        set.spec.template.cliques[0].annotations.clear();
    });
    accept_templates(&mut snapshot);
    step(&mut snapshot);
    assert_eq!(generation(&snapshot), accepted);
    assert_ne!(hash_of(&snapshot, WEB), before, "the PodClique follows");
    assert_eq!(targets(&snapshot), from(3));
}
