//! The PodGroup (scheduling.k8s.io) that new pods name.

use api::topology::{TopologyConstraint, TopologyPack};
use api::{PodClique, PodCliqueSet, PodGang, labels};
use domain::health::suspension;
use domain::plan::Action;
use domain::scheduling::Backend;
use engine::Caches;
use insta::assert_snapshot;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Pod as FullPod;
use k8s_openapi::api::scheduling::v1beta1::PodGroup;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use podclique::decide::decide;
use podclique::pod_group::{Choice, Part, PodGroupFacts, Taken, observe};
use rstest::rstest;
use testkit::builders::{after, pod, podclique, set, stored};

use crate::situation::situation;

const STUCK_AFTER: SignedDuration = SignedDuration::from_secs(60);

fn clique(name: &str, replicas: i32, minimum: i32) -> PodClique {
    let mut clique = (*podclique(name).size(replicas, minimum).build()).clone();
    let all = clique.metadata.labels.get_or_insert_default();
    all.insert(labels::POD_GANG.into(), "demo-0".into());
    clique
}

fn facts(
    clique: &PodClique,
    gang: Option<&PodGang>,
    caches: &Caches,
    backend: Backend,
) -> PodGroupFacts {
    let part = Part {
        podclique: clique,
        set: None,
        gang,
    };
    look(part, caches, backend)
}

fn look(part: Part<'_>, caches: &Caches, backend: Backend) -> PodGroupFacts {
    let pods = caches.of::<domain::Pod>().owned_by(part.podclique);
    observe(part, &pods, caches, backend, true)
}

fn fresh(base: &str, taken: Vec<Taken>) -> PodGroupFacts {
    PodGroupFacts::Fresh {
        base: base.to_owned(),
        taken,
        is_awaited: false,
    }
}

fn add_pod(caches: &Caches, clique: &PodClique, group: Option<&str>) {
    let mut pod = pod(clique, 0);
    if let Some(group) = group {
        pod = pod.in_pod_group(group);
    }
    caches.of::<domain::Pod>().apply((*pod.build()).clone());
}

fn add_group(caches: &Caches, name: &str, owner: &str) {
    let mut metadata = ObjectMeta {
        resource_version: Some("1".into()),
        ..stored(name)
    };
    let owner = PodGang {
        metadata: stored(owner),
        ..PodGang::default()
    };
    if !owner.metadata.name.as_deref().unwrap().is_empty() {
        let reference = domain::object::ownership::controller_reference(&owner);
        metadata.owner_references = Some(vec![reference]);
    }
    caches.of::<PodGroup>().apply(PodGroup {
        metadata,
        ..PodGroup::default()
    });
}

#[rstest]
#[case::told_otherwise(Backend::DefaultScheduler, 3, 3, PodGroupFacts::Unused)]
#[case::needs_all(Backend::Kubernetes, 3, 3, fresh("demo-0", vec![]))]
#[case::may_have_more(Backend::Kubernetes, 3, 2, fresh("demo-0-a", vec![]))]
#[case::in_a_tree(Backend::KubernetesTree, 3, 3, fresh("demo-0-a", vec![]))]
fn a_podclique_that_needs_all_its_pods_shares_one_with_its_gang(
    #[case] backend: Backend,
    #[case] replicas: i32,
    #[case] minimum: i32,
    #[case] expected: PodGroupFacts,
) {
    let caches = Caches::default();
    let clique = clique("demo-0-a", replicas, minimum);
    assert_eq!(facts(&clique, None, &caches, backend), expected);
}

fn constraint(required: &str, preferred: &str) -> TopologyConstraint {
    TopologyConstraint {
        pack: Some(TopologyPack {
            required: required.into(),
            preferred: preferred.into(),
        }),
        ..TopologyConstraint::default()
    }
}

