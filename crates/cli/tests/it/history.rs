//! `history`: the revisions of a set as rows.

use std::sync::Arc;

use admission::defaults::DefaultsConfig;
use admission::validated_set::validate_set;
use api::podcliqueset::ReplicaRevision;
use api::{PodCliqueSet, PodCliqueSetStatus};
use cli::history::{draw_history, list_rows};
use domain::Revision;
use domain::workload::revision::{Revisions, build};
use insta::assert_snapshot;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde_json::json;
use testkit::builders::{after, set, store};

use crate::read::plain;

/// A set whose cliques have these versions.
pub fn versions(leader: &str, worker: &str) -> PodCliqueSet {
    let mut set = set("llm")
        .replicas(3)
        .clique("leader", |c| c)
        .clique("worker", |c| c)
        .build();
    let cliques = &mut set.spec.template.cliques;
    for (clique, version) in cliques.iter_mut().zip([leader, worker]) {
        let annotations = &mut clique.annotations;
        annotations.insert("example.com/version".into(), version.into());
    }
    set
}

/// The revision of its templates, created after that many seconds.
pub fn record(set: &PodCliqueSet, number: i64, second: i64) -> Arc<Revision> {
    let validated = validate_set(set, &DefaultsConfig::default());
    let hashed = validated.hash_cliques(&validated.set.spec.template.cliques);
    let mut revision = build(set, &hashed, &validated.generation_hash(), number);
    store(&mut revision.metadata);
    revision.metadata.creation_timestamp = Some(Time(after(second)));
    Arc::new(serde_json::from_value(json!(revision)).unwrap())
}

/// Three revisions; replica 2 still has the second one.
#[test]
fn shows_what_changed_and_which_replicas_have_it() {
    let mut set = versions("3", "2");
    let all = [
        record(&versions("1", "1"), 1, 0),
        record(&versions("1", "2"), 2, 3600),
        record(&set, 5, 7200),
    ];
    set.status = Some(PodCliqueSetStatus {
        current_revision: Some(all[2].name().to_owned()),
        replica_revisions: vec![ReplicaRevision {
            replica: 2,
            revision: Some(all[1].name().to_owned()),
            ..ReplicaRevision::default()
        }],
        ..PodCliqueSetStatus::default()
    });
    let history = list_rows(&set, &Revisions::of(&set, all));
    assert_snapshot!(plain(&draw_history(&history, after(7260))), @r"
    REVISION      AGE   CHANGED CLIQUES   REPLICAS
    5 (current)   60s   leader            0-1
    2             61m   worker            2
    1             2h    -                 -
    ");
}

/// The same templates, restarted at that time for that reason.
fn restarted(
    mut set: PodCliqueSet,
    clique: usize,
    time: &str,
    reason: Option<&str>,
) -> PodCliqueSet {
    let annotations = &mut set.spec.template.cliques[clique].annotations;
    annotations.insert("kubectl.kubernetes.io/restartedAt".into(), time.into());
    annotations
        .extend(reason.map(|text| ("kubernetes.io/change-cause".to_owned(), text.to_owned())));
    set
}

/// A reason belongs to the revision that its restart made: neither to a later edit of the template, which
/// keeps the annotations, nor to a restart of another clique.
#[test]
fn a_reason_is_that_of_the_restart_that_made_the_revision() {
    let first = versions("1", "1");
    let why = Some("new driver\n\u{1b}[2J");
    let second = restarted(versions("1", "1"), 1, "2026-01-01T01:00:00Z", why);
    let edited = restarted(versions("1", "2"), 1, "2026-01-01T01:00:00Z", why);
    let last = restarted(edited.clone(), 0, "2026-01-01T03:00:00Z", None);
    let sets = [&first, &second, &edited, &last];
    let all = sets.into_iter().zip(1..);
    let all = all.map(|(set, number)| record(set, number, 3600 * (number - 1)));
    let history = list_rows(&last, &Revisions::of(&last, all));
    let reasons = history.revisions.iter().map(|row| row.reason.as_deref());
    assert_eq!(reasons.collect::<Vec<_>>(), [None, None, why, None]);
    assert_snapshot!(plain(&draw_history(&history, after(10_860))), @r"
    REVISION   AGE   CHANGED CLIQUES   REPLICAS   REASON
    4          60s   leader            -
    3          61m   worker            -
    2          2h    worker            -          new driver \u{1b}[2J
    1          3h    -                 -
    ");
}

#[test]
fn a_set_without_revisions_says_why() {
    let set = versions("1", "1");
    let history = list_rows(&set, &Revisions::default());
    let text = draw_history(&history, after(0));
    assert!(text.contains("llm has no revisions"), "{text}");
}
