//! The cliques that a coherent update changes.

use super::older::set_coherent;
use super::{accept_templates, change, status, step};
use crate::situation::{alone, fill_all};
use testkit::builders::{PodBuilder, set};

/// The PodClique of a changed clique is gone as the update begins: it comes back with the older
/// templates, and takes the steps that the others take.
#[test]
fn a_clique_that_is_away_belongs_to_the_update() {
    let mut demo = set("demo")
        .replicas(1)
        .clique("web", |c| c.replicas(4).min(2))
        .clique("work", |c| c.replicas(4).min(2))
        .build();
    set_coherent(&mut demo);
    let mut snapshot = alone(&demo);
    snapshot.history.is_served = true;
    for _ in 0..3 {
        step(&mut snapshot);
        fill_all(&mut snapshot, PodBuilder::ready);
    }
    snapshot.podcliques.remove("demo-0-work");
    change(&mut snapshot, |set| {
        for clique in &mut set.spec.template.cliques {
            let annotations = &mut clique.annotations;
            annotations.insert("example.com/version".into(), "2".into());
        }
    });
    accept_templates(&mut snapshot);
    for _ in 0..3 {
        step(&mut snapshot);
    }
    let progress = status(&snapshot).update_progress.unwrap();
    assert_eq!(progress.in_scope_standalone_pod_cliques, ["web", "work"]);
}
