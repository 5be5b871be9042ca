//! Scenarios of a set.

mod ends;
mod ganged;
mod manifests;
mod pinned;
mod shared;
mod steps;
mod suspended;
mod updates;

use std::time::Duration;

use operator::config::Gangs;
use serde_json::{Value, json};
use sim::{Id, Resource, Store, view};

use crate::cluster::PACE;
use crate::left;
use ends::attempt;
pub use ends::{gangs, is_updated, ready_pods};
use manifests::{autoscaled, idle, ordered, pair, pair_of_cliques, small};
pub use manifests::{job, manifest, service, terminated};
pub use pinned::{domains, packed_in};
use steps::scale_parts;
pub use steps::{break_pods, create, edit_templates, fail_pods, pods_of, scale};

/// The creator of the objects that run before a scenario.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// This operator.
    Ours,
    /// The Go operator; this one has adopted them.
    Adopted,
    /// The Go operator; the scenario begins with the start of this one.
    Left,
}

/// A scenario of a set named `svc`.
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// The set that runs before, if any.
    pub begins_with: Option<fn() -> Value>,
    /// The versions of its templates that it had one after the other since then.
    pub history: &'static [&'static str],
    /// The action of a user or the cluster.
    pub step: fn(&mut Store),
    /// The end without a fault: number of Ready pods, and more.
    pub ends_with: fn(&Store) -> bool,
    /// Whether it is of a training job.
    pub is_job: bool,
    /// The creator of the objects that run before.
    pub before: Before,
    /// The slots that lose their pods.
    pub deleted: &'static [&'static str],
    /// Whether each of them gets exactly one replacement.
    pub are_replaced: bool,
    /// The slots whose pods come and go: those of surge.
    pub passing: &'static [&'static str],
    /// Reasons of events that are posted once.
    pub events: &'static [&'static str],
    /// The scheduler that receives gangs, its backend and the mode.
    pub scheduler: Option<(&'static str, &'static str, Gangs)>,
    /// Whether the nodes of the cluster have zones and racks.
    pub has_topology: bool,
    /// Time between two moves of the other actors.
    pub pace: Duration,
}

/// All of them.
pub const SCENARIOS: [&Scenario; 42] = [
    &CREATE,
    &CREATE_SLOWLY,
    &ORDERED,
    &SCALE_OUT,
    &SCALE_IN,
    &REPLICA_OUT,
    &REPLICA_IN,
    &IDLE,
    &ALL_IDLE,
    &WAKE,
    &DELETE,
    &TERMINATION,
    &RECYCLING,
    &RESTART,
    &FINAL_FAILURE,
    &AUTOSCALERS,
    &UPDATE,
    &ADOPTION,
    &ADOPTED_UPDATE,
    &ganged::KUBERNETES_OUT,
    &ganged::KUBERNETES_TERMINATION,
    &ganged::TREE_OUT,
    &ganged::TREE_TERMINATION,
    &ganged::KAI_OUT,
    &ganged::KAI_TERMINATION,
    &ganged::VOLCANO_OUT,
    &ganged::VOLCANO_TERMINATION,
    &updates::UPDATE_SURGE,
    &updates::UPDATE_SURGE_OF_GROUP,
    &updates::UPDATE_COHERENT,
    &updates::UPDATE_REPLICAS,
    &updates::CANARY,
    &updates::ROLLBACK,
    &updates::SIXTH_EDIT,
    &suspended::SUSPEND,
    &suspended::SUSPEND_JOB,
    &suspended::RESUME,
    &suspended::RESUME_JOB,
    &suspended::EXPIRE,
    &shared::CLAIMS,
    &shared::CLAIMS_IN,
    &pinned::PINNED_OUT,
];

/// A set is created.
pub const CREATE: Scenario = Scenario {
    name: "create",
    begins_with: None,
    history: &[],
    step: |store| create(store, &service()),
    ends_with: |store| ready_pods(store) == 6,
    is_job: false,
    before: Before::Ours,
    deleted: &[],
    are_replaced: false,
    passing: &[],
    events: &[],
    scheduler: None,
    has_topology: false,
    pace: PACE,
};

/// The same with slow actors: PodCliques report their progress before they are up.
pub const CREATE_SLOWLY: Scenario = Scenario {
    name: "create-slowly",
    pace: Duration::from_millis(300),
    ..CREATE
};

