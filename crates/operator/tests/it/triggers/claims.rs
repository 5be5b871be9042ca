//! A resource claim triggers its owner and the PodCliques whose pods may name it; a template the sets
//! that name it, and all that is below them.

use api::resources::{PcsResourceSharing, ResourceSharing, ResourceSharingScope};
use api::{LastError, PodCliqueStatus, codes};
use domain::object::pod::PodClaim;
use domain::{Claim, Node};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::*;

/// Set `demo` with two replicas of a router, and in replica 0 group `demo-0-g` of two workers; its
/// pods share a claim, which the first worker waits for.
fn caches() -> Caches {
    let caches = Caches::default();
    let mut demo = set("demo").build();
    demo.metadata.uid = Some("uid-demo".into());
    demo.spec.template.resource_sharing = vec![PcsResourceSharing {
        sharing: ResourceSharing {
            name: "gpu".into(),
            namespace: "shared".into(),
            scope: ResourceSharingScope::AllReplicas,
        },
        filter: None,
    }];
    caches.of::<PodCliqueSet>().apply(demo);
    caches.of::<PodCliqueSet>().apply(set("other").build());
    caches
        .of::<PodCliqueScalingGroup>()
        .apply(PodCliqueScalingGroup {
            metadata: labelled("demo-0-g", "PodCliqueSet", "demo"),
            ..PodCliqueScalingGroup::default()
        });
    let podcliques = [
        ("demo-0-r", "PodCliqueSet", "demo"),
        ("demo-1-r", "PodCliqueSet", "demo"),
        ("demo-0-g-0-w", "PodCliqueScalingGroup", "demo-0-g"),
        ("demo-0-g-1-w", "PodCliqueScalingGroup", "demo-0-g"),
    ];
    for (name, kind, owner) in podcliques {
        caches.of::<PodClique>().apply(PodClique {
            metadata: labelled(name, kind, owner),
            status: (name == "demo-0-g-0-w").then(waiting),
            ..PodClique::default()
        });
    }
    caches
}

fn waiting() -> PodCliqueStatus {
    PodCliqueStatus {
        last_errors: vec![LastError {
            code: codes::CLAIM_MISSING.to_owned(),
            description: String::new(),
            observed_at: Time(Timestamp::UNIX_EPOCH),
        }],
        ..PodCliqueStatus::default()
    }
}

fn claim(kind: &str, owner: &str, index: Option<(&str, &str)>) -> Claim {
    let mut metadata = meta("claim", kind, owner);
    let part_of = [(labels::PART_OF, "demo")];
    let all = part_of.into_iter().chain(index);
    metadata.labels = Some(all.map(|(key, value)| (key.into(), value.into())).collect());
    Claim { metadata }
}

/// Kind by kind, the names of the triggered objects.
fn triggered<K: Watched>(change: &Change<K>) -> Vec<String> {
    let found: BTreeSet<String> = triggered_by(change, &caches())
        .into_iter()
        .map(|(controller, key)| format!("{} {}", controller.0, key.name))
        .collect();
    found.into_iter().collect()
}

#[test]
fn a_claim_triggers_its_owner_and_the_podcliques_below() {
    assert_eq!(
        triggered(&gone(claim("PodCliqueSet", "demo", None))),
        [
            "podclique demo-0-g-0-w",
            "podclique demo-0-g-1-w",
            "podclique demo-0-r",
            "podclique demo-1-r",
            "podcliqueset demo",
        ]
    );
    let of_replica = Some((labels::PCS_REPLICA_INDEX, "1"));
    assert_eq!(
        triggered(&gone(claim("PodCliqueSet", "demo", of_replica))),
        ["podclique demo-1-r", "podcliqueset demo"]
    );
    let of_group_replica = Some((labels::SCALING_GROUP_REPLICA_INDEX, "1"));
    assert_eq!(
        triggered(&gone(claim(
            "PodCliqueScalingGroup",
            "demo-0-g",
            of_group_replica
        ))),
        ["podclique demo-0-g-1-w", "podcliquescalinggroup demo-0-g"]
    );
    assert_eq!(
        triggered(&gone(claim("PodClique", "demo-0-r", None))),
        ["podclique demo-0-r"]
    );
}