/// A PodGroup has one domain for all of its pods. The constraint of the set applies to the whole
/// gang, and Kubernetes knows no preferred domains.
#[rstest]
#[case::none(|_: &mut PodCliqueSet| {}, "demo-0")]
#[case::of_the_set(|s: &mut PodCliqueSet| s.spec.template.topology_constraint = Some(constraint("rack", "")), "demo-0")]
#[case::of_the_clique(|s: &mut PodCliqueSet| s.spec.template.cliques[0].topology_constraint = Some(constraint("rack", "")), "demo-0-g-0-a")]
#[case::of_another_clique(|s: &mut PodCliqueSet| s.spec.template.cliques[1].topology_constraint = Some(constraint("rack", "")), "demo-0")]
#[case::of_the_group(|s: &mut PodCliqueSet| s.spec.template.scaling_groups[0].topology_constraint = Some(constraint("rack", "")), "demo-0-g-0-a")]
#[case::preferred(|s: &mut PodCliqueSet| s.spec.template.scaling_groups[0].topology_constraint = Some(constraint("", "rack")), "demo-0")]
fn a_podclique_with_a_domain_of_its_own_shares_none(
    #[case] change: fn(&mut PodCliqueSet),
    #[case] base: &str,
) {
    let caches = Caches::default();
    let clique = clique("demo-0-g-0-a", 3, 3);
    let set = set("demo")
        .clique("a", |c| c)
        .clique("b", |c| c)
        .group("g", ["a"], |g| g)
        .with(change)
        .build();
    let part = Part {
        podclique: &clique,
        set: Some(&set),
        gang: None,
    };
    let expected = fresh(base, vec![]);
    assert_eq!(look(part, &caches, Backend::Kubernetes), expected);
    let of_tree = look(part, &caches, Backend::KubernetesTree);
    assert_eq!(of_tree, fresh("demo-0-g-0-a", vec![]));
}

#[rstest]
#[case::named(Some("demo-0-a.1"))]
#[case::created_before_the_scheduler_had_gangs(None)]
fn a_replacement_names_the_pod_group_of_its_peers(#[case] group: Option<&str>) {
    let caches = Caches::default();
    let clique = clique("demo-0-a", 3, 3);
    add_pod(&caches, &clique, group);
    let expected = PodGroupFacts::Kept(group.map(str::to_owned));
    assert_eq!(facts(&clique, None, &caches, Backend::Kubernetes), expected);
}

/// Its gang starts again after the resume.
#[test]
fn a_pod_that_ended_before_a_resume_keeps_no_pod_group() {
    let caches = Caches::default();
    let clique = clique("demo-0-a", 3, 3);
    let done = pod(&clique, 0).bound().phase("Succeeded");
    let done = done.in_pod_group("demo-0").build();
    caches.of::<domain::Pod>().apply((*done).clone());
    let mut set = set("demo").clique("a", |c| c).build();
    let chosen = |set: &PodCliqueSet| {
        let part = Part {
            podclique: &clique,
            set: Some(set),
            gang: None,
        };
        look(part, &caches, Backend::Kubernetes)
    };
    assert_eq!(chosen(&set), PodGroupFacts::Kept(Some("demo-0".into())));
    let status = set.status.get_or_insert_default();
    suspension::begin(status, None, after(1));
    suspension::end(status, None, after(2));
    assert_eq!(chosen(&set), fresh("demo-0", vec![]));
}

/// Running pods would wait for it if they lost a pod.
#[test]
fn a_pod_that_joins_a_placed_gang_shares_no_pod_group_with_running_ones() {
    let caches = Caches::default();
    let (joining, running) = (clique("demo-0-a", 3, 3), clique("demo-0-b", 1, 1));
    caches.of::<PodClique>().apply(running.clone());
    let mut gang = PodGang::default();
    gang.spec.pod_groups = vec![api::podgang::PodGroup {
        name: "demo-0-b".into(),
        ..api::podgang::PodGroup::default()
    }];
    let base = |caches: &Caches| facts(&joining, Some(&gang), caches, Backend::Kubernetes);
    assert_eq!(base(&caches), fresh("demo-0", vec![]));
    add_pod(&caches, &running, Some("demo-0"));
    assert_eq!(
        base(&caches),
        fresh("demo-0", vec![]),
        "they start together"
    );
    add_group(&caches, "demo-0", "demo-0");
    let awaited = PodGroupFacts::Fresh {
        base: "demo-0".into(),
        taken: vec![Taken::Used(None)],
        is_awaited: true,
    };
    assert_eq!(base(&caches), awaited, "the rest waits for it");
    let choice = awaited.choose(STUCK_AFTER, after(100));
    assert_eq!(choice, Choice::Name(Some("demo-0".into())));
    let bound = pod(&running, 1).bound().in_pod_group("demo-0").build();
    caches.of::<domain::Pod>().apply((*bound).clone());
    assert_eq!(base(&caches), fresh("demo-0-a", vec![]));
}

