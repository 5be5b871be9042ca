//! Resource claims: a PodClique makes its own, and its pods come after all that they name.

mod waits;

use std::sync::Arc;

use api::conditions::{self, ConditionType};
use api::resources::{
    PcsResourceSharing, PcsgResourceSharing, ResourceSharing, ResourceSharingScope,
};
use api::{PodClique, PodCliqueScalingGroup, PodCliqueSet, labels};
use domain::object::ownership;
use domain::object::pod::PodClaim;
use domain::sharing::TemplatesOfOtherNamespaces;
use domain::{Claim, Pod};
use engine::Caches;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod as FullPod;
use k8s_openapi::api::resource::v1::ResourceClaimTemplate;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{OwnerReference, Time};
use podclique::decide::decide;
use podclique::observe::observe;
use podclique::{PodCliqueReconciler, Snapshot};
use serde_json::json;
use testkit::builders::{after, pod, podclique, set, stored};

use crate::situation::now;

use ResourceSharingScope::{AllReplicas, PerReplica};

fn entry(name: &str, scope: ResourceSharingScope) -> ResourceSharing {
    ResourceSharing {
        name: name.into(),
        namespace: "shared".into(),
        scope,
    }
}

/// Workers share a claim of the set; each of them has one of its own.
fn demo() -> PodCliqueSet {
    set("demo")
        .clique("worker", |c| {
            c.replicas(2).with(|c| {
                c.resource_sharing = vec![entry("own", PerReplica)];
            })
        })
        .with(|s| {
            let sharing = entry("pool", AllReplicas);
            s.spec.template.resource_sharing = vec![PcsResourceSharing {
                sharing,
                filter: None,
            }];
        })
        .build()
}

fn worker() -> Arc<PodClique> {
    podclique("demo-0-worker").size(2, 2).build()
}

/// The caches of a cluster with the set, the PodClique, and both templates.
fn caches() -> Caches {
    let caches = Caches::default();
    caches.of::<PodCliqueSet>().apply(demo());
    caches.of::<PodClique>().apply(PodClique::clone(&worker()));
    for name in ["pool", "own"] {
        let template = json!({
            "metadata": {"namespace": "shared", "name": name, "uid": name, "resourceVersion": "1"},
            "spec": {"spec": {"devices": {"requests": [{"name": "gpu"}]}}},
        });
        let template: ResourceClaimTemplate = serde_json::from_value(template).unwrap();
        caches.of::<ResourceClaimTemplate>().apply(template);
    }
    caches
}

fn add(caches: &Caches, name: &str, owner: OwnerReference) {
    add_deleted(caches, name, owner, None);
}

fn add_deleted(caches: &Caches, name: &str, owner: OwnerReference, deleted: Option<Timestamp>) {
    let mut metadata = stored(name);
    let mut all = labels::default_labels("demo");
    all.insert(labels::COMPONENT.into(), "resource-claim".into());
    if owner.kind == "PodClique" {
        all.insert(labels::POD_CLIQUE.into(), owner.name.clone());
        let index = name.trim_end_matches("-own").rsplit('-').next().unwrap();
        all.insert(labels::POD_INDEX.into(), index.into());
    }
    metadata.labels = Some(all);
    metadata.owner_references = Some(vec![owner]);
    if deleted.is_some() {
        metadata.resource_version = Some("2".into());
    }
    metadata.deletion_timestamp = deleted.map(Time);
    caches.of::<Claim>().apply(Claim { metadata });
}

fn of_set() -> OwnerReference {
    ownership::controller_reference(&demo())
}

fn of_clique() -> OwnerReference {
    ownership::controller_reference(&*worker())
}

/// The pod of an index with the claims that it names.
fn user(index: i32, claims: &[&str]) -> Pod {
    let named = claims.iter().map(|claim| PodClaim {
        name: (*claim).to_owned(),
        resource_claim_name: Some((*claim).to_owned()),
        resource_claim_template_name: None,
    });
    let named = named.collect();
    let built = pod(&worker(), index)
        .ready()
        .with(|pod| pod.spec.resource_claims = named)
        .build();
    Pod::clone(&built)
}

