//! Pods come after their ComputeDomain and after the template that NVIDIA's driver makes from it.

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::nvidia::{ComputeDomain, ComputeDomainStatus};
use api::{PodClique, PodCliqueSet, labels};
use domain::Pod;
use domain::object::ownership;
use domain::workload::clique::join_domain;
use engine::Caches;
use k8s_openapi::api::core::v1::{Pod as FullPod, PodSpec};
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{OwnerReference, Time};
use podclique::PodCliqueReconciler;
use podclique::decide::decide;
use podclique::observe::observe;
use rstest::rstest;
use serde_json::json;
use testkit::builders::{after, pod, podclique, set, stored};

use crate::situation::now;

const NAME: &str = "demo-0-rack";

fn demo() -> PodCliqueSet {
    set("demo")
        .clique("worker", |c| {
            c.with(|c| {
                let group = (labels::MNNVL_GROUP.to_owned(), "rack".to_owned());
                c.annotations.extend([group]);
                let spec: &mut PodSpec = &mut c.spec.pod_spec;
                let resources = json!({"limits": {"nvidia.com/gpu": "8"}});
                spec.containers[0].resources = serde_json::from_value(resources).unwrap();
            })
        })
        .build()
}

/// The worker; its pods join the domain.
fn worker() -> Arc<PodClique> {
    let demo = demo();
    let clique = &demo.spec.template.cliques[0];
    let built = podclique("demo-0-worker").with(|c| {
        c.spec.pod_spec = clique.spec.pod_spec.clone();
        join_domain(c, &demo, clique, 0);
    });
    built.build()
}

fn domain() -> ComputeDomain {
    let mut domain = ComputeDomain {
        metadata: stored(NAME),
        ..ComputeDomain::default()
    };
    let meta = &mut domain.metadata;
    meta.labels = Some(labels::default_labels("demo"));
    meta.finalizers = Some(vec![labels::COMPUTE_DOMAIN_FINALIZER.to_owned()]);
    meta.owner_references = Some(vec![ownership::controller_reference(&demo())]);
    domain
}

fn template() -> ResourceClaimTemplate {
    ResourceClaimTemplate {
        metadata: stored(NAME),
        spec: None,
    }
}

/// A cluster with the set and the PodClique, and these objects.
fn caches(domain: Option<ComputeDomain>, template: Option<ResourceClaimTemplate>) -> Caches {
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(demo());
    caches.of::<PodClique>().apply(PodClique::clone(&worker()));
    if let Some(domain) = domain {
        caches.of::<ComputeDomain>().apply(domain);
    }
    if let Some(template) = template {
        caches.of::<ResourceClaimTemplate>().apply(template);
    }
    caches
}

/// The number of new pods, and the reason for which they wait.
fn made(caches: &Caches, is_mnnvl_enabled: bool) -> (usize, Option<String>) {
    let rules = PodCliqueReconciler {
        is_mnnvl_enabled,
        ..PodCliqueReconciler::default()
    };
    let plan = decide(&observe(&worker(), caches, &rules), now());
    let actions = plan.waves.iter().flatten();
    let pods = actions.filter_map(|action| action.written::<FullPod>());
    let errors = plan.status.unwrap().last_errors;
    let error = errors.first().map(|error| {
        assert_eq!(error.code, "ERR_CLAIM_MISSING");
        error.description.clone()
    });
    (pods.count(), error)
}

const AWAITED: &str = "ResourceClaimTemplate demo-0-rack is not there yet: the NVIDIA DRA driver makes \
                       it from ComputeDomain demo-0-rack";
const GOING: &str = "ComputeDomain demo-0-rack is being deleted: it is made again once no pod uses it; \
                     end the replica to free it";
const FOREIGN: &str = "ComputeDomain demo-0-rack does not exist yet: one of that name belongs to \
                       PodCliqueSet other";

fn going() -> ComputeDomain {
    let mut going = domain();
    going.metadata.deletion_timestamp = Some(Time(after(59)));
    going
}