/// Its name is free, and nothing leads from it to those that wait for the name.
#[test]
fn the_end_of_a_claim_of_somebody_else_triggers_those_that_wait_and_their_owners() {
    let mut foreign = claim("", "", None);
    foreign.metadata.labels = None;
    foreign.metadata.owner_references = None;
    let appears = Change {
        old: None,
        new: Some(Arc::new(foreign.clone())),
    };
    assert_eq!(triggered(&appears), Vec::<String>::new());
    assert_eq!(
        triggered(&gone(foreign)),
        [
            "podclique demo-0-g-0-w",
            "podcliquescalinggroup demo-0-g",
            "podcliqueset demo",
        ]
    );
    let mut of_pod = claim("Pod", "p", None);
    of_pod.metadata.owner_references.as_mut().unwrap()[0].api_version = "v1".into();
    assert_eq!(triggered(&gone(of_pod)), Vec::<String>::new());
}

/// The pods that use it are in its status, which changes with each of them.
#[test]
fn a_claim_whose_owner_and_labels_stay_triggers_nothing() {
    let before = claim("PodCliqueSet", "demo", None);
    let mut after = before.clone();
    after.metadata.resource_version = Some("2".into());
    after.metadata.finalizers = Some(vec!["resource.kubernetes.io/delete-protection".into()]);
    let change = Change {
        old: Some(Arc::new(before)),
        new: Some(Arc::new(after)),
    };
    assert_eq!(triggered(&change), Vec::<String>::new());
}

#[test]
fn a_template_triggers_those_who_may_make_claims_of_it() {
    let template = |namespace: &str| ResourceClaimTemplate {
        metadata: ObjectMeta {
            name: Some("gpu".into()),
            namespace: Some(namespace.into()),
            ..ObjectMeta::default()
        },
        spec: None,
    };
    assert_eq!(
        triggered(&gone(template("shared"))),
        [
            "podclique demo-0-g-0-w",
            "podclique demo-0-g-1-w",
            "podclique demo-0-r",
            "podclique demo-1-r",
            "podcliquescalinggroup demo-0-g",
            "podcliqueset demo",
        ]
    );
    assert_eq!(triggered(&gone(template("default"))), Vec::<String>::new());
}

/// A pod of the second worker that hangs on node 1 and holds a claim, if it names one.
fn holder(names_claim: bool) -> Pod {
    let mut pod = Pod {
        metadata: labelled("demo-0-g-1-w-x", "PodClique", "demo-0-g-1-w"),
        ..Pod::default()
    };
    pod.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    pod.spec.node_name = Some("node-1".into());
    let claim = PodClaim {
        name: "gpu".into(),
        resource_claim_name: Some("demo-all-gpu".into()),
        resource_claim_template_name: None,
    };
    pod.spec.resource_claims = names_claim.then_some(claim).into_iter().collect();
    pod
}

/// The set and the group may replace the claim sooner, and a PodClique waits for it.
#[test]
fn a_lost_node_triggers_all_that_wait_for_claims_of_its_pods() {
    let mut node = Node::default();
    node.metadata.name = Some("node-1".into());
    node.status.is_ready = true;
    let lost = gone(node);
    let triggered_beside = |pod: Pod| {
        let caches = caches();
        caches.of::<Pod>().apply(pod);
        let found = triggered_by(&lost, &caches).into_iter();
        let found: BTreeSet<String> = found
            .map(|(c, key)| format!("{} {}", c.0, key.name))
            .collect();
        found.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(
        triggered_beside(holder(true)),
        [
            "podclique demo-0-g-0-w",
            "podclique demo-0-g-1-w",
            "podcliquescalinggroup demo-0-g",
            "podcliqueset demo",
        ]
    );
    let without = triggered_beside(holder(false));
    assert!(
        !without.contains(&"podclique demo-0-g-0-w".to_owned()),
        "{without:?}"
    );
    assert!(
        !without.contains(&"podcliquescalinggroup demo-0-g".to_owned()),
        "{without:?}"
    );
}

/// Kubernetes takes devices away from a pod that has ended, also from one that hangs in Terminating.
#[test]
fn the_end_of_a_holder_triggers_those_that_wait_for_its_claim() {
    let mut ended = holder(true);
    ended.metadata.resource_version = Some("2".into());
    ended.status.phase = Some("Failed".into());
    let ends = Change {
        old: Some(Arc::new(holder(true))),
        new: Some(Arc::new(ended.clone())),
    };
    let waiting = "podclique demo-0-g-0-w".to_owned();
    assert!(triggered(&ends).contains(&waiting));
    let mut same = ended.clone();
    same.metadata.resource_version = Some("3".into());
    let stays = Change {
        old: Some(Arc::new(ended)),
        new: Some(Arc::new(same)),
    };
    assert!(!triggered(&stays).contains(&waiting));
}
