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

#[test]
fn a_set_without_revisions_says_why() {
    let set = versions("1", "1");
    let history = list_rows(&set, &Revisions::default());
    let text = draw_history(&history, after(0));
    assert!(text.contains("llm has no revisions"), "{text}");
}
