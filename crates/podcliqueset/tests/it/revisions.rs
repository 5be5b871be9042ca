//! Revisions: the templates of each accepted generation, and the replicas that keep older ones.

mod coherent_rollback;
mod held_edit;
mod older;
mod older_surge;
mod scope;
mod second;

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set;
use api::podcliqueset::ReplicaRevision;
use api::{LastError, PodClique, PodCliqueSet, PodCliqueSetStatus, codes, events, labels};
use domain::object::ownership;
use domain::plan::{Action, Plan};
use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use podcliqueset::Snapshot;
use rstest::rstest;
use testkit::builders::{PodBuilder, after, pod, set};

use crate::situation::{accept_templates, alone, carry_out, fill_all, keep_revision, plan, writes};

/// Three replicas of two pods that run.
fn running() -> Snapshot {
    let set = set("demo")
        .replicas(3)
        .clique("web", |c| c.replicas(2).min(1));
    let mut snapshot = alone(&set.build());
    snapshot.history.is_served = true;
    for _ in 0..3 {
        step(&mut snapshot);
        fill_all(&mut snapshot, PodBuilder::ready);
    }
    snapshot
}

/// The templates change, and the API server accepts pods of them.
fn edit(snapshot: &mut Snapshot, version: &str) {
    change(snapshot, |set| {
        let annotations = &mut set.spec.template.cliques[0].annotations;
        annotations.insert("example.com/version".into(), version.into());
    });
    accept_templates(snapshot);
}

fn change(snapshot: &mut Snapshot, change: impl FnOnce(&mut PodCliqueSet)) {
    let mut stored = (*snapshot.stored).clone();
    change(&mut stored);
    snapshot.validated = validated_set::validate_set(&stored, &DefaultsConfig::default());
    snapshot.stored = Arc::new(stored);
}

/// Decides and carries out the plan; pods stay.
fn step(snapshot: &mut Snapshot) -> Plan<PodCliqueSetStatus> {
    let before = snapshot.podcliques.clone();
    let next = plan(snapshot);
    carry_out(snapshot, &next);
    for (name, seen) in before {
        if let Some(kept) = snapshot.podcliques.get_mut(&name) {
            kept.pods = seen.pods;
        }
    }
    next
}

/// The newest templates are accepted, and replica 0 has the turn.
fn in_turn() -> Snapshot {
    let mut snapshot = running();
    edit(&mut snapshot, "2");
    step(&mut snapshot);
    step(&mut snapshot);
    snapshot
}

fn status(snapshot: &Snapshot) -> PodCliqueSetStatus {
    snapshot.stored.status.clone().unwrap()
}

fn generation(snapshot: &Snapshot) -> String {
    status(snapshot).current_generation_hash.unwrap()
}

/// The replicas that are on an earlier revision.
fn entries(snapshot: &Snapshot) -> Vec<i32> {
    let entries = status(snapshot).replica_revisions.into_iter();
    let earlier = entries.filter(|entry| entry.revision.is_some());
    earlier.map(|entry| entry.replica).collect()
}

fn numbers(snapshot: &Snapshot) -> Vec<i64> {
    let revisions = snapshot.history.revisions.iter();
    revisions.map(|revision| revision.revision).collect()
}

fn created_revisions(plan: &Plan<PodCliqueSetStatus>) -> Vec<String> {
    let all = plan.waves.iter().flatten();
    all.filter_map(Action::written::<ControllerRevision>)
        .map(|revision| ownership::name(&revision.metadata).to_owned())
        .collect()
}

/// The template hash with which each PodClique is created.
fn created_hashes(plan: &Plan<PodCliqueSetStatus>) -> Vec<(String, String)> {
    let all = plan.waves.iter().flatten();
    all.filter(|action| matches!(action, Action::Create(_)))
        .filter_map(Action::written::<PodClique>)
        .map(|podclique| {
            let meta = &podclique.metadata;
            let hash = ownership::label(meta, labels::POD_TEMPLATE_HASH);
            (ownership::name(meta).to_owned(), hash.unwrap().to_owned())
        })
        .collect()
}

fn hash_of(snapshot: &Snapshot, podclique: &str) -> String {
    let meta = &snapshot.podcliques[podclique].podclique.metadata;
    let hash = ownership::label(meta, labels::POD_TEMPLATE_HASH);
    hash.unwrap().to_owned()
}

#[test]
fn the_first_templates_are_accepted_at_once_and_recorded() {
    let snapshot = running();
    let status = status(&snapshot);
    let name = format!("demo-{}", generation(&snapshot));
    assert_eq!(status.current_revision, Some(name));
    assert_eq!(numbers(&snapshot), [1]);
    assert_eq!(created_revisions(&plan(&snapshot)), Vec::<String>::new());
}

