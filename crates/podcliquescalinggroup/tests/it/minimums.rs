//! `minAvailable` is fixed at creation.

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use domain::object::ownership;
use domain::plan::{Action, Object};
use engine::World;
use podcliquescalinggroup::decide::decide;
use podcliquescalinggroup::observe::observe;
use testkit::builders::after;

use crate::situation::{complete, demo, group};

#[test]
fn podcliques_that_are_made_anew_get_the_minimum_of_those_that_exist() {
    let set = demo().build();
    let world = World::default();
    for podclique in complete(&set, 2) {
        world.podcliques.apply(podclique);
    }
    let mut changed = set.clone();
    changed.spec.template.cliques[1].spec.min_available = Some(1);
    world.podcliquesets.apply(changed);
    let group = Arc::new(group(&set, 3));
    let plan = decide(
        &observe(&group, &world, &DefaultsConfig::default()),
        after(60),
    );
    let actions = plan.waves.iter().flatten();
    let written = actions.filter_map(|action| match action {
        Action::Create(Object::PodClique(c)) | Action::Replace(Object::PodClique(c)) => {
            Some((ownership::name(&c.metadata), c.spec.min_available))
        }
        _ => None,
    });
    let expected = [
        ("demo-0-g-2-leader", Some(1)),
        ("demo-0-g-2-worker", Some(2)),
    ];
    assert_eq!(written.collect::<Vec<_>>(), expected);
}