/// A set is created whose pods start one after the other.
pub const ORDERED: Scenario = Scenario {
    name: "ordered",
    begins_with: None,
    step: |store| create(store, &ordered()),
    ends_with: |store| ready_pods(store) == 3,
    ..CREATE
};

/// A clique and a group get one replica more.
pub const SCALE_OUT: Scenario = Scenario {
    name: "scale-out",
    begins_with: Some(service),
    step: |store| scale_parts(store, 3),
    ends_with: |store| ready_pods(store) == 9,
    ..CREATE
};

/// A clique and a group lose a replica.
pub const SCALE_IN: Scenario = Scenario {
    name: "scale-in",
    begins_with: Some(service),
    step: |store| scale_parts(store, 1),
    ends_with: |store| ready_pods(store) == 3,
    deleted: &["0-a#1", "0-g-1-b#0", "0-g-1-c#0"],
    ..CREATE
};

/// The set gets a replica more.
pub const REPLICA_OUT: Scenario = Scenario {
    name: "replica-out",
    begins_with: Some(|| manifest(small(1))),
    step: |store| scale(store, Resource::PodCliqueSet, "svc", 2),
    ends_with: |store| ready_pods(store) == 4,
    ..CREATE
};

/// The set loses a replica.
pub const REPLICA_IN: Scenario = Scenario {
    name: "replica-in",
    begins_with: Some(|| manifest(small(2))),
    step: |store| scale(store, Resource::PodCliqueSet, "svc", 1),
    ends_with: |store| ready_pods(store) == 2,
    deleted: &["1-a#0", "1-g-0-b#0"],
    ..CREATE
};

/// A group is scaled to 0, and the clique beside it continues.
pub const IDLE: Scenario = Scenario {
    name: "idle",
    begins_with: Some(service),
    step: |store| scale(store, Resource::PodCliqueScalingGroup, "svc-0-g", 0),
    ends_with: |store| ready_pods(store) == 2 && gangs(store) == ["svc-0: svc-0-a"],
    deleted: &["0-g-0-b#0", "0-g-0-c#0", "0-g-1-b#0", "0-g-1-c#0"],
    ..CREATE
};

/// All of a set is scaled to 0.
pub const ALL_IDLE: Scenario = Scenario {
    name: "all-idle",
    begins_with: Some(service),
    step: |store| scale_parts(store, 0),
    ends_with: |store| ready_pods(store) == 0 && gangs(store).is_empty(),
    deleted: &[
        "0-a#0",
        "0-a#1",
        "0-g-0-b#0",
        "0-g-0-c#0",
        "0-g-1-b#0",
        "0-g-1-c#0",
    ],
    ..CREATE
};

/// A clique and a group at 0 replicas beside a running clique are scaled up: the group beyond its
/// minimum.
pub const WAKE: Scenario = Scenario {
    name: "wake",
    begins_with: Some(idle),
    step: |store| {
        scale(store, Resource::PodClique, "svc-0-a", 2);
        scale(store, Resource::PodCliqueScalingGroup, "svc-0-g", 3);
    },
    ends_with: |store| {
        let base = "svc-0: svc-0-a svc-0-front svc-0-g-0-b svc-0-g-0-c svc-0-g-1-b svc-0-g-1-c";
        ready_pods(store) == 9 && gangs(store) == [base, "svc-0-g-0: svc-0-g-2-b svc-0-g-2-c"]
    },
    ..CREATE
};

/// The set is deleted.
pub const DELETE: Scenario = Scenario {
    name: "delete",
    begins_with: Some(service),
    step: |store| store.remove("user", &Id::new(Resource::PodCliqueSet, "svc")),
    ends_with: |store| {
        store
            .objects()
            .all(|(id, _)| id.resource == Resource::Event)
    },
    deleted: &[
        "0-a#0",
        "0-a#1",
        "0-g-0-b#0",
        "0-g-0-c#0",
        "0-g-1-b#0",
        "0-g-1-c#0",
    ],
    ..CREATE
};