fn seen(caches: &Caches) -> Snapshot {
    observe(&worker(), caches, &PodCliqueReconciler::default())
}

/// The writes, without corrections of pods.
fn writes(snapshot: &Snapshot) -> Vec<String> {
    let plan = decide(snapshot, now());
    let writes = plan.waves.iter().flatten();
    writes
        .map(ToString::to_string)
        .filter(|write| !write.starts_with("patch Pod "))
        .collect()
}

fn waits_for(snapshot: &Snapshot) -> String {
    let status = decide(snapshot, now()).status.unwrap();
    let errors = status.last_errors.iter();
    let texts: Vec<String> = errors
        .map(|error| format!("{}: {}", error.code, error.description))
        .collect();
    texts.join("\n")
}

#[test]
fn its_own_claims_come_first_and_its_pods_once_all_are_there() {
    let caches = caches();
    let first = seen(&caches);
    assert_eq!(
        writes(&first),
        [
            "create ResourceClaim demo-0-worker-0-own",
            "create ResourceClaim demo-0-worker-1-own",
        ]
    );
    assert_eq!(waits_for(&first), "", "they come by themselves");
    add(&caches, "demo-all-pool", of_set());
    add(&caches, "demo-0-worker-1-own", of_clique());
    let second = seen(&caches);
    let made = writes(&second);
    assert_eq!(made.len(), 2, "{made:?}");
    assert_eq!(made[0], "create ResourceClaim demo-0-worker-0-own");
    assert!(made[1].starts_with("create Pod demo-0-worker-"), "{made:?}");
    add(&caches, "demo-0-worker-0-own", of_clique());
    let whole = decide(&seen(&caches), now());
    assert_eq!(whole.status.unwrap().last_errors, []);
    let pods = whole.waves.iter().flatten();
    let pods: Vec<&FullPod> = pods.filter_map(|action| action.written()).collect();
    let claims: Vec<_> = pods
        .iter()
        .map(|pod| json!(pod.spec.as_ref().unwrap().resource_claims))
        .collect();
    let named = |name: &str| json!({"name": name, "resourceClaimName": name});
    let of_index = |k: i32| {
        json!([
            named("demo-all-pool"),
            named(&format!("demo-0-worker-{k}-own"))
        ])
    };
    assert_eq!(claims, [of_index(0), of_index(1)]);
    let used = &pods[0].spec.as_ref().unwrap().containers[0].resources;
    assert_eq!(
        json!(used),
        json!({"claims": [{"name": "demo-all-pool"}, {"name": "demo-0-worker-0-own"}]})
    );
}

/// Condition `Ready` names the cause, and the template in its namespace.
#[test]
fn a_missing_template_is_named() {
    let caches = caches();
    let template = stored("own");
    let gone = k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
        namespace: Some("shared".into()),
        uid: Some("own".into()),
        resource_version: Some("9".into()),
        ..template
    };
    caches.of::<ResourceClaimTemplate>().delete(&gone);
    add(&caches, "demo-all-pool", of_set());
    let text = "claim demo-0-worker-0-own does not exist yet: ResourceClaimTemplate shared/own is \
                missing";
    let snapshot = seen(&caches);
    assert_eq!(writes(&snapshot), Vec::<String>::new());
    assert_eq!(waits_for(&snapshot), format!("ERR_CLAIM_MISSING: {text}"));
    // The next decision sees the stored error, as the set does.
    let mut stored = PodClique::clone(&worker());
    stored.status = decide(&snapshot, now()).status;
    let again = observe(&Arc::new(stored), &caches, &PodCliqueReconciler::default());
    let status = decide(&again, now()).status.unwrap();
    let ready = conditions::find(&status.conditions, ConditionType::Ready).unwrap();
    assert_eq!((&*ready.status, &*ready.reason), ("False", "ClaimMissing"));
    assert_eq!(ready.message, format!("0/2 pods created: {text}"));
}

