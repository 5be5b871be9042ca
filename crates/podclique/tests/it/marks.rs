//! The marks of a new pod.

use std::sync::Arc;

use api::podgang::PodGroup;
use api::{PodClique, PodGang, labels};
use domain::Pod;
use domain::scheduling::{Backend, Profiles};
use engine::Caches;
use podclique::PodCliqueReconciler;
use podclique::observe::observe;
use rstest::rstest;
use testkit::builders::{pod, podclique, set, stored};

const GANG: &str = "demo-0";

fn clique(name: &str, base: Option<&str>) -> PodClique {
    let mut made = PodClique::clone(&podclique(name).build());
    let all = made.metadata.labels.get_or_insert_default();
    all.insert(labels::POD_GANG.into(), GANG.into());
    if let Some(base) = base {
        all.insert(labels::POD_GANG.into(), "demo-0-g-0".into());
        all.insert(labels::BASE_POD_GANG.into(), base.into());
    }
    made
}

fn gang(caches: &Caches, set: &api::PodCliqueSet, parts: &[&PodClique]) {
    let mut gang = PodGang {
        metadata: stored(GANG),
        ..PodGang::default()
    };
    let owner = domain::object::ownership::controller_reference(set);
    gang.metadata.owner_references = Some(vec![owner]);
    let part = |part: &&PodClique| PodGroup {
        name: part.metadata.name.clone().unwrap(),
        ..PodGroup::default()
    };
    gang.spec.pod_groups = parts.iter().map(part).collect();
    caches.of::<PodGang>().apply(gang);
}

fn add(caches: &Caches, clique: &PodClique, is_marked: bool) {
    let mut made = (*pod(clique, 0).bound().build()).clone();
    if is_marked {
        let marks = [
            ("scheduling.k8s.io/group-name".to_owned(), GANG.to_owned()),
            (
                "scheduling.volcano.sh/group-name".to_owned(),
                GANG.to_owned(),
            ),
        ];
        made.metadata.annotations = Some(marks.into());
    }
    caches.of::<Pod>().apply(made);
}

fn backend_for(clique: &PodClique, caches: &Caches, configured: Backend) -> Backend {
    let set = set("demo").clique("a", |c| c).build();
    caches.of::<api::PodCliqueSet>().apply(set);
    let rules = PodCliqueReconciler {
        profiles: Arc::new(Profiles::of([("default-scheduler".to_owned(), configured)])),
        ..PodCliqueReconciler::default()
    };
    let seen = observe(&Arc::new(clique.clone()), caches, &rules);
    seen.scheduler.backend
}

/// The only pod of the leader is replaced: its workers were made before the profile.
#[rstest]
#[case::own_peer(true, false)]
#[case::peer_of_another_part(false, true)]
fn a_pod_bears_the_marks_of_the_pods_of_its_gang_that_stay(
    #[case] has_own: bool,
    #[case] has_other: bool,
    #[values(true, false)] is_marked: bool,
) {
    let caches = Caches::default();
    let set = set("demo").clique("a", |c| c).build();
    let (leader, worker) = (clique("demo-0-a", None), clique("demo-0-b", None));
    gang(&caches, &set, &[&leader, &worker]);
    caches.of::<PodClique>().apply(worker.clone());
    let (before, after) = if is_marked {
        (Backend::Volcano, Backend::DefaultScheduler)
    } else {
        (Backend::DefaultScheduler, Backend::Volcano)
    };
    assert_eq!(
        backend_for(&leader, &caches, after),
        after,
        "it starts again"
    );
    if has_own {
        add(&caches, &leader, is_marked);
    }
    if has_other {
        add(&caches, &worker, is_marked);
    }
    assert_eq!(backend_for(&leader, &caches, after), before);
}

#[test]
fn a_scaled_gang_that_starts_looks_at_its_base_gang() {
    let caches = Caches::default();
    let set = set("demo").clique("a", |c| c).build();
    let (base, scaled) = (clique("demo-0-a", None), clique("demo-0-g-1-w", Some(GANG)));
    gang(&caches, &set, &[&base]);
    caches.of::<PodClique>().apply(base.clone());
    assert_eq!(
        backend_for(&scaled, &caches, Backend::KaiTree),
        Backend::KaiTree
    );
    add(&caches, &base, false);
    assert_eq!(
        backend_for(&scaled, &caches, Backend::KaiTree),
        Backend::KaiScheduler
    );
}