#[test]
fn newer_templates_are_accepted_once_their_revision_is_stored() {
    let mut snapshot = running();
    let before = generation(&snapshot);
    edit(&mut snapshot, "2");
    let first = step(&mut snapshot);
    assert_eq!(created_revisions(&first).len(), 1, "{first}");
    assert_eq!(generation(&snapshot), before);
    assert_eq!(entries(&snapshot), Vec::<i32>::new());
    step(&mut snapshot);
    assert_ne!(generation(&snapshot), before);
    assert_eq!(numbers(&snapshot), [1, 2]);
    let old = format!("demo-{before}");
    let kept = |replica| ReplicaRevision {
        replica,
        revision: Some(old.clone()),
        ..ReplicaRevision::default()
    };
    let in_turn = ReplicaRevision {
        older: Some(old.clone()),
        ..ReplicaRevision::default()
    };
    let expected = [in_turn, kept(1), kept(2)];
    assert_eq!(status(&snapshot).replica_revisions, expected);
}

/// Templates that are not accepted yet are not recorded either.
#[test]
fn templates_that_are_refused_or_paused_have_no_revision() {
    let mut snapshot = running();
    edit(&mut snapshot, "2");
    snapshot.checks.answers.clear();
    assert_eq!(created_revisions(&plan(&snapshot)), Vec::<String>::new());
    accept_templates(&mut snapshot);
    change(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = true;
    });
    assert_eq!(created_revisions(&plan(&snapshot)), Vec::<String>::new());
}

#[rstest]
#[case::forbidden(&codes::of_write("create", "ControllerRevision"))]
#[case::taken(codes::NAME_CONFLICT)]
fn a_revision_that_is_refused_holds_no_update_up(#[case] code: &str) {
    let mut snapshot = running();
    edit(&mut snapshot, "2");
    let created = created_revisions(&plan(&snapshot));
    change(&mut snapshot, |set| {
        let status = set.status.as_mut().unwrap();
        status.last_errors.push(LastError {
            code: code.to_owned(),
            description: format!("create ControllerRevision {}: no", created[0]),
            observed_at: Time(after(60)),
        });
    });
    let before = generation(&snapshot);
    let accepted = plan(&snapshot).status.unwrap();
    assert_ne!(accepted.current_generation_hash, Some(before));
    assert_eq!(accepted.current_revision, None);
}

#[test]
fn without_the_right_nothing_is_recorded_and_updates_go_on() {
    let mut snapshot = running();
    snapshot.history = podcliqueset::observe::History::default();
    edit(&mut snapshot, "2");
    let before = generation(&snapshot);
    let next = step(&mut snapshot);
    assert_eq!(created_revisions(&next), Vec::<String>::new());
    assert_ne!(generation(&snapshot), before);
    assert_eq!(entries(&snapshot), Vec::<i32>::new());
}

/// A replica that is not in turn comes back as it was; the one in turn takes the newest templates.
#[rstest]
#[case::elsewhere(2, true)]
#[case::in_turn(0, false)]
fn a_podclique_is_created_from_the_revision_of_its_replica(
    #[case] replica: i32,
    #[case] is_old: bool,
) {
    let mut snapshot = in_turn();
    let old = hash_of(&snapshot, "demo-2-web");
    let name = format!("demo-{replica}-web");
    snapshot.podcliques.remove(&name);
    let created = created_hashes(&plan(&snapshot));
    assert_eq!(created.len(), 1);
    assert_eq!(created[0].0, name);
    assert_eq!(created[0].1 == old, is_old);
}

/// The newest templates are refused: what the operator accepted stays in force.
#[test]
fn a_podclique_is_created_from_the_accepted_templates_while_newer_ones_are_paused() {
    let mut snapshot = running();
    let accepted = hash_of(&snapshot, "demo-1-web");
    edit(&mut snapshot, "2");
    change(&mut snapshot, |set| {
        set.spec.update_strategy.get_or_insert_default().paused = true;
    });
    snapshot.podcliques.remove("demo-1-web");
    let created = created_hashes(&plan(&snapshot));
    assert_eq!(created, [("demo-1-web".to_owned(), accepted)]);
}

/// The event is posted once for the revision: its identity does not change with the replicas.
#[test]
fn a_missing_revision_of_replicas_is_reported() {
    let mut snapshot = in_turn();
    let reported = |snapshot: &Snapshot| -> Vec<(String, Option<String>)> {
        let events = plan(snapshot).events.into_iter();
        let missing = events.filter(|event| event.reason == events::REVISION_MISSING);
        missing
            .map(|event| (event.message, event.identity))
            .collect()
    };
    assert_eq!(reported(&snapshot), []);
    let kept = status(&snapshot).replica_revisions;
    let name = kept
        .iter()
        .find_map(|entry| entry.revision.clone())
        .unwrap();
    snapshot.history.revisions = domain::workload::revision::Revisions::default();
    let before = reported(&snapshot);
    assert_eq!(before.len(), 1);
    assert_eq!(
        before[0].0,
        format!(
            "ControllerRevision {name} of replicas 0, 1, 2 is missing: PodCliques and pods that are \
             recreated there take the newest templates"
        )
    );
    change(&mut snapshot, |set| {
        set.status.as_mut().unwrap().replica_revisions.pop();
    });
    assert_eq!(reported(&snapshot)[0].1, before[0].1);
    snapshot.history.is_outdated = true;
    assert_eq!(reported(&snapshot), [], "the cache may lag");
    snapshot.history.is_outdated = false;
    snapshot.history.is_served = false;
    assert_eq!(reported(&snapshot), []);
}

