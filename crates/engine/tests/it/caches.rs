//! Queries of all caches at once.

use api::podcliqueset::ReplicaAttempt;
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, labels};
use domain::health::fence::{AttemptCause, begin_attempts};
use domain::object::ownership;
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use testkit::builders::{after, podclique, set, stored};

/// With a clique `a` and a group `g`, replica 0 terminated once.
fn terminating() -> PodCliqueSet {
    let cause = AttemptCause {
        reason: "GangTerminated".into(),
        message: "test".into(),
    };
    let attempts: Vec<ReplicaAttempt> = begin_attempts(&[], [(0, cause)], after(60));
    set("demo")
        .clique("a", |c| c)
        .clique("b", |c| c)
        .group("g", ["b"], |g| g)
        .with(|s| s.status.get_or_insert_default().replica_attempts = attempts)
        .build()
}

fn group(owner: Option<&PodCliqueSet>) -> PodCliqueScalingGroup {
    let owner = owner.map(|set| vec![ownership::controller_reference(set)]);
    PodCliqueScalingGroup {
        metadata: ObjectMeta {
            owner_references: owner,
            labels: Some(labels::default_labels("demo")),
            ..stored("demo-0-g")
        },
        ..PodCliqueScalingGroup::default()
    }
}

/// A PodClique of attempt 0 that this group controls.
fn grouped(group: &PodCliqueScalingGroup) -> PodClique {
    let owner = ownership::controller_reference(group);
    let clique = podclique("demo-0-g-0-b").with(|c| {
        c.metadata.owner_references = Some(vec![owner]);
    });
    (*clique.build()).clone()
}

fn standalone(is_orphan: bool) -> PodClique {
    let clique = podclique("demo-0-a").with(|c| {
        if is_orphan {
            c.metadata.owner_references = None;
        }
    });
    (*clique.build()).clone()
}

/// Neither the set nor its groups delete a PodClique that they do not control, so they do not wait
/// for it either.
#[test]
fn an_earlier_attempt_in_the_hands_of_the_set_holds_up_its_replica() {
    let set = terminating();
    let holds_up = |clique: PodClique, group: Option<PodCliqueScalingGroup>| {
        let caches = Caches::default();
        caches.of::<PodClique>().apply(clique);
        group.map(|g| caches.of::<PodCliqueScalingGroup>().apply(g));
        caches.has_previous(&set, 0)
    };
    let of_group = || grouped(&group(None));
    assert!(holds_up(standalone(false), None));
    assert!(!holds_up(standalone(true), None), "it has no controller");
    assert!(holds_up(of_group(), Some(group(Some(&set)))));
    assert!(
        !holds_up(of_group(), Some(group(None))),
        "its group is an orphan"
    );
    assert!(holds_up(of_group(), None), "it goes with its group");
    for clique in [standalone(false), of_group()] {
        let mut edited = clique;
        edited.metadata.labels = None;
        assert!(holds_up(edited, None), "its labels were edited");
    }
}
