//! A group replica outside of the turn is recreated as it was.

use std::sync::Arc;

use api::podcliqueset::ReplicaRevision;
use api::{PodCliqueSet, labels};
use domain::Revision;
use domain::object::ownership;
use domain::workload::revision::{Revisions, build};
use podcliquescalinggroup::Snapshot;
use rstest::rstest;
use serde_json::json;
use testkit::builders::store;

use super::{generation, updated};
use crate::situation::{created, demo, plan};

/// The revision of the templates before the change.
fn record(set: &PodCliqueSet) -> Revision {
    let validated = admission::validated_set::validate_set(
        set,
        &admission::defaults::DefaultsConfig::default(),
    );
    let hashed = validated.hash_cliques(&validated.set.spec.template.cliques);
    let mut revision = build(set, &hashed, &validated.generation_hash(), 1);
    store(&mut revision.metadata);
    serde_json::from_value(json!(revision)).unwrap()
}

/// Replica 0 has no turn, and its entry names the older templates.
fn elsewhere(has_entry: bool) -> Snapshot {
    let before = demo().build();
    let revision = record(&before);
    let name = format!("demo-{}", generation(&before));
    let mut snapshot = updated(|_| ());
    let owner = snapshot.owner.as_mut().unwrap();
    let status = owner.set.status.as_mut().unwrap();
    status
        .update_progress
        .as_mut()
        .unwrap()
        .currently_updating
        .clear();
    if has_entry {
        status.replica_revisions = vec![ReplicaRevision {
            replica: 0,
            revision: name,
        }];
    }
    snapshot.revisions = Revisions::of(&owner.set, [Arc::new(revision)]);
    snapshot
}

#[rstest]
#[case::older(true)]
#[case::newest(false)]
fn a_missing_podclique_takes_the_templates_of_its_replica(#[case] is_older: bool) {
    let mut snapshot = elsewhere(is_older);
    let hash = |podclique: &api::PodClique| {
        let hash = ownership::label(&podclique.metadata, labels::POD_TEMPLATE_HASH);
        hash.unwrap().to_owned()
    };
    let lost = snapshot.podcliques.remove("demo-0-g-1-worker").unwrap();
    let created = created(&plan(&snapshot));
    assert_eq!(created.len(), 1);
    assert_eq!(hash(&created[0]) == hash(&lost), is_older);
    assert_eq!(created[0].spec.pod_spec, lost.spec.pod_spec);
}