fn foreign() -> ComputeDomain {
    let mut foreign = domain();
    foreign.metadata.owner_references = Some(vec![OwnerReference {
        name: "other".into(),
        uid: "uid-other".into(),
        ..ownership::controller_reference(&demo())
    }]);
    foreign
}

/// Its set is about to restore the finalizer, without which it may go under its pods.
fn unheld() -> ComputeDomain {
    let mut unheld = domain();
    unheld.metadata.finalizers = None;
    unheld
}

fn ownerless() -> ComputeDomain {
    let mut ownerless = domain();
    ownerless.metadata.owner_references = None;
    ownerless
}

fn going_template() -> ResourceClaimTemplate {
    let mut going = template();
    going.metadata.deletion_timestamp = Some(Time(after(59)));
    going
}

#[rstest]
#[case::both(Some(domain()), Some(template()), 1, None)]
#[case::nothing_yet(None, None, 0, None)]
#[case::template_alone(None, Some(template()), 0, None)]
#[case::domain_alone(Some(domain()), None, 0, Some(AWAITED))]
#[case::template_goes(Some(domain()), Some(going_template()), 0, Some(AWAITED))]
#[case::domain_goes(Some(going()), Some(template()), 0, Some(GOING))]
#[case::foreign(Some(foreign()), Some(template()), 0, Some(FOREIGN))]
#[case::unheld(Some(unheld()), Some(template()), 0, None)]
#[case::ownerless(Some(ownerless()), Some(template()), 0, None)]
fn pods_wait_for_domain_and_template(
    #[case] domain: Option<ComputeDomain>,
    #[case] template: Option<ResourceClaimTemplate>,
    #[case] pods: usize,
    #[case] reason: Option<&str>,
) {
    let (made, told) = made(&caches(domain, template), true);
    assert_eq!((made, told.as_deref()), (pods, reason));
}

/// An operator that does not watch ComputeDomains goes by the template.
#[test]
fn where_they_are_disabled_the_template_counts() {
    assert_eq!(made(&caches(None, Some(template())), false), (1, None));
    let (pods, told) = made(&caches(None, None), false);
    assert_eq!((pods, told.as_deref()), (0, Some(AWAITED)));
}

#[test]
fn the_pod_names_the_template() {
    let rules = PodCliqueReconciler {
        is_mnnvl_enabled: true,
        ..PodCliqueReconciler::default()
    };
    let caches = caches(Some(domain()), Some(template()));
    let plan = decide(&observe(&worker(), &caches, &rules), now());
    let mut actions = plan.waves.iter().flatten();
    let made = actions
        .find_map(|action| action.written::<FullPod>())
        .unwrap();
    let spec = serde_json::to_value(made.spec.as_ref().unwrap()).unwrap();
    assert_eq!(
        spec["resourceClaims"],
        json!([{"name": "mnnvl-claim", "resourceClaimTemplateName": NAME}])
    );
}

/// Containers may wait for the other nodes of the domain.
#[test]
fn ready_names_a_domain_that_is_not_ready() {
    let message = |status: &str| {
        let mut domain = domain();
        domain.status = Some(ComputeDomainStatus {
            status: status.into(),
            nodes: vec![],
        });
        let caches = caches(Some(domain), Some(template()));
        let running = pod(&worker(), 0).bound().build();
        caches.of::<Pod>().apply(Pod::clone(&running));
        let rules = PodCliqueReconciler {
            is_mnnvl_enabled: true,
            ..PodCliqueReconciler::default()
        };
        let plan = decide(&observe(&worker(), &caches, &rules), now());
        let conditions = plan.status.unwrap().conditions;
        let ready = conditions::find(&conditions, ConditionType::Ready);
        ready.unwrap().message.clone()
    };
    let waiting = message("NotReady");
    let suffix = "; ComputeDomain demo-0-rack is NotReady";
    assert!(waiting.ends_with(suffix), "{waiting}");
    assert!(!message("Ready").contains("ComputeDomain"));
}
