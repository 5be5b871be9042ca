//! The content of revisions, and which one is in force.

use api::podcliqueset::{
    ComponentFrom, PcsUpdateProgress, ReplicaRevision, ReplicaUpdateProgress, RollingUpdate,
    UpdateStrategyType,
};
use api::{PodCliqueSet, PodCliqueSetStatus, WorkloadType};
use domain::Revision;
use domain::update::{Older, find_older, first_replaced, revision_in_force};
use domain::workload::hash::{generation_hash, pod_template_hashes};
use domain::workload::revision::{build, decode, restore};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use rstest::rstest;
use serde_json::json;
use testkit::builders::{after, set};

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
    let edited = revision.data.to_text().replacen(from, to, 1);
    revision.data = edited.as_str().into();
    let clique = &set.spec.template.cliques[0];
    let restored = decode(&revision).and_then(|content| restore(&content, clique));
    assert_eq!(restored, None);
}

fn entry(replica: i32) -> ReplicaRevision {
    ReplicaRevision {
        replica,
        revision: Some("demo-own".to_owned()),
        ..ReplicaRevision::default()
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

fn from(from: i32) -> Vec<ComponentFrom> {
    vec![ComponentFrom {
        component: "web".to_owned(),
        from,
    }]
}

/// The set with older units of replica 1; `words` may hold `turn`, `coherent`, `target N`,
/// `partition N`, `stored N`.
fn mixed(words: &str) -> (PodCliqueSet, RollingUpdate) {
    let words: Vec<&str> = words.split_whitespace().collect();
    let number = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        words[at + 1].parse::<i32>().ok()
    };
    let mut set = demo();
    let mut turn = ReplicaUpdateProgress::begin(1, Time(after(0)));
    turn.targets = number("target").map(from).unwrap_or_default();
    let mut progress = PcsUpdateProgress::begin(Time(after(0)));
    if words.contains(&"elsewhere") {
        progress.in_scope_standalone_pod_cliques = vec!["other".to_owned()];
    }
    progress.currently_updating = words
        .contains(&"turn")
        .then_some(turn)
        .into_iter()
        .collect();
    set.status = Some(PodCliqueSetStatus {
        current_generation_hash: Some(NEW.to_owned()),
        update_progress: Some(progress),
        replica_revisions: vec![ReplicaRevision {
            replica: 1,
            revision: None,
            older: Some("demo-older".to_owned()),
            from: number("stored").map(from).unwrap_or_default(),
        }],
        ..PodCliqueSetStatus::default()
    });
    if words.contains(&"coherent") {
        let strategy = set.spec.update_strategy.get_or_insert_default();
        strategy.type_ = UpdateStrategyType::Coherent;
    }
    let rolling = RollingUpdate {
        partition: number("partition"),
        ..RollingUpdate::default()
    };
    (set, rolling)
}

#[rstest]
#[case::stored_by_the_last_turn("stored 2 partition 1", Some(2))]
#[case::a_lowered_partition_waits_for_the_turn("stored 2", Some(2))]
#[case::of_another_component("partition 2", None)]
#[case::in_its_turn_the_partition("turn partition 2", Some(2))]
#[case::in_its_turn_without_one("turn stored 2", None)]
#[case::before_the_first_step("turn coherent", Some(i32::MAX))]
#[case::of_a_component_that_does_not_change("turn coherent elsewhere", None)]
#[case::after_a_step("turn coherent target 1", Some(1))]
#[case::a_partition_above_the_step("turn coherent target 1 partition 2", Some(2))]
#[case::a_step_below_all("turn coherent target 0", None)]
fn older_units_end_at_an_index(#[case] words: &str, #[case] below: Option<i32>) {
    let (mut set, rolling) = mixed(words);
    let revision = "demo-older";
    let expected = below.map(|below| Older { revision, below });
    assert_eq!(find_older(&set, 1, "web", Some(&rolling)), expected);
    assert_eq!(find_older(&set, 0, "web", Some(&rolling)), None);
    set.spec.workload_type = Some(WorkloadType::Training);
    assert_eq!(find_older(&set, 1, "web", Some(&rolling)), None);
}

#[rstest]
#[case::all("turn", 0)]
#[case::from_the_partition_on("turn partition 2", 2)]
#[case::none_before_the_first_step("turn coherent", i32::MAX)]
#[case::from_the_step_on("turn coherent target 3 partition 2", 3)]
fn a_turn_replaces_from_an_index_on(#[case] words: &str, #[case] index: i32) {
    let (set, rolling) = mixed(words);
    assert_eq!(first_replaced(&set, "web", Some(&rolling)), index);
}
