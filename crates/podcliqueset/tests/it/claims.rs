//! The resource claims of a set.

use std::sync::Arc;

use api::labels;
use api::podcliqueset::PodCliqueSetPhase;
use api::resources::{
    PcsResourceSharing, ResourceClaimTemplateConfig, ResourceSharing, ResourceSharingScope,
};
use domain::Claim;
use domain::object::ownership;
use domain::sharing::{ClaimFacts, TemplatesOfOtherNamespaces};
use engine::Caches;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::observe::observe;
use podcliqueset::{PodCliqueSetReconciler, Snapshot};
use testkit::builders::{SetBuilder, after, stored};

use crate::situation::{alone, demo, laid_out, plan};

use ResourceSharingScope::{AllReplicas, PerReplica};

fn entry(name: &str, scope: ResourceSharingScope) -> PcsResourceSharing {
    PcsResourceSharing {
        sharing: ResourceSharing {
            name: name.into(),
            namespace: String::new(),
            scope,
        },
        filter: None,
    }
}

/// All replicas share a network, and each of them has a pool.
fn sharing(replicas: i32) -> SetBuilder {
    demo().replicas(replicas).with(|s| {
        let template = &mut s.spec.template;
        let spec = serde_json::json!({"spec": {"devices": {"requests": [{"name": "x"}]}}});
        template.resource_claim_templates = ["net", "pool"]
            .map(|name| ResourceClaimTemplateConfig {
                name: name.into(),
                template_spec: serde_json::from_value(spec.clone()).unwrap(),
            })
            .into();
        template.resource_sharing = vec![entry("net", AllReplicas), entry("pool", PerReplica)];
    })
}

fn claim(name: &str) -> Arc<Claim> {
    let mut metadata = stored(name);
    let mut all = labels::default_labels("demo");
    all.insert(labels::COMPONENT.into(), "resource-claim".into());
    if let Some(index) = name
        .strip_suffix("-pool")
        .and_then(|name| name.rsplit('-').next())
    {
        all.insert(labels::PCS_REPLICA_INDEX.into(), index.into());
    }
    metadata.labels = Some(all);
    metadata.owner_references = Some(vec![ownership::controller_reference(&sharing(1).build())]);
    Arc::new(Claim { metadata })
}

fn with_claims(mut snapshot: Snapshot, names: &[&str]) -> Snapshot {
    let claims = names.iter().map(|name| claim(name));
    snapshot.children.claims = claims.clone().collect();
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
fn writes(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let writes = plan.waves.iter().flatten().map(ToString::to_string);
    writes
        .filter(|write| write.contains("ResourceClaim"))
        .collect()
}

#[test]
fn claims_are_made_for_all_replicas_and_before_the_podcliques() {
    let snapshot = with_claims(alone(&sharing(2).build()), &[]);
    assert_eq!(
        writes(&snapshot),
        [
            "create ResourceClaim demo-all-net",
            "create ResourceClaim demo-0-pool",
            "create ResourceClaim demo-1-pool",
        ]
    );
    let waves = plan(&snapshot).waves;
    let wave_of = |kind: &str| {
        let is_in = |wave: &Vec<domain::plan::Action>| wave.iter().any(|a| a.kind().name() == kind);
        waves.iter().position(is_in).unwrap()
    };
    assert!(wave_of("ResourceClaim") < wave_of("PodCliqueScalingGroup"));
}

#[test]
fn the_configuration_says_whether_templates_of_other_namespaces_are_read() {
    let set = Arc::new(sharing(1).build());
    let rules = PodCliqueSetReconciler {
        templates_of_other_namespaces: TemplatesOfOtherNamespaces::Deny,
        ..PodCliqueSetReconciler::default()
    };
    let seen = observe(&set, &Caches::default(), &rules).claims;
    assert_eq!(
        seen.templates_of_other_namespaces,
        TemplatesOfOtherNamespaces::Deny
    );
}

#[test]
fn a_set_without_entries_asks_for_nothing() {
    assert_eq!(writes(&alone(&demo().build())), Vec::<String>::new());
}

#[test]
fn claims_of_a_replica_that_was_scaled_in_stay_until_it_is_gone() {
    let all = ["demo-all-net", "demo-0-pool", "demo-1-pool"];
    let mut two = laid_out(&sharing(2).build());
    two.validated.set.spec.replicas = 1;
    assert_eq!(writes(&with_claims(two, &all)), Vec::<String>::new());
    let one = laid_out(&sharing(1).build());
    assert_eq!(
        writes(&with_claims(one, &all)),
        ["delete ResourceClaim demo-1-pool: no pod uses it any more"]
    );
}

/// The pod that held the replaced one ended after the job.
#[test]
fn a_job_that_is_over_loses_claims_that_others_replaced() {
    let all = ["demo-all-net", "demo-0-pool", "demo-0-pool.1"];
    let mut over = laid_out(&sharing(1).build());
    let status = &mut Arc::make_mut(&mut over.stored).status;
    status.get_or_insert_default().phase = Some(PodCliqueSetPhase::Failed);
    let removed: Vec<String> = writes(&with_claims(over, &all))
        .into_iter()
        .filter(|write| write.starts_with("delete ResourceClaim demo-0-pool"))
        .collect();
    assert_eq!(removed.len(), 1, "{removed:?}");
}

/// The claims go last, and one that a pod holds does not hold the set.
#[test]
fn deletion_takes_the_claims_after_everything_else() {
    let going = |mut snapshot: Snapshot| {
        let meta = &mut Arc::make_mut(&mut snapshot.stored).metadata;
        meta.deletion_timestamp = Some(Time(after(59)));
        snapshot
    };
    let whole = going(with_claims(
        laid_out(&sharing(1).build()),
        &["demo-all-net"],
    ));
    assert_eq!(writes(&whole), Vec::<String>::new());
    let mut rest = going(with_claims(alone(&sharing(1).build()), &["demo-all-net"]));
    assert_eq!(
        writes(&rest),
        ["delete ResourceClaim demo-all-net at version 1: PodCliqueSet is deleted"]
    );
    let mut held = Claim::clone(&rest.children.claims[0]);
    held.metadata.deletion_timestamp = Some(Time(after(60)));
    rest.children.claims = vec![Arc::new(held)];
    let last = plan(&rest).to_string();
    assert!(last.contains("finalizers PodCliqueSet demo []"), "{last}");
}

/// A PodClique without its owner reference stays with the user, so the claims do not wait for its end:
/// Kubernetes keeps a claim that is being deleted until its pods are gone.
#[test]
fn deletion_does_not_wait_for_podcliques_that_are_not_the_sets() {
    let mut snapshot = with_claims(alone(&sharing(1).build()), &["demo-all-net"]);
    let meta = &mut Arc::make_mut(&mut snapshot.stored).metadata;
    meta.deletion_timestamp = Some(Time(after(59)));
    let mut left = laid_out(&sharing(1).build());
    left.podcliques.retain(|name, _| name == "demo-0-frontend");
    snapshot.podcliques = left.podcliques;
    assert_eq!(writes(&snapshot), Vec::<String>::new());
    for clique in snapshot.podcliques.values_mut() {
        Arc::make_mut(&mut clique.podclique)
            .metadata
            .owner_references = None;
    }
    assert_eq!(
        writes(&snapshot),
        ["delete ResourceClaim demo-all-net at version 1: PodCliqueSet is deleted"]
    );
}
