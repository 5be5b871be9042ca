//! The ComputeDomains of a set.

mod configurations;
mod leaving;
mod ready;

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::nvidia::ComputeDomain;
use api::{PodClique, PodCliqueSet, labels};
use domain::Pod;
use domain::object::ownership;
use domain::object::pod::PodClaim;
use domain::plan::Action;
use domain::workload::clique::domain_of;
use engine::Caches;
use k8s_openapi::api::core::v1::PodSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::observe::observe;
use podcliqueset::{PodCliqueSetReconciler, Snapshot};
use serde_json::{Value, json};
use testkit::builders::{SetBuilder, after, pod, podclique};

use crate::situation::{alone, carry_out, demo, plan};

const RELEASED: &str = "no pod names its template any more: loses its finalizer";
const REMOVED: &str = "no pod joins it any more";

/// The frontend uses GPUs; the whole set is in group `rack`.
fn rack(replicas: i32) -> SetBuilder {
    demo().replicas(replicas).with(|s| {
        let group = (labels::MNNVL_GROUP.to_owned(), "rack".to_owned());
        s.metadata.annotations = Some([group].into());
        let spec: &mut PodSpec = &mut s.spec.template.cliques[0].spec.pod_spec;
        let resources = json!({"limits": {"nvidia.com/gpu": "8"}});
        spec.containers[0].resources = serde_json::from_value(resources).unwrap();
    })
}

fn enabled(mut snapshot: Snapshot) -> Snapshot {
    snapshot.domains.is_enabled = true;
    snapshot.domains.is_served = true;
    snapshot
}

/// The set after its first reconcile: its domains and standalone PodCliques exist.
fn begun(replicas: i32) -> Snapshot {
    let mut snapshot = enabled(alone(&rack(replicas).build()));
    let first = plan(&snapshot);
    carry_out(&mut snapshot, &first);
    snapshot
}

/// The writes about ComputeDomains.
fn writes(snapshot: &Snapshot) -> Vec<String> {
    let plan = plan(snapshot);
    let writes = plan.waves.iter().flatten().map(ToString::to_string);
    writes
        .filter(|write| write.contains("ComputeDomain"))
        .collect()
}

/// The operations of the only patch of a ComputeDomain.
fn operations(snapshot: &Snapshot) -> Value {
    let plan = plan(snapshot);
    let mut actions = plan.waves.iter().flatten();
    let found = actions.find_map(|action| match action {
        Action::Patch { patch, .. } if patch.target().kind.name() == "ComputeDomain" => {
            Some(patch.operations().to_vec())
        }
        _ => None,
    });
    json!(found.unwrap())
}

fn change(snapshot: &mut Snapshot, name: &str, change: impl Fn(&mut ComputeDomain)) {
    let mut found = snapshot.domains.found.iter_mut();
    let domain = found
        .find(|d| ownership::name(&d.metadata) == name)
        .unwrap();
    change(Arc::make_mut(domain));
}

fn release(domain: &mut ComputeDomain) {
    domain.metadata.finalizers = None;
}

fn end(domain: &mut ComputeDomain) {
    domain.metadata.deletion_timestamp = Some(Time(after(59)));
}

fn use_by(snapshot: &mut Snapshot, name: &str) {
    let users = &mut snapshot.domains.users;
    users.insert(name.into(), "demo-1-frontend-x1".into());
}

/// Replica 1 is scaled in, and its PodCliques are gone.
fn scaled_in() -> Snapshot {
    let mut snapshot = begun(2);
    snapshot.validated.set.spec.replicas = 1;
    assert_eq!(
        writes(&snapshot),
        Vec::<String>::new(),
        "PodCliques name it"
    );
    snapshot
        .podcliques
        .retain(|name, _| !name.starts_with("demo-1"));
    snapshot
}

