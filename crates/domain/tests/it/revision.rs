//! The content of revisions, and which one is in force.

use api::podcliqueset::{ReplicaRevision, UpdateStrategyType};
use api::{PodCliqueSet, PodCliqueSetStatus, WorkloadType};
use domain::Revision;
use domain::update::revision_in_force;
use domain::workload::hash::{generation_hash, pod_template_hashes};
use domain::workload::revision::{build, decode, restore};
use rstest::rstest;
use serde_json::json;
use testkit::builders::set;

const OLD: &str = "r1bbbbbbbbbbbbbb";
const NEW: &str = "r1cccccccccccccc";

fn demo() -> PodCliqueSet {
    let mut set = set("demo").clique("web", |c| c.replicas(2)).build();
    let template = &mut set.spec.template;
    "high".clone_into(&mut template.priority_class_name);
    let web = &mut template.cliques[0];
    web.labels.insert("app".into(), "web".into());
    set
}

fn record(set: &PodCliqueSet) -> Revision {
    let template = &set.spec.template;
    let own = pod_template_hashes(template);
    let generation = generation_hash(&own);
    let cliques: Vec<_> = template.cliques.iter().zip(own).collect();
    let revision = build(set, &cliques, &generation, 7);
    serde_json::from_value(json!(revision)).unwrap()
}

#[test]
fn a_template_comes_back_as_it_was() {
    let before = demo();
    let revision = record(&before);
    let content = decode(&revision).unwrap();
    let mut edited = before.spec.template.cliques[0].clone();
    edited.labels.clear();
    edited
        .annotations
        .insert("example.com/version".into(), "2".into());
    edited.spec.replicas = 5;
    let (restored, hash) = restore(&content, &edited).unwrap();
    assert_eq!(hash, pod_template_hashes(&before.spec.template)[0]);
    assert_eq!(restored.labels, before.spec.template.cliques[0].labels);
    assert_eq!(
        restored.annotations,
        before.spec.template.cliques[0].annotations
    );
    assert_eq!(
        restored.spec.replicas, 5,
        "the count is no part of a template"
    );
    assert_eq!(
        restored.spec.pod_spec.priority_class_name.as_deref(),
        Some("high")
    );
}

/// Whatever the content is, it is not used.
#[rstest]
#[case::other_template(r#""app":"web""#, r#""app":"evil""#)]
#[case::other_clique(r#""name":"web""#, r#""name":"api""#)]
#[case::no_revision("{", "[")]
fn an_edited_revision_is_not_used(#[case] from: &str, #[case] to: &str) {
    let set = demo();
    let mut revision = record(&set);
    revision.data = revision.data.replacen(from, to, 1).into_boxed_str();
    let clique = &set.spec.template.cliques[0];
    let restored = decode(&revision).and_then(|content| restore(&content, clique));
    assert_eq!(restored, None);
}

fn entry(replica: i32) -> ReplicaRevision {
    ReplicaRevision {
        replica,
        revision: "demo-own".to_owned(),
    }
}

#[rstest]
#[case::no_status(None, &[], None)]
#[case::accepted(Some(NEW), &[], None)]
#[case::newer_ones_wait(Some(OLD), &[], Some("demo-r1bbbbbbbbbbbbbb"))]
#[case::of_another_implementation(Some("abc"), &[], None)]
#[case::own(Some(NEW), &[1], Some("demo-own"))]
#[case::own_while_newer_ones_wait(Some(OLD), &[1], Some("demo-own"))]
#[case::of_another_replica(Some(NEW), &[0, 2], None)]
fn the_status_decides(
    #[case] accepted: Option<&str>,
    #[case] entries: &[i32],
    #[case] revision: Option<&str>,
) {
    let mut set = demo();
    set.status = Some(PodCliqueSetStatus {
        current_generation_hash: accepted.map(str::to_owned),
        replica_revisions: entries.iter().map(|replica| entry(*replica)).collect(),
        ..PodCliqueSetStatus::default()
    });
    assert_eq!(revision_in_force(&set, NEW, 1).as_deref(), revision);
    let mut on_delete = set.clone();
    let strategy = on_delete.spec.update_strategy.get_or_insert_default();
    strategy.type_ = UpdateStrategyType::OnDelete;
    assert_eq!(revision_in_force(&on_delete, NEW, 1), None);
    set.spec.workload_type = Some(WorkloadType::Training);
    assert_eq!(revision_in_force(&set, NEW, 1), None);
}