/// The API server would drop the name, and they would be placed one by one.
#[test]
fn no_pod_is_made_where_the_cluster_does_not_know_pod_groups() {
    let choice = PodGroupFacts::Unserved.choose(STUCK_AFTER, after(100));
    assert_eq!(choice, Choice::Wait(None));
}

#[test]
fn names_that_others_have_are_seen() {
    let caches = Caches::default();
    add_group(&caches, "demo-0", "");
    add_group(&caches, "demo-0.1", "demo-0");
    let clique = clique("demo-0-a", 3, 3);
    assert_eq!(
        facts(&clique, None, &caches, Backend::Kubernetes),
        fresh("demo-0", vec![Taken::Foreign, Taken::Used(None)])
    );
}

fn going(seconds: i64) -> Taken {
    Taken::Used(Some(after(seconds)))
}

#[rstest]
#[case::free(vec![], Choice::Name(Some("g".into())))]
#[case::foreign(vec![Taken::Foreign], Choice::Name(Some("g.1".into())))]
#[case::used_before(vec![Taken::Used(None)], Choice::Wait(None))]
#[case::going(vec![going(90)], Choice::Wait(Some(after(150))))]
#[case::stuck(vec![going(40)], Choice::Name(Some("g.1".into())))]
#[case::stuck_twice(vec![going(10), going(60)], Choice::Wait(Some(after(120))))]
fn the_previous_pod_group_is_waited_for_until_it_is_stuck(
    #[case] taken: Vec<Taken>,
    #[case] expected: Choice,
) {
    let choice = fresh("g", taken).choose(STUCK_AFTER, after(100));
    assert_eq!(choice, expected);
}

fn created(facts: PodGroupFacts, now: Timestamp) -> (Vec<FullPod>, Option<Timestamp>) {
    let mut snapshot = situation(&podclique("demo-0-a").size(2, 2).build(), vec![]);
    snapshot.pod_group = facts;
    let plan = decide(&snapshot, now);
    let wake_at = plan.wake_at;
    let actions = plan.waves.into_iter().flatten();
    let pods = actions.filter_map(|action: Action| action.written::<FullPod>().cloned());
    (pods.collect(), wake_at)
}

#[test]
fn pods_are_made_as_they_are_placed() {
    let (pods, _) = created(fresh("demo-0", vec![]), after(100));
    assert_eq!(pods.len(), 2);
    let groups = pods
        .iter()
        .map(|p| p.spec.as_ref().unwrap().scheduling_group.as_ref());
    let groups: Vec<String> = groups
        .map(|g| g.unwrap().pod_group_name.clone().unwrap())
        .collect();
    assert_snapshot!(groups.join(" "), @"demo-0 demo-0");
    let (none, wake_at) = created(fresh("demo-0", vec![going(90)]), after(100));
    assert_eq!((none.len(), wake_at), (0, Some(after(150))));
    let (alone, _) = created(PodGroupFacts::Kept(None), after(100));
    assert!(
        alone
            .iter()
            .all(|p| p.spec.as_ref().unwrap().scheduling_group.is_none())
    );
}

/// Time is as the API server writes it.
#[test]
fn the_end_of_a_pod_group_is_read_from_it() {
    let caches = Caches::default();
    add_group(&caches, "demo-0", "demo-0");
    let found = caches.of::<PodGroup>().all().remove(0);
    let mut found = (*found).clone();
    found.metadata.deletion_timestamp = Some(Time(after(7)));
    found.metadata.resource_version = Some("2".into());
    caches.of::<PodGroup>().apply(found);
    let clique = clique("demo-0-a", 3, 3);
    assert_eq!(
        facts(&clique, None, &caches, Backend::Kubernetes),
        fresh("demo-0", vec![going(7)])
    );
}