/// A clique breaks, and its replica is terminated and recreated.
pub const TERMINATION: Scenario = Scenario {
    name: "termination",
    begins_with: Some(|| terminated(manifest(small(1)))),
    step: |store| break_pods(store, "svc-0-a"),
    ends_with: |store| {
        ready_pods(store) == 2 && attempt(store, Resource::PodCliqueSet, "svc", 0) == 1
    },
    deleted: &["0-a#0", "0-g-0-b#0"],
    are_replaced: true,
    events: &["GangTerminated"],
    ..CREATE
};

/// A replica of a group breaks, and it alone is terminated and recreated.
pub const RECYCLING: Scenario = Scenario {
    name: "recycling",
    begins_with: Some(|| terminated(manifest(pair()))),
    step: |store| break_pods(store, "svc-0-g-1-b"),
    ends_with: |store| {
        let group = Resource::PodCliqueScalingGroup;
        ready_pods(store) == 2 && attempt(store, group, "svc-0-g", 1) == 1
    },
    deleted: &["0-g-1-b#0"],
    are_replaced: true,
    events: &["GangTerminated"],
    ..CREATE
};

/// A pod of a job fails, and its replica is restarted.
pub const RESTART: Scenario = Scenario {
    name: "restart",
    begins_with: Some(|| job(3)),
    step: |store| fail_pods(store, "svc-0-a"),
    ends_with: |store| {
        let restarts = store.get(&Id::new(Resource::PodCliqueSet, "svc"));
        let restarts = restarts.map(|job| view::number(job, "/status/restartCount"));
        ready_pods(store) == 2 && restarts == Some(1)
    },
    is_job: true,
    deleted: &["0-a#0", "0-g-0-b#0"],
    are_replaced: true,
    events: &["ReplicaRestarting", "PodCliqueFailed"],
    ..CREATE
};

/// A pod of a job without restarts fails.
pub const FINAL_FAILURE: Scenario = Scenario {
    name: "final-failure",
    begins_with: Some(|| job(0)),
    step: |store| fail_pods(store, "svc-0-a"),
    ends_with: |store| {
        let job = store.get(&Id::new(Resource::PodCliqueSet, "svc"));
        let phase = job.map(|job| view::text(job, "/status/phase"));
        phase == Some("Failed") && store.all(Resource::Pod).count() == 1
    },
    is_job: true,
    deleted: &["0-g-0-b#0"],
    events: &["MaxRestartsExceeded", "PodCliqueFailed"],
    ..CREATE
};

/// Autoscalers are created, corrected and deleted as the template changes, and Kubernetes' own
/// controller scales with them.
pub const AUTOSCALERS: Scenario = Scenario {
    name: "autoscalers",
    begins_with: Some(|| manifest(autoscaled(small(1)))),
    step: |store| {
        store.edit("user", &Id::new(Resource::PodCliqueSet, "svc"), |set| {
            let template = &mut set["spec"]["template"];
            template["cliques"][0]["spec"]["autoScalingConfig"]["minReplicas"] = json!(2);
            let group = template["podCliqueScalingGroups"][0].as_object_mut();
            group.unwrap().remove("scaleConfig");
            set["spec"]["replicas"] = json!(2);
        });
    },
    ends_with: |store| {
        let all = store.all(Resource::HorizontalPodAutoscaler);
        let all: Vec<_> = all.map(|(id, _)| id.name.as_str()).collect();
        ready_pods(store) == 6 && all == ["svc-0-a", "svc-1-a"]
    },
    ..CREATE
};

/// All pods get another template: a clique's, and those of a group replica of two cliques.
pub const UPDATE: Scenario = Scenario {
    name: "update",
    begins_with: Some(|| manifest(pair_of_cliques())),
    step: |store| edit_templates(store, "2"),
    ends_with: |store| is_updated(store, "2", 3),
    deleted: &["0-a#0", "0-g-0-b#0", "0-g-0-c#0"],
    are_replaced: true,
    ..CREATE
};

/// All running objects are those of the Go operator, and are adopted: of pods only a label changes.
pub const ADOPTION: Scenario = Scenario {
    name: "adoption",
    begins_with: Some(service),
    step: |_| {},
    ends_with: |store| ready_pods(store) == 6 && left::is_adopted(store),
    before: Before::Left,
    ..CREATE
};

/// An adopted set gets another template.
pub const ADOPTED_UPDATE: Scenario = Scenario {
    name: "adopted-update",
    before: Before::Adopted,
    ..UPDATE
};

/// The label that distinguishes the templates.
const VERSION: &str = "example.com/version";
