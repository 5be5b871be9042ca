//! The PodCliques of a group.

use std::sync::Arc;

use api::podcliqueset::ReplicaAttempt;
use api::{PodClique, WorkloadType, labels};
use domain::object::ownership;
use domain::workload::clique::domain_of;
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use testkit::builders::after;

use crate::situation::{complete, created, demo, plan, situation, writes};

#[test]
fn creates_every_clique_of_every_replica() {
    let set = demo().build();
    assert_snapshot!(writes(&plan(&situation(&set, 3, vec![]))));
}

#[test]
fn labels_a_clique_of_the_base_gang_and_one_of_a_scaled_gang() {
    let set = demo().build();
    let all = created(&plan(&situation(&set, 3, vec![])));
    let find = |name: &str| {
        all.iter()
            .find(|c| c.metadata.name.as_deref() == Some(name))
            .unwrap()
    };
    let pair = [find("demo-0-g-1-worker"), find("demo-0-g-2-leader")];
    assert_snapshot!(serde_json::to_string_pretty(&pair).unwrap());
}

#[test]
fn wants_nothing_more_once_all_are_there() {
    let set = demo().build();
    let podcliques = complete(&set, 3);
    assert!(plan(&situation(&set, 3, podcliques)).writes_nothing());
}

#[test]
fn deletes_replicas_that_are_scaled_in() {
    let set = demo().build();
    let mut snapshot = situation(&set, 2, complete(&set, 3));
    let first = plan(&snapshot);
    assert!(
        first.waves.is_empty(),
        "the deletion is stored first: {first}"
    );
    Arc::make_mut(&mut snapshot.group).status = first.status;
    assert_snapshot!(writes(&plan(&snapshot)));
}

/// `status.scaledInReplicas` with this many live replicas, after `change` of replica 2.
fn scaled_in(replicas: i32, stored: Option<&str>, change: fn(&mut PodClique)) -> Option<String> {
    let set = demo().build();
    let mut podcliques = complete(&set, 3);
    podcliques.iter_mut().skip(4).for_each(change);
    let mut snapshot = situation(&set, replicas, podcliques);
    let status = &mut Arc::make_mut(&mut snapshot.group).status;
    status.get_or_insert_default().scaled_in_replicas = stored.map(str::to_owned);
    plan(&snapshot).status.unwrap().scaled_in_replicas
}

#[test]
fn remembers_a_scaled_in_replica_until_it_is_gone() {
    let stay = |_: &mut PodClique| {};
    let end = |c: &mut PodClique| c.metadata.deletion_timestamp = Some(Time(after(59)));
    assert_eq!(scaled_in(3, None, stay), None);
    assert_eq!(scaled_in(1, None, stay).as_deref(), Some("1-2"));
    // Scaled out again, while it is being deleted, and before that began.
    assert_eq!(scaled_in(3, Some("2"), end).as_deref(), Some("2"));
    assert_eq!(scaled_in(3, Some("2"), stay), None);
    assert_eq!(scaled_in(3, None, end), None, "deleted by another client");
}

#[test]
fn puts_an_edited_clique_right_and_keeps_foreign_fields() {
    let set = demo().build();
    let mut podcliques = complete(&set, 1);
    let edited = &mut podcliques[1];
    let all = edited.metadata.labels.as_mut().unwrap();
    all.insert(labels::POD_GANG.into(), "wrong".into());
    all.insert("example.com/theirs".into(), "kept".into());
    edited.spec.replicas = 7;
    let plan = plan(&situation(&set, 1, podcliques));
    assert_snapshot!(writes(&plan));
    let right: &PodClique = plan.waves[0][0].written().unwrap();
    assert_eq!(
        ownership::label(&right.metadata, labels::POD_GANG),
        Some("demo-0")
    );
    assert_eq!(
        ownership::label(&right.metadata, "example.com/theirs"),
        Some("kept")
    );
    assert_eq!(
        right.spec.replicas, 7,
        "live replicas belong to the user or autoscaler that scales the clique"
    );
}

#[test]
fn leaves_existing_cliques_on_their_template_when_it_changes() {
    let podcliques = complete(&demo().build(), 1);
    let changed = demo()
        .with(|s| {
            let cliques = &mut s.spec.template.cliques;
            cliques[0].spec.pod_spec.containers[0].image = Some("example/main:2".into());
        })
        .build();
    let plan = plan(&situation(&changed, 1, podcliques));
    assert!(plan.writes_nothing(), "{plan}");
}

/// The plan for a PodClique whose template hash another implementation wrote, and the hash that it
/// had from us.
fn adopted(change: impl FnOnce(&mut PodClique)) -> (PodClique, String) {
    let set = demo().build();
    let mut podcliques = complete(&set, 1);
    let adopted = &mut podcliques[0];
    let all = adopted.metadata.labels.as_mut().unwrap();
    let newest = all.insert(labels::POD_TEMPLATE_HASH.into(), "64d9f5b87c".into());
    change(adopted);
    let plan = plan(&situation(&set, 1, podcliques));
    let right: &PodClique = plan.waves[0][0].written().unwrap();
    (right.clone(), newest.unwrap())
}

fn template_hash(podclique: &PodClique) -> &str {
    ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH).unwrap()
}

#[test]
fn gives_an_adopted_clique_our_hash_and_notes_the_foreign_one() {
    let (right, newest) = adopted(|_| {});
    assert_eq!(template_hash(&right), newest);
    assert_eq!(
        ownership::annotation(&right.metadata, labels::REBASED_FROM),
        Some("64d9f5b87c")
    );
}