/// The template is there, and is not read.
#[test]
fn a_template_of_another_namespace_makes_no_claims_if_it_must_not_be_read() {
    let caches = caches();
    add(&caches, "demo-all-pool", of_set());
    let rules = PodCliqueReconciler {
        templates_of_other_namespaces: TemplatesOfOtherNamespaces::Deny,
        ..PodCliqueReconciler::default()
    };
    let snapshot = observe(&worker(), &caches, &rules);
    assert_eq!(writes(&snapshot), Vec::<String>::new());
    let said = waits_for(&snapshot);
    let words = "ERR_CLAIM_MISSING: claim demo-0-worker-0-own is not created: templates of other \
                 namespaces are not read here, such as ResourceClaimTemplate shared/own; ";
    assert!(said.starts_with(words), "{said}");
}

/// A claim of the PodClique that had this name goes with it, and the pods wait for its end.
#[test]
fn claims_of_an_earlier_podclique_are_waited_for() {
    let caches = caches();
    add(&caches, "demo-all-pool", of_set());
    add(&caches, "demo-0-worker-1-own", of_clique());
    let mut earlier = of_clique();
    earlier.uid = "uid-of-the-earlier-one".into();
    add_deleted(&caches, "demo-0-worker-0-own", earlier, Some(after(30)));
    let snapshot = seen(&caches);
    let made = writes(&snapshot);
    assert_eq!(made.len(), 1, "{made:?}");
    assert!(made[0].starts_with("create Pod demo-0-worker-"), "{made:?}");
    assert_eq!(waits_for(&snapshot), "", "its end is near");
    let mut holder = user(0, &["demo-0-worker-0-own"]);
    holder.metadata.deletion_timestamp = Some(Time(after(30)));
    holder.metadata.owner_references = None;
    holder
        .metadata
        .labels
        .as_mut()
        .unwrap()
        .remove(labels::POD_CLIQUE);
    caches.of::<Pod>().apply(holder);
    assert_eq!(
        waits_for(&seen(&caches)),
        "ERR_CLAIM_MISSING: claim demo-0-worker-0-own does not exist yet: an earlier one is being \
         deleted, held by pod demo-0-worker-p0"
    );
}

/// Pod 0 is lost, and the next claim of its index has lost its owner reference: it exists all the same.
#[test]
fn a_claim_with_a_number_is_adopted_and_not_made_again() {
    let caches = caches();
    add(&caches, "demo-all-pool", of_set());
    for name in ["demo-0-worker-0-own", "demo-0-worker-1-own"] {
        add(&caches, name, of_clique());
    }
    let mut lost = user(0, &["demo-0-worker-0-own"]);
    lost.metadata.deletion_timestamp = Some(Time(after(-3600)));
    caches.of::<Pod>().apply(lost);
    let mut left = stored("demo-0-worker-0-own.1");
    left.labels = Some(labels::default_labels("demo"));
    caches.of::<Claim>().apply(Claim { metadata: left });
    let made = writes(&seen(&caches));
    let of_next = |verb: &str| {
        let start = format!("{verb} ResourceClaim demo-0-worker-0-own.1");
        made.iter().any(|write| write.starts_with(&start))
    };
    assert!(of_next("merge") && !of_next("create"), "{made:?}");
}

