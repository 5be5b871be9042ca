//! Scenarios of updates: with surge, in steps, by turns, of a part of the pods, and back.

use serde_json::{Value, json};
use sim::{Id, Resource, Store, view};
use testkit::builders::{SetBuilder, set};

use super::ends::{is_updated, ready_pods};
use super::manifests::{manifest, small, write_version};
use super::steps::edit_templates;
use super::{CREATE, Scenario, VERSION};

/// The fields of the template that have cliques and groups.
const CLIQUES: &str = "cliques";
const GROUPS: &str = "podCliqueScalingGroups";

/// The set with version 1 of its templates.
fn version_1(set: SetBuilder) -> Value {
    let mut manifest = manifest(set);
    write_version(&mut manifest, "1");
    manifest
}

/// The same whose first clique or group has these limits.
fn limited(set: SetBuilder, parts: &str, rolling: Value) -> Value {
    let mut manifest = version_1(set);
    manifest["spec"]["template"][parts][0]["rollingUpdate"] = rolling;
    manifest
}

/// One pod may exist beyond `replicas`. None may be missing, so the update never goes on without it,
/// however long a fault hides it.
fn surge() -> Value {
    json!({"maxSurge": 1, "maxUnavailable": 0})
}

/// A pod that may not be down: the one that takes its place for a while comes first.
pub const UPDATE_SURGE: Scenario = Scenario {
    name: "surge",
    begins_with: Some(|| limited(set("svc").clique("a", |c| c), CLIQUES, surge())),
    step: |store| edit_templates(store, "2"),
    ends_with: |store| is_updated(store, "2", 1),
    deleted: &["0-a#0"],
    passing: &["0-a#1"],
    are_replaced: true,
    ..CREATE
};

/// The same as a group replica, whose surge is in a scaled gang.
pub const UPDATE_SURGE_OF_GROUP: Scenario = Scenario {
    name: "surge-of-group",
    begins_with: Some(|| {
        let set = set("svc")
            .clique("b", |c| c)
            .group("g", ["b"], |g| g.replicas(1).min(1));
        limited(set, GROUPS, surge())
    }),
    deleted: &["0-g-0-b#0"],
    passing: &["0-g-1-b#0"],
    ..UPDATE_SURGE
};

/// A clique and a group in two steps, each of a pod and a group replica.
pub const UPDATE_COHERENT: Scenario = Scenario {
    name: "coherent",
    begins_with: Some(|| {
        let set = set("svc")
            .clique("a", |c| c.replicas(2).min(1))
            .clique("b", |c| c)
            .group("g", ["b"], |g| g.replicas(2).min(1));
        let mut manifest = version_1(set);
        manifest["spec"]["updateStrategy"] = json!({"type": "Coherent"});
        manifest
    }),
    ends_with: |store| is_updated(store, "2", 4),
    deleted: &["0-a#0", "0-a#1", "0-g-0-b#0", "0-g-1-b#0"],
    passing: &[],
    ..UPDATE_SURGE
};

/// Two replicas of the set get their turns, one after the other.
pub const UPDATE_REPLICAS: Scenario = Scenario {
    name: "two-turns",
    begins_with: Some(|| version_1(small(2))),
    ends_with: |store| is_updated(store, "2", 4),
    deleted: &["0-a#0", "0-g-0-b#0", "1-a#0", "1-g-0-b#0"],
    passing: &[],
    ..UPDATE_SURGE
};

/// One of two pods is replaced, and the update rests.
pub const CANARY: Scenario = Scenario {
    name: "canary",
    begins_with: Some(|| {
        let set = set("svc").clique("a", |c| c.replicas(2).min(1));
        limited(set, CLIQUES, json!({"partition": 1}))
    }),
    ends_with: rests,
    deleted: &["0-a#1"],
    passing: &[],
    ..UPDATE_SURGE
};

/// The templates are put back: their revision exists, and gets the largest number.
pub const ROLLBACK: Scenario = Scenario {
    name: "rollback",
    begins_with: Some(|| version_1(set("svc").clique("a", |c| c))),
    history: &["2"],
    step: |store| edit_templates(store, "1"),
    ends_with: |store| is_updated(store, "1", 1) && has_revisions(store, 2),
    deleted: &["0-a#0"],
    passing: &[],
    ..UPDATE_SURGE
};

/// The sixth version: beside its revision three stay, and one is deleted, as with the fifth.
pub const SIXTH_EDIT: Scenario = Scenario {
    name: "sixth-edit",
    history: &["2", "3", "4", "5"],
    step: |store| edit_templates(store, "6"),
    ends_with: |store| is_updated(store, "6", 1) && has_revisions(store, 4),
    ..ROLLBACK
};

/// Whether both pods are Ready, only the one with index 1 has version 2, and the set says that the
/// partition keeps the other one.
fn rests(store: &Store) -> bool {
    let set = store.get(&Id::new(Resource::PodCliqueSet, "svc"));
    let says_so = set.is_some_and(|set| {
        let mut conditions = view::list(set, "/status/conditions");
        conditions.any(|condition| condition["reason"] == "Partitioned")
    });
    let is_right = |pod: &Value| {
        let is_kept = view::index(pod) == Some(0);
        view::annotation(pod, VERSION) == if is_kept { "1" } else { "2" }
    };
    let mut pods = store.all(Resource::Pod);
    says_so && ready_pods(store) == 2 && pods.all(|(_, pod)| is_right(pod))
}

/// Whether the set has so many revisions, and the accepted one the largest number.
fn has_revisions(store: &Store, count: usize) -> bool {
    let set = store.get(&Id::new(Resource::PodCliqueSet, "svc"));
    let accepted = set.map_or("", |set| view::text(set, "/status/currentRevision"));
    let all = || store.all(Resource::ControllerRevision);
    let newest = all().max_by_key(|(_, revision)| view::number(revision, "/revision"));
    all().count() == count && newest.is_some_and(|(id, _)| id.name == accepted)
}
