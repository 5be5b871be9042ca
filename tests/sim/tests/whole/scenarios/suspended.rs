//! Suspend, resume, and the end of a job that is kept for a time.

use serde_json::{Value, json};
use sim::{Id, Resource, Store, actors, view};

use super::manifests::{job, service};
use super::steps::fail_pods;
use super::{CREATE, Scenario, ready_pods};

/// All pods of `service`.
const ALL: [&str; 6] = [
    "0-a#0",
    "0-a#1",
    "0-g-0-b#0",
    "0-g-0-c#0",
    "0-g-1-b#0",
    "0-g-1-c#0",
];

/// A set is suspended.
pub const SUSPEND: Scenario = Scenario {
    name: "suspend",
    begins_with: Some(service),
    step: |store| ask(store, true),
    ends_with: is_suspended,
    deleted: &ALL,
    events: &["Suspended"],
    ..CREATE
};

/// A job without restarts is suspended: it does not fail.
pub const SUSPEND_JOB: Scenario = Scenario {
    name: "suspend-job",
    begins_with: Some(large_job),
    is_job: true,
    ..SUSPEND
};

/// A suspended set is resumed.
pub const RESUME: Scenario = Scenario {
    name: "resume",
    begins_with: Some(|| suspended(service())),
    step: |store| ask(store, false),
    ends_with: |store| ready_pods(store) == 6 && !has(store, "Suspended"),
    events: &["Resumed"],
    ..CREATE
};

/// A suspended job without restarts is resumed.
pub const RESUME_JOB: Scenario = Scenario {
    name: "resume-job",
    begins_with: Some(|| suspended(large_job())),
    is_job: true,
    ..RESUME
};

/// A job fails, and is deleted with all its objects when its time has passed.
pub const EXPIRE: Scenario = Scenario {
    name: "expire",
    begins_with: Some(|| kept(job(0))),
    step: |store| fail_pods(store, "svc-0-a"),
    ends_with: |store| {
        store
            .objects()
            .all(|(id, _)| id.resource == Resource::Event)
    },
    is_job: true,
    deleted: &["0-a#0", "0-g-0-b#0"],
    events: &["MaxRestartsExceeded", "TTLExpired"],
    ..CREATE
};

fn ask(store: &mut Store, suspend: bool) {
    let id = Id::new(Resource::PodCliqueSet, "svc");
    store.edit("user", &id, |set| set["spec"]["suspend"] = json!(suspend));
}

fn has(store: &Store, condition: &str) -> bool {
    let set = store.get(&Id::new(Resource::PodCliqueSet, "svc"));
    set.is_some_and(|set| view::has_condition(set, condition))
}

fn is_suspended(store: &Store) -> bool {
    let is_any_left = store.all(Resource::Pod).next().is_some();
    has(store, "Suspended") && !has(store, "Failed") && !is_any_left
}

fn suspended(mut manifest: Value) -> Value {
    manifest["spec"]["suspend"] = json!(true);
    manifest
}

fn kept(mut manifest: Value) -> Value {
    manifest["spec"]["trainingSpec"]["ttlAfterFinished"] = json!("5s");
    manifest
}

/// A job with the pods of `service`, which do not end by themselves.
fn large_job() -> Value {
    let mut job = service();
    job["spec"]["workloadType"] = json!("Training");
    job["spec"]["trainingSpec"] = json!({"maxRestarts": 0});
    let cliques = job["spec"]["template"]["cliques"].as_array_mut();
    for clique in cliques.unwrap() {
        clique["spec"]["podSpec"]["containers"][0]["command"] = json!(actors::ENDLESS);
    }
    job
}