/// The claim of an index stays as long as its pod does, though the PodClique was scaled in.
#[test]
fn scale_in_removes_claims_after_their_pods() {
    let caches = caches();
    add(&caches, "demo-all-pool", of_set());
    for name in [
        "demo-0-worker-0-own",
        "demo-0-worker-1-own",
        "demo-0-worker-7-own",
    ] {
        add(&caches, name, of_clique());
    }
    caches
        .of::<Pod>()
        .apply(user(0, &["demo-all-pool", "demo-0-worker-0-own"]));
    caches
        .of::<Pod>()
        .apply(user(1, &["demo-all-pool", "demo-0-worker-1-own"]));
    let mut ending = user(7, &["demo-all-pool", "demo-0-worker-7-own"]);
    ending.metadata.deletion_timestamp = Some(Time(after(55)));
    ending.metadata.deletion_grace_period_seconds = Some(0);
    caches.of::<Pod>().apply(ending.clone());
    assert_eq!(writes(&seen(&caches)), Vec::<String>::new());
    ending.metadata.resource_version = Some("9".into());
    caches.of::<Pod>().delete(&ending.metadata);
    assert_eq!(
        writes(&seen(&caches)),
        ["delete ResourceClaim demo-0-worker-7-own: no pod uses it any more"]
    );
}

/// Without the pods of its claims, and without waiting for the claims: a pod that hangs may hold
/// one.
#[test]
fn deletion_takes_the_claims_after_the_pods() {
    let caches = caches();
    add(&caches, "demo-0-worker-0-own", of_clique());
    caches.of::<Pod>().apply(user(0, &["demo-0-worker-0-own"]));
    let deleted = podclique("demo-0-worker")
        .size(2, 2)
        .terminating(50)
        .build();
    let plan = |caches: &Caches| {
        let snapshot = observe(&deleted, caches, &PodCliqueReconciler::default());
        writes(&snapshot)
    };
    assert_eq!(
        plan(&caches),
        ["delete Pod demo-0-worker-p0 at version 1: PodClique is deleted"]
    );
    let mut gone = user(0, &[]);
    gone.metadata.deletion_timestamp = Some(Time(after(55)));
    gone.metadata.deletion_grace_period_seconds = Some(0);
    gone.metadata.resource_version = Some("9".into());
    caches.of::<Pod>().delete(&gone.metadata);
    assert_eq!(
        plan(&caches),
        ["delete ResourceClaim demo-0-worker-0-own at version 1: PodClique is deleted"]
    );
    add_deleted(&caches, "demo-0-worker-0-own", of_clique(), Some(after(55)));
    let last = plan(&caches);
    assert_eq!(last, ["finalizers PodClique demo-0-worker []"]);
}

/// The caches of a group's PodClique lead to the group's claims as well.
#[test]
fn members_of_a_group_name_its_claims() {
    let caches = caches();
    let set = set("demo")
        .clique("worker", |c| c)
        .group("g", ["worker"], |g| g)
        .with(|s| {
            // A cache keeps the object that it has of the same version.
            s.metadata.resource_version = Some("2".into());
            s.spec.template.scaling_groups[0].resource_sharing = vec![PcsgResourceSharing {
                sharing: entry("pool", PerReplica),
                filter: None,
            }];
        })
        .build();
    let group = PodCliqueScalingGroup {
        metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
            owner_references: Some(vec![ownership::controller_reference(&set)]),
            ..stored("demo-0-g")
        },
        ..PodCliqueScalingGroup::default()
    };
    let owner = ownership::controller_reference(&group);
    caches.of::<PodCliqueSet>().apply(set);
    caches.of::<PodCliqueScalingGroup>().apply(group);
    let member = podclique("demo-0-g-1-worker").with(|c| {
        c.metadata.owner_references = Some(vec![owner.clone()]);
    });
    let member = member.build();
    let made = |caches: &Caches| {
        let snapshot = observe(&member, caches, &PodCliqueReconciler::default());
        let writes = writes(&snapshot);
        let pods = writes
            .iter()
            .filter(|write| write.starts_with("create Pod "));
        pods.count()
    };
    assert_eq!(made(&caches), 0);
    add(&caches, "demo-0-g-0-pool", owner.clone());
    assert_eq!(made(&caches), 0, "that of another replica");
    add(&caches, "demo-0-g-1-pool", owner.clone());
    assert_eq!(made(&caches), 1);
}