#[test]
fn each_replica_gets_its_domain_before_its_podcliques() {
    let snapshot = enabled(alone(&rack(2).build()));
    assert_eq!(
        writes(&snapshot),
        [
            "create ComputeDomain demo-0-rack",
            "create ComputeDomain demo-1-rack",
        ]
    );
    let waves = plan(&snapshot).waves;
    let wave_of = |kind: &str| {
        let is_in = |wave: &Vec<Action>| wave.iter().any(|a| a.kind().name() == kind);
        waves.iter().position(is_in).unwrap()
    };
    assert!(wave_of("ComputeDomain") < wave_of("PodClique"));
    let mut made = waves.iter().flatten();
    let made = made.find_map(Action::written::<ComputeDomain>).unwrap();
    assert_eq!(
        serde_json::to_value(made).unwrap(),
        json!({
            "apiVersion": "resource.nvidia.com/v1beta1",
            "kind": "ComputeDomain",
            "metadata": {
                "name": "demo-0-rack",
                "namespace": "default",
                "labels": {
                    "app.kubernetes.io/managed-by": "grove-operator",
                    "app.kubernetes.io/part-of": "demo",
                    "app.kubernetes.io/name": "demo-0-rack",
                    "app.kubernetes.io/component": "pcs-computedomain",
                    "grove.io/podcliqueset-replica-index": "0",
                    "grove.io/mnnvl-group": "rack",
                },
                "finalizers": ["grove.io/computedomain-finalizer"],
                "ownerReferences": [ownership::controller_reference(&rack(2).build())],
            },
            "spec": {
                "numNodes": 0,
                "channel": {"resourceClaimTemplate": {"name": "demo-0-rack"}},
            },
        })
    );
    assert_eq!(writes(&begun(2)), Vec::<String>::new(), "it is made once");
}

/// The domain that pods of the new frontend join.
fn domain_of_frontend(snapshot: &Snapshot) -> Option<String> {
    let plan = plan(snapshot);
    let mut made = plan.waves.iter().flatten();
    let made = made.find_map(Action::written::<PodClique>).unwrap();
    assert_eq!(made.metadata.name.as_deref(), Some("demo-0-frontend"));
    domain_of("demo", &made.spec.pod_spec).map(str::to_owned)
}

#[test]
fn only_new_podcliques_join_and_only_if_the_configuration_says_so() {
    let new = alone(&rack(1).build());
    assert_eq!(domain_of_frontend(&new), None);
    assert_eq!(
        domain_of_frontend(&enabled(new.clone())).as_deref(),
        Some("demo-0-rack")
    );
    let mut running = new;
    let first = plan(&running);
    carry_out(&mut running, &first);
    let writes = plan(&enabled(running)).to_string();
    assert!(
        !writes.contains("replace PodClique demo-0-frontend"),
        "{writes}"
    );
}

#[test]
fn a_stored_set_says_that_they_are_disabled() {
    let condition = |snapshot: &Snapshot| {
        let status = plan(snapshot).status.unwrap();
        let type_ = ConditionType::SchedulingFeatureUnsupported;
        let found = conditions::find(&status.conditions, type_);
        found.map(|condition| condition.reason.clone())
    };
    let off = alone(&rack(1).build());
    assert_eq!(condition(&off).as_deref(), Some("ComputeDomainsOff"));
    assert_eq!(condition(&enabled(off)), None);
    assert_eq!(condition(&alone(&demo().build())), None);
}

#[test]
fn without_the_definition_none_is_made() {
    let mut snapshot = enabled(alone(&rack(1).build()));
    snapshot.domains.is_served = false;
    assert_eq!(writes(&snapshot), Vec::<String>::new());
}

#[test]
fn a_domain_loses_its_finalizer_and_then_goes_once_no_pod_names_it() {
    let mut snapshot = scaled_in();
    assert_eq!(
        writes(&snapshot),
        [format!("patch ComputeDomain demo-1-rack: {RELEASED}")]
    );
    assert_eq!(
        operations(&snapshot),
        json!([
            {"op": "test", "path": "/metadata/uid", "value": "uid-demo-1-rack"},
            {
                "op": "test", "path": "/metadata/finalizers/0",
                "value": "grove.io/computedomain-finalizer",
            },
            {"op": "remove", "path": "/metadata/finalizers/0"},
        ])
    );
    change(&mut snapshot, "demo-1-rack", release);
    assert_eq!(
        writes(&snapshot),
        [format!(
            "delete ComputeDomain demo-1-rack at version 1: {REMOVED}"
        )]
    );
    change(&mut snapshot, "demo-1-rack", end);
    assert_eq!(writes(&snapshot), Vec::<String>::new());
}

#[test]
fn a_domain_that_a_pod_may_name_stays() {
    let mut used = scaled_in();
    use_by(&mut used, "demo-1-rack");
    assert_eq!(writes(&used), Vec::<String>::new());
    let mut in_doubt = scaled_in();
    in_doubt.view.may_have_more_pods = true;
    assert_eq!(writes(&in_doubt), Vec::<String>::new());
    let mut outdated = scaled_in();
    outdated.view.is_outdated = true;
    assert_eq!(writes(&outdated), Vec::<String>::new());
}

/// Grove forgets them then.
#[test]
fn all_domains_go_with_the_last_replica() {
    let mut snapshot = begun(1);
    snapshot.validated.set.spec.replicas = 0;
    snapshot.podcliques.clear();
    assert_eq!(
        writes(&snapshot),
        [format!("patch ComputeDomain demo-0-rack: {RELEASED}")]
    );
}

