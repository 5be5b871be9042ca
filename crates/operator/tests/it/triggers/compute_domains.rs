//! A ComputeDomain triggers its set and the PodCliques whose pods join it; its template the PodCliques.

use api::nvidia::{ComputeDomain, ComputeDomainStatus};
use k8s_openapi::api::core::v1::{PodResourceClaim, PodSpec};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;

use super::*;

/// Set `demo` with a worker in each of two replicas, which joins its domain, and a router.
fn caches() -> Caches {
    let caches = Caches::default();
    let mut demo = set("demo").build();
    demo.metadata.uid = Some("uid-demo".into());
    caches.of::<PodCliqueSet>().apply(demo);
    caches.of::<PodCliqueSet>().apply(set("other").build());
    let podcliques = [
        ("demo-0-router", None),
        ("demo-0-worker", Some("demo-0-rack")),
        ("demo-1-worker", Some("demo-1-rack")),
    ];
    for (name, domain) in podcliques {
        let mut podclique = PodClique {
            metadata: labelled(name, "PodCliqueSet", "demo"),
            ..PodClique::default()
        };
        let spec: &mut PodSpec = &mut podclique.spec.pod_spec;
        let claim = domain.map(|domain| PodResourceClaim {
            name: "mnnvl-claim".into(),
            resource_claim_name: None,
            resource_claim_template_name: Some(domain.into()),
        });
        spec.resource_claims = claim.map(|claim| vec![claim]);
        caches.of::<PodClique>().apply(podclique);
    }
    caches
}

fn domain(status: &str) -> ComputeDomain {
    ComputeDomain {
        metadata: labelled("demo-1-rack", "PodCliqueSet", "demo"),
        status: Some(ComputeDomainStatus {
            status: status.into(),
            nodes: vec![],
        }),
        ..ComputeDomain::default()
    }
}

fn template() -> ResourceClaimTemplate {
    ResourceClaimTemplate {
        metadata: ObjectMeta {
            name: Some("demo-1-rack".into()),
            namespace: Some("default".into()),
            ..ObjectMeta::default()
        },
        spec: None,
    }
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
fn a_domain_triggers_its_set_and_the_podcliques_that_join_it() {
    let expected = ["podclique demo-1-worker", "podcliqueset demo"];
    assert_eq!(triggered(&gone(domain("Ready"))), expected);
    let change = Change {
        old: Some(Arc::new(domain("NotReady"))),
        new: Some(Arc::new(domain("Ready"))),
    };
    assert_eq!(triggered(&change), expected);
}

/// The driver notes more than the operator reads.
#[test]
fn a_domain_that_says_the_same_triggers_nothing() {
    let mut after = domain("Ready");
    after.metadata.resource_version = Some("2".into());
    let change = Change {
        old: Some(Arc::new(domain("Ready"))),
        new: Some(Arc::new(after)),
    };
    assert_eq!(triggered(&change), Vec::<String>::new());
}

#[test]
fn a_template_triggers_the_podcliques_that_wait_for_it() {
    let expected = ["podclique demo-1-worker"];
    assert_eq!(triggered(&gone(template())), expected);
    let made = Change {
        old: None,
        new: Some(Arc::new(template())),
    };
    assert_eq!(triggered(&made), expected);
    let edited = Change {
        old: Some(Arc::new(template())),
        new: Some(Arc::new(template())),
    };
    assert_eq!(triggered(&edited), Vec::<String>::new());
}