/// The Go operator never corrects the variable with that number.
#[test]
fn an_adopted_clique_is_not_out_of_date_for_an_old_number_of_pods() {
    let (right, newest) = adopted(|clique| {
        let env = clique.spec.pod_spec.containers[0].env.as_mut().unwrap();
        let mut env = env.iter_mut();
        let number = env.find(|v| v.name == labels::env::PCSG_TEMPLATE_NUM_PODS);
        number.unwrap().value = Some("7".into());
    });
    assert_eq!(template_hash(&right), newest);
}

/// Its hash is unknown; its pods were created from its present spec.
#[test]
fn leaves_an_adopted_clique_of_another_template_on_it() {
    let mut pod_spec = None;
    let (right, newest) = adopted(|clique| {
        clique.spec.pod_spec.containers[0].image = Some("example/main:0".into());
        pod_spec = Some(clique.spec.pod_spec.clone());
    });
    assert_eq!(Some(right.spec.pod_spec.clone()), pod_spec);
    let hash = template_hash(&right);
    assert!(domain::workload::hash::is_ours(hash), "{hash}");
    assert_ne!(hash, newest);
}

#[test]
fn creates_nothing_while_the_set_is_gone_or_invalid() {
    let invalid = demo()
        .with(|s| s.spec.template.cliques[0].name = "Not A Name".into())
        .build();
    assert!(plan(&situation(&invalid, 3, vec![])).writes_nothing());
    let mut orphan = situation(&demo().build(), 3, vec![]);
    orphan.owner = None;
    assert!(plan(&orphan).writes_nothing());
}

#[test]
fn adopts_cliques_that_nobody_controls_and_deletes_none_of_them() {
    let set = demo().build();
    let mut podcliques = complete(&set, 3);
    for podclique in &mut podcliques {
        podclique.metadata.owner_references = None;
    }
    assert_snapshot!(writes(&plan(&situation(&set, 2, podcliques))));
}

/// A missing PodClique of a job is a failure then, and the set decides what follows.
#[rstest]
#[case::all_were_there(Some(true), false)]
#[case::not_yet(Some(false), true)]
#[case::nobody_knows(None, true)]
fn recreates_nothing_of_a_job_that_was_complete(
    #[case] complete: Option<bool>,
    #[case] is_made: bool,
) {
    let entry = ReplicaAttempt {
        replica: 0,
        attempt: 0,
        time: Time(after(0)),
        reason: "Created".into(),
        message: String::new(),
        cause: None,
        succeeded: Vec::new(),
        recovered: None,
        complete,
    };
    let job = demo().with(|s| {
        s.spec.workload_type = Some(WorkloadType::Training);
        s.status.get_or_insert_default().replica_attempts = vec![entry];
    });
    let plan = plan(&situation(&job.build(), 1, vec![]));
    assert_eq!(writes(&plan).contains("create PodClique"), is_made);
}

/// Whether new PodCliques of workers join a ComputeDomain.
#[rstest]
#[case::enabled(true, Some("demo-0-rack"))]
#[case::disabled(false, None)]
fn new_members_of_an_mnnvl_group_join_its_domain(
    #[case] is_mnnvl_enabled: bool,
    #[case] expected: Option<&str>,
) {
    let set = demo().with(|s| {
        let mut cliques = s.spec.template.cliques.iter_mut();
        let worker = cliques.find(|c| c.name == "worker").unwrap();
        let group = ("grove.io/mnnvl-group".to_owned(), "rack".to_owned());
        worker.annotations.extend([group]);
        let gpus = serde_json::json!({"limits": {"nvidia.com/gpu": "8"}});
        let containers = &mut worker.spec.pod_spec.containers;
        containers[0].resources = serde_json::from_value(gpus).unwrap();
    });
    let mut snapshot = situation(&set.build(), 1, vec![]);
    snapshot.is_mnnvl_enabled = is_mnnvl_enabled;
    let made = created(&plan(&snapshot));
    let domains = made.iter().map(|podclique| {
        let name = podclique.metadata.name.as_deref().unwrap();
        (name, domain_of("demo", &podclique.spec.pod_spec))
    });
    assert_eq!(
        domains.collect::<Vec<_>>(),
        [("demo-0-g-0-leader", None), ("demo-0-g-0-worker", expected)]
    );
}

/// NVLink between nodes: the claim is not in the set, and pods run with it.
#[test]
fn an_adopted_clique_keeps_the_claim_that_is_not_in_the_set() {
    let claim = serde_json::json!({
        "name": "mnnvl-claim", "resourceClaimTemplateName": "demo-0-rack",
    });
    let (right, newest) = adopted(|clique| {
        let spec = &mut *clique.spec.pod_spec;
        spec.resource_claims = Some(vec![serde_json::from_value(claim.clone()).unwrap()]);
        let uses = serde_json::json!({"claims": [{"name": "mnnvl-claim"}]});
        spec.containers[0].resources = serde_json::from_value(uses).unwrap();
    });
    assert_eq!(template_hash(&right), newest);
    let spec = serde_json::to_value(&*right.spec.pod_spec).unwrap();
    assert_eq!(spec["resourceClaims"], serde_json::json!([claim]));
    let used = &spec["containers"][0]["resources"]["claims"];
    assert_eq!(*used, serde_json::json!([{"name": "mnnvl-claim"}]));
}