#[test]
fn a_domain_without_an_owner_is_left_alone_until_somebody_deletes_it() {
    let mut snapshot = scaled_in();
    change(&mut snapshot, "demo-1-rack", |domain| {
        domain.metadata.owner_references = None;
    });
    assert_eq!(writes(&snapshot), Vec::<String>::new());
    // Nobody else would let it go.
    change(&mut snapshot, "demo-1-rack", end);
    assert_eq!(
        writes(&snapshot),
        [format!("patch ComputeDomain demo-1-rack: {RELEASED}")]
    );
}

#[test]
fn a_domain_is_adopted_and_gets_its_finalizer_and_labels_back() {
    let mut snapshot = begun(1);
    change(&mut snapshot, "demo-0-rack", |domain| {
        domain.metadata.owner_references = None;
        domain.metadata.finalizers = Some(vec!["resource.nvidia.com/x".into()]);
        let all = domain.metadata.labels.as_mut().unwrap();
        all.insert("grove.io/mnnvl-group".into(), "edited".into());
    });
    let plan = plan(&snapshot);
    let mut actions = plan.waves.iter().flatten();
    let patch = actions.find_map(|action| match action {
        Action::Merge { target, patch } if target.kind.name() == "ComputeDomain" => Some(patch),
        _ => None,
    });
    assert_eq!(
        *patch.unwrap(),
        json!({"metadata": {
            "ownerReferences": [ownership::controller_reference(&rack(1).build())],
            "finalizers": ["resource.nvidia.com/x", "grove.io/computedomain-finalizer"],
            "resourceVersion": "1",
            "labels": {"grove.io/mnnvl-group": "rack"},
        }})
    );
}

/// The pods that use it keep it; it is made again afterwards.
#[test]
fn a_domain_that_somebody_deletes_is_held_by_its_pods() {
    let mut snapshot = begun(1);
    change(&mut snapshot, "demo-0-rack", end);
    use_by(&mut snapshot, "demo-0-rack");
    assert_eq!(writes(&snapshot), Vec::<String>::new());
    let status = plan(&snapshot).status.unwrap();
    let error = &status.last_errors[0];
    assert_eq!(error.code, "ERR_COMPUTE_DOMAIN_DELETED");
    assert_eq!(
        error.description,
        "ComputeDomain demo-0-rack is being deleted and held by pod demo-1-frontend-x1: it goes, and \
         is made again, once no pod uses it; end the replica to free it"
    );
    snapshot.domains.users.clear();
    assert_eq!(
        writes(&snapshot),
        [format!("patch ComputeDomain demo-0-rack: {RELEASED}")]
    );
    snapshot.domains.found.clear();
    assert_eq!(writes(&snapshot), ["create ComputeDomain demo-0-rack"]);
}

fn observe_with(is_mnnvl_enabled: bool, set: PodCliqueSet, caches: &Caches) -> Snapshot {
    let rules = PodCliqueSetReconciler {
        is_mnnvl_enabled,
        ..PodCliqueSetReconciler::default()
    };
    observe(&Arc::new(set), caches, &rules)
}

/// Pods count by their set, also if their PodClique is gone.
#[test]
fn the_pods_of_a_domain_that_may_go_are_read() {
    let caches = Caches::default();
    for domain in begun(2).domains.found {
        caches
            .of::<ComputeDomain>()
            .apply(ComputeDomain::clone(&domain));
    }
    let user = pod(&podclique("demo-1-frontend").build(), 0).with(|pod| {
        pod.spec.resource_claims = vec![PodClaim {
            name: "mnnvl-claim".into(),
            resource_claim_name: None,
            resource_claim_template_name: Some("demo-1-rack".into()),
        }];
    });
    let user = user.build();
    caches.of::<Pod>().apply(Pod::clone(&user));
    let users = |replicas: i32| {
        let seen = observe_with(true, rack(replicas).build(), &caches);
        assert_eq!(seen.domains.found.len(), 2);
        seen.domains.users.into_iter().collect::<Vec<_>>()
    };
    assert!(users(2).is_empty(), "none may go");
    assert_eq!(
        users(1),
        [("demo-1-rack".to_owned(), user.name().to_owned())]
    );
    let mut done = Pod::clone(&user);
    done.metadata.resource_version = Some("2".into());
    done.status.phase = Some("Succeeded".into());
    caches.of::<Pod>().apply(done);
    assert!(users(1).is_empty(), "it has ended");
    let off = observe_with(false, rack(1).build(), &caches);
    assert!(off.domains.found.is_empty() && !off.domains.is_enabled);
}
