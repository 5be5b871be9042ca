//! `minAvailable` is fixed at creation.

use api::{PodClique, PodCliqueSet};
use std::sync::Arc;

use domain::object::ownership;
use engine::Caches;
use podcliquescalinggroup::PodCliqueScalingGroupReconciler;
use podcliquescalinggroup::decide::decide;
use podcliquescalinggroup::observe::observe;
use testkit::builders::after;

use crate::situation::{complete, demo, group};

#[test]
fn recreated_podcliques_get_the_minimum_of_those_that_exist() {
    let set = demo().build();
    let caches = Caches::default();
    for podclique in complete(&set, 2) {
        caches.of::<PodClique>().apply(podclique);
    }
    let mut changed = set.clone();
    changed.spec.template.cliques[1].spec.min_available = Some(1);
    caches.of::<PodCliqueSet>().apply(changed);
    let group = Arc::new(group(&set, 3));
    let rules = PodCliqueScalingGroupReconciler::default();
    let plan = decide(&observe(&group, &caches, &rules), after(60));
    let actions = plan.waves.iter().flatten();
    let written = actions.filter_map(|action| {
        let podclique = action.written::<PodClique>()?;
        Some((
            ownership::name(&podclique.metadata),
            podclique.spec.min_available,
        ))
    });
    let expected = [
        ("demo-0-g-2-leader", Some(1)),
        ("demo-0-g-2-worker", Some(2)),
    ];
    assert_eq!(written.collect::<Vec<_>>(), expected);
}
