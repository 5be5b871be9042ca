//! For a scheduler that places whole trees, the base gang writes the objects of all gangs of its
//! replica, and reads the pods of the scaled gangs.

use api::kai::keys;
use api::podgang::{GangTopologyConstraint, PackConstraint};
use domain::object::pod::SchedulingGroup;
use domain::scheduling::pod_group_name;
use rstest::rstest;
use testkit::builders::{PodBuilder, pod, podclique, stored};

use super::*;

const GANGS: ControllerName = ControllerName("podgang");

/// A pod of the scaled gang `demo-0-g-0`, whose base gang is `demo-0`.
fn of_scaled_gang() -> PodBuilder {
    let clique = podclique("demo-0-g-1-a").build();
    pod(&clique, 0).with(|pod| {
        let all = pod.metadata.labels.get_or_insert_default();
        all.insert(labels::POD_GANG.into(), "demo-0-g-0".into());
        all.insert(labels::BASE_POD_GANG.into(), "demo-0".into());
    })
}

/// Managed by Kubernetes' own scheduler.
fn in_pod_group(builder: PodBuilder) -> PodBuilder {
    builder.with(|pod| {
        pod.spec.scheduling_group = Some(SchedulingGroup {
            pod_group_name: Some("demo-0-g-1-a".into()),
        });
    })
}

/// In the PodGroup of KAI Scheduler for the gang of this name.
fn in_kai_group_of(gang: &str) -> impl Fn(PodBuilder) -> PodBuilder {
    let group = pod_group_name("default", gang);
    move |builder| {
        let annotation = (keys::POD_GROUP.to_owned(), group.clone());
        builder.with(|pod| {
            let all = pod.metadata.annotations.get_or_insert_default();
            all.extend([annotation]);
        })
    }
}

fn triggered_gangs(old: Option<PodBuilder>, new: Option<PodBuilder>) -> Vec<String> {
    triggered_gangs_in(&Caches::default(), old, new)
}

fn triggered_gangs_in(
    caches: &Caches,
    old: Option<PodBuilder>,
    new: Option<PodBuilder>,
) -> Vec<String> {
    let change = Change {
        old: old.map(PodBuilder::build),
        new: new.map(PodBuilder::build),
    };
    let triggered = triggered_by(&change, caches).into_iter();
    let gangs = triggered.filter(|(controller, _)| *controller == GANGS);
    let mut names: Vec<String> = gangs.map(|(_, key)| key.name).collect();
    names.sort();
    names.dedup();
    names
}

const BOTH: [&str; 2] = ["demo-0", "demo-0-g-0"];
const OWN: [&str; 1] = ["demo-0-g-0"];

/// The state of its pod.
#[derive(Clone, Copy)]
enum Stage {
    Absent,
    Waits,
    Placed,
    Runs,
    Ready,
    Deleted,
    Done,
}

fn at(stage: Stage, pod: PodBuilder) -> Option<PodBuilder> {
    let there = match stage {
        Stage::Absent => return None,
        Stage::Waits => pod,
        Stage::Placed => pod.bound(),
        Stage::Runs => pod.bound().phase("Running"),
        Stage::Ready => pod.ready(),
        Stage::Deleted => pod.ready().terminating(30),
        Stage::Done => pod.bound().phase("Succeeded"),
    };
    Some(there)
}

#[rstest]
#[case::it_is_made(Stage::Absent, Stage::Waits)]
#[case::it_is_gone(Stage::Waits, Stage::Absent)]
#[case::it_is_placed(Stage::Waits, Stage::Placed)]
#[case::it_runs(Stage::Placed, Stage::Runs)]
#[case::it_is_ready(Stage::Runs, Stage::Ready)]
#[case::it_is_deleted(Stage::Ready, Stage::Deleted)]
#[case::it_is_done(Stage::Ready, Stage::Done)]
fn a_pod_of_a_scaled_gang_triggers_the_base_gang_of_its_tree(
    #[case] old: Stage,
    #[case] new: Stage,
) {
    let triggered = |mark: &dyn Fn(PodBuilder) -> PodBuilder| {
        let pod = || mark(of_scaled_gang());
        triggered_gangs(at(old, pod()), at(new, pod()))
    };
    assert_eq!(triggered(&in_pod_group), BOTH, "Kubernetes");
    assert_eq!(triggered(&in_kai_group_of("demo-0")), BOTH, "a tree of KAI");
    let flat = triggered(&in_kai_group_of("demo-0-g-0"));
    assert_eq!(flat, OWN, "KAI has a group for each gang");
}

/// Of the replica's pods only the places count, and only where the base gang has a constraint.
#[rstest]
#[case::it_is_made(Stage::Absent, Stage::Waits, &OWN)]
#[case::it_is_placed(Stage::Waits, Stage::Placed, &BOTH)]
#[case::it_is_ready(Stage::Runs, Stage::Ready, &OWN)]
#[case::it_is_deleted(Stage::Ready, Stage::Deleted, &BOTH)]
fn a_pod_of_a_scaled_gang_triggers_a_base_gang_that_requires_a_domain(
    #[case] old: Stage,
    #[case] new: Stage,
    #[case] expected: &[&str],
) {
    let triggered = |caches: &Caches| {
        let pod = |stage| at(stage, of_scaled_gang());
        triggered_gangs_in(caches, pod(old), pod(new))
    };
    let caches = Caches::default();
    assert_eq!(triggered(&caches), OWN);
    caches.of::<PodGang>().apply(base_in_one_zone());
    assert_eq!(triggered(&caches), expected);
}

fn base_in_one_zone() -> PodGang {
    let mut base = PodGang {
        metadata: stored("demo-0"),
        ..PodGang::default()
    };
    let required = Some("zone".to_owned());
    base.spec.topology_constraint = Some(GangTopologyConstraint {
        pack_constraint: Some(PackConstraint {
            required,
            ..PackConstraint::default()
        }),
    });
    base
}

/// The tree does not depend on a restart count, for example.
#[test]
fn a_pod_that_a_tree_does_not_count_triggers_its_own_gang_only() {
    let ready = || in_pod_group(of_scaled_gang()).ready();
    let other = ready().condition("PodReadyToStartContainers", "True");
    assert_eq!(triggered_gangs(Some(ready()), Some(other)), OWN);
}
