//! The resource claims of a group.

use std::sync::Arc;

use api::resources::{
    PcsgResourceSharing, ResourceClaimTemplateConfig, ResourceSharing, ResourceSharingScope,
};
use api::{PodCliqueSet, labels};
use domain::Claim;
use domain::object::ownership;
use domain::sharing::{ClaimFacts, TemplatesOfOtherNamespaces};
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliquescalinggroup::observe::observe;
use podcliquescalinggroup::{PodCliqueScalingGroupReconciler, Snapshot};
use testkit::builders::{after, stored};

use crate::situation::{complete, demo, group, plan, situation};

use ResourceSharingScope::{AllReplicas, PerReplica};

fn entry(name: &str, scope: ResourceSharingScope) -> PcsgResourceSharing {
    PcsgResourceSharing {
        sharing: ResourceSharing {
            name: name.into(),
            namespace: String::new(),
            scope,
        },
        filter: None,
    }
}

/// The group shares a pool in each replica, and a network among all.
fn sharing() -> PodCliqueSet {
    demo()
        .with(|s| {
            let template = &mut s.spec.template;
            template.resource_claim_templates = ["pool", "net"]
                .map(|name| ResourceClaimTemplateConfig {
                    name: name.into(),
                    template_spec: serde_json::from_value(serde_json::json!({
                        "spec": {"devices": {"requests": [{"name": "x"}]}},
                    }))
                    .unwrap(),
                })
                .into();
            template.scaling_groups[0].resource_sharing =
                vec![entry("pool", PerReplica), entry("net", AllReplicas)];
        })
        .build()
}

fn claim(set: &PodCliqueSet, name: &str) -> Arc<Claim> {
    let mut metadata = stored(name);
    let mut all = labels::default_labels("demo");
    all.insert(labels::COMPONENT.into(), "resource-claim".into());
    all.insert(labels::SCALING_GROUP.into(), "demo-0-g".into());
    if let Some(index) = name
        .strip_suffix("-pool")
        .and_then(|name| name.rsplit('-').next())
    {
        all.insert(labels::SCALING_GROUP_REPLICA_INDEX.into(), index.into());
    }
    metadata.labels = Some(all);
    metadata.owner_references = Some(vec![ownership::controller_reference(&group(set, 3))]);
    Arc::new(Claim { metadata })
}

fn with_claims(mut snapshot: Snapshot, set: &PodCliqueSet, names: &[&str]) -> Snapshot {
    let claims = names.iter().map(|name| claim(set, name));
    snapshot.own_claims = claims.clone().collect();
    snapshot.claims = ClaimFacts {
        is_served: true,
        found: claims
            .map(|claim| (claim.name().to_owned(), claim))
            .collect(),
        ..ClaimFacts::default()
    };
    snapshot
}

/// The writes about claims.
fn claim_writes(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let writes = plan.waves.iter().flatten().map(ToString::to_string);
    writes
        .filter(|write| write.contains("ResourceClaim"))
        .collect()
}

fn first_wave(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let first = plan.waves.first().into_iter().flatten();
    first.map(ToString::to_string).collect()
}

#[test]
fn claims_come_before_the_podcliques() {
    let set = sharing();
    let snapshot = with_claims(situation(&set, 2, vec![]), &set, &[]);
    assert_eq!(
        first_wave(&snapshot),
        [
            "create ResourceClaim demo-0-g-0-pool",
            "create ResourceClaim demo-0-g-1-pool",
            "create ResourceClaim demo-0-g-all-net",
        ]
    );
}

#[test]
fn the_configuration_says_whether_templates_of_other_namespaces_are_read() {
    let set = sharing();
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(set.clone());
    let rules = PodCliqueScalingGroupReconciler {
        templates_of_other_namespaces: TemplatesOfOtherNamespaces::Deny,
        ..PodCliqueScalingGroupReconciler::default()
    };
    let seen = observe(&Arc::new(group(&set, 2)), &caches, &rules).claims;
    assert_eq!(
        seen.templates_of_other_namespaces,
        TemplatesOfOtherNamespaces::Deny
    );
}

/// Whichever replica exists has its claims, and those of the others go once nothing of them is
/// left.
#[test]
fn claims_of_a_replica_that_was_scaled_in_go_last() {
    let set = sharing();
    let all = [
        "demo-0-g-0-pool",
        "demo-0-g-1-pool",
        "demo-0-g-2-pool",
        "demo-0-g-all-net",
    ];
    let mut three = complete(&set, 3);
    let kept = with_claims(situation(&set, 3, three.clone()), &set, &all);
    assert_eq!(claim_writes(&kept), Vec::<String>::new());
    for podclique in &mut three {
        if ownership::name(&podclique.metadata).starts_with("demo-0-g-2-") {
            podclique.metadata.deletion_timestamp = Some(Time(after(50)));
        }
    }
    let leaving = with_claims(situation(&set, 2, three), &set, &all);
    assert_eq!(claim_writes(&leaving), Vec::<String>::new());
    let gone = with_claims(situation(&set, 2, complete(&set, 2)), &set, &all);
    assert_eq!(
        claim_writes(&gone),
        ["delete ResourceClaim demo-0-g-2-pool: no pod uses it any more"]
    );
}

#[test]
fn deletion_takes_the_claims_after_the_podcliques() {
    let set = sharing();
    let deleted = |podcliques| {
        let mut snapshot = with_claims(situation(&set, 2, podcliques), &set, &["demo-0-g-all-net"]);
        let mut group = group(&set, 2);
        group.metadata.deletion_timestamp = Some(Time(after(50)));
        snapshot.group = Arc::new(group);
        snapshot
    };
    let first = first_wave(&deleted(complete(&set, 1)));
    assert!(
        first
            .iter()
            .all(|write| write.starts_with("delete PodClique ")),
        "{first:?}"
    );
    assert_eq!(
        first_wave(&deleted(vec![])),
        ["delete ResourceClaim demo-0-g-all-net at version 1: scaling group is deleted"]
    );
    let mut last = deleted(vec![]);
    last.own_claims = Vec::new();
    assert_eq!(
        first_wave(&last),
        ["finalizers PodCliqueScalingGroup demo-0-g []"]
    );
}