/// An edited revision proves nothing: the newest templates are known.
#[test]
fn a_revision_that_somebody_edited_or_deleted_is_not_used() {
    let mut snapshot = in_turn();
    let old = hash_of(&snapshot, "demo-2-web");
    snapshot.history.revisions = domain::workload::revision::Revisions::default();
    snapshot.podcliques.remove("demo-2-web");
    let created = created_hashes(&plan(&snapshot));
    assert_ne!(created[0].1, old);
}

/// A standby that takes over while the watch of revisions is lost has not seen the newest ones.
#[test]
fn nothing_is_created_while_its_revision_may_exist_unseen() {
    let mut snapshot = in_turn();
    let unseen = domain::workload::revision::Revisions::default();
    snapshot.history.revisions = unseen.seen_outdated(true);
    snapshot.podcliques.remove("demo-2-web");
    assert!(created_hashes(&plan(&snapshot)).is_empty());
    let unseen = domain::workload::revision::Revisions::default();
    snapshot.history.revisions = unseen.seen_outdated(false);
    assert_eq!(created_hashes(&plan(&snapshot)).len(), 1);
}

#[test]
fn an_entry_goes_with_the_turn_and_all_go_with_the_update() {
    let mut snapshot = in_turn();
    for replica in 0..3 {
        step(&mut snapshot);
        let name = format!("demo-{replica}-web");
        let seen = snapshot.podcliques.get_mut(&name).unwrap();
        seen.pods = (0..2)
            .map(|k| pod(&seen.podclique, k).ready().build())
            .collect();
        step(&mut snapshot);
        let left: Vec<i32> = (replica + 2..3).collect();
        assert_eq!(entries(&snapshot), left);
    }
    assert!(
        status(&snapshot)
            .update_progress
            .unwrap()
            .update_ended_at
            .is_some()
    );
}

#[test]
fn scale_in_takes_entries_away() {
    let mut snapshot = in_turn();
    assert_eq!(entries(&snapshot), [1, 2]);
    change(&mut snapshot, |set| set.spec.replicas = 2);
    step(&mut snapshot);
    assert_eq!(entries(&snapshot), [1]);
}

/// Going back to earlier templates uses their revision, which becomes the newest.
#[test]
fn a_change_back_raises_the_number_of_the_revision() {
    let mut snapshot = in_turn();
    change(&mut snapshot, |set| {
        set.spec.template.cliques[0].annotations.clear();
    });
    accept_templates(&mut snapshot);
    let next = plan(&snapshot);
    assert_eq!(created_revisions(&next), Vec::<String>::new());
    let text = writes(&next);
    assert!(text.contains(r#"{"revision":3}"#), "{text}");
    let status = next.status.unwrap();
    let revision = status.current_revision.unwrap();
    assert_eq!(
        Some(revision),
        snapshot
            .history
            .revisions
            .iter()
            .next()
            .map(|r| r.name().to_owned())
    );
    // Replica 0 has the turn; the others never left these templates.
    assert_eq!(status.replica_revisions, []);
}

/// Three revisions stay beside those in use.
#[test]
fn revisions_that_nothing_uses_are_deleted() {
    let mut snapshot = running();
    let newest = snapshot.history.revisions.iter().next().unwrap().clone();
    for number in 2..=6 {
        let revision = ControllerRevision {
            metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
                name: Some(format!("demo-r1-{number}")),
                owner_references: newest.metadata.owner_references.clone(),
                ..Default::default()
            },
            revision: Some(number - 10),
            ..Default::default()
        };
        keep_revision(&mut snapshot, revision);
    }
    let text = writes(&plan(&snapshot));
    let deleted: Vec<&str> = text.lines().filter(|l| l.contains("delete")).collect();
    assert_eq!(deleted.len(), 2, "{text}");
    assert!(deleted[0].contains("demo-r1-3") && deleted[1].contains("demo-r1-2"));
    snapshot.view.is_outdated = true;
    assert!(!writes(&plan(&snapshot)).contains("delete"));
}

/// A set of the same name was deleted with `--cascade=orphan`: its revision has another owner's uid.
#[test]
fn a_revision_that_an_earlier_set_left_is_replaced() {
    let mut snapshot = running();
    let left = snapshot.history.revisions.iter().next().unwrap().clone();
    snapshot.history.revisions = domain::workload::revision::Revisions::default();
    snapshot.history.left = vec![left];
    let text = writes(&plan(&snapshot));
    assert!(text.contains("delete ControllerRevision demo-r1"), "{text}");
    snapshot.history.left.clear();
    assert_eq!(created_revisions(&plan(&snapshot)).len(), 1);
}
