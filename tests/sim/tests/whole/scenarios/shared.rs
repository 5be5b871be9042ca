//! Sets whose pods share resource claims: of the set, of a group replica, and of a pod's index.

use serde_json::{Value, json};
use sim::{Resource, Store, sharing};

use super::manifests::service;
use super::steps::{create, scale_parts};
use super::{CREATE, Scenario, ready_pods};

/// A set is created: its pods follow their claims.
pub const CLAIMS: Scenario = Scenario {
    name: "claims",
    begins_with: None,
    step: |store| create(store, &shared()),
    ends_with: |store| {
        let claims = [
            "svc-0-a-0-pool",
            "svc-0-a-1-pool",
            "svc-0-g-0-pool",
            "svc-0-g-1-pool",
            "svc-all-net",
        ];
        is_shared(store, 6, &claims)
    },
    ..CREATE
};

/// A clique and a group lose a replica, and their claims go after the pods.
pub const CLAIMS_IN: Scenario = Scenario {
    name: "claims-in",
    begins_with: Some(shared),
    step: |store| scale_parts(store, 1),
    ends_with: |store| {
        let claims = ["svc-0-a-0-pool", "svc-0-g-0-pool", "svc-all-net"];
        is_shared(store, 3, &claims)
    },
    deleted: &["0-a#1", "0-g-1-b#0", "0-g-1-c#0"],
    ..CREATE
};

fn shared() -> Value {
    let mut set = service();
    let request = json!({"spec": {"devices": {"requests": [{"name": "gpu"}]}}});
    let each = json!([{"name": "pool", "scope": "PerReplica"}]);
    let template = &mut set["spec"]["template"];
    template["resourceClaimTemplates"] = json!([
        {"name": "net", "templateSpec": request},
        {"name": "pool", "templateSpec": request},
    ]);
    template["resourceSharing"] = json!([{"name": "net", "scope": "AllReplicas"}]);
    template["podCliqueScalingGroups"][0]["resourceSharing"] = each.clone();
    template["cliques"][0]["resourceSharing"] = each;
    set
}

/// Whether so many pods are Ready, each with a claim of the set and another one, and these claims exist.
fn is_shared(store: &Store, pods: usize, claims: &[&str]) -> bool {
    let existing: Vec<&str> = sharing::claims(store).map(|(id, _)| &*id.name).collect();
    let mut all = store.all(Resource::Pod);
    let are_right = all.all(|(_, pod)| sharing::claims_of(pod).count() == 2);
    ready_pods(store) == pods && are_right && existing == claims
}
