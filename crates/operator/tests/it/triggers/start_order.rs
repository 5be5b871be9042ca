//! A PodClique that is up triggers its dependents.

use api::PodCliqueStatus;
use api::podcliqueset::CliqueStartupType;
use rstest::rstest;

use super::*;

fn with(ready: i32) -> Arc<PodClique> {
    let mut parent = PodClique {
        metadata: labelled("demo-0-a", "PodCliqueSet", "demo"),
        ..PodClique::default()
    };
    (parent.spec.replicas, parent.spec.min_available) = (4, Some(2));
    parent.status = Some(PodCliqueStatus {
        ready_replicas: ready,
        ..PodCliqueStatus::default()
    });
    Arc::new(parent)
}

/// A list shows all pods at once: with two more Ready pods than required, each change of a single
/// pod leaves the clique up, so no single change shows the difference.
#[rstest]
#[case::of_pods_that_became_ready_at_once(with(0), with(4), true)]
#[case::of_the_first_that_is_enough(with(1), with(2), true)]
#[case::of_one_that_is_not_enough(with(0), with(1), false)]
#[case::of_one_more_than_enough(with(2), with(3), false)]
fn a_dependency_that_is_up_triggers_its_dependents(
    #[case] old: Arc<PodClique>,
    #[case] new: Arc<PodClique>,
    #[case] is_expected: bool,
) {
    let caches = Caches::default();
    let mut set = set("demo").clique("a", |c| c).clique("b", |c| c).build();
    set.spec.template.clique_startup_type = Some(CliqueStartupType::InOrder);
    caches.of::<PodCliqueSet>().apply(set);
    let (old, new) = (Some(old), Some(new));
    let triggered = triggered_by(&Change { old, new }, &caches);
    let child = (PODCLIQUES, Key::new("default", "demo-0-b"));
    assert_eq!(triggered.contains(&child), is_expected, "{triggered:?}");
}
