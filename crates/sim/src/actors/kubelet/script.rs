//! Recorded statuses of kubelets, as scripts that pods play: `testkit::recordings`.

use std::sync::LazyLock;

use api::start_order;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use testkit::recordings::{self, RecordedStep, Recording};

use crate::view;

/// Exit codes of containers that ended on request.
const ASKED_TO_END: [i64; 2] = [137, 143];
/// Reasons of other components to delete a pod.
const DELETERS: [&str; 3] = [
    "EvictionByEvictionAPI",
    "DeletionByTaintManager",
    "PreemptionByScheduler",
];

/// All scripts that pods of the simulator can play. Pods with dependencies wait for their start
/// without a script.
pub(super) static SCRIPTS: LazyLock<Vec<Script>> = LazyLock::new(|| {
    recordings::all()
        .into_iter()
        .filter(|r| !r.init_containers().contains(&start_order::CONTAINER))
        .map(|recording| Script::of(&recording))
        .collect()
});

/// The kubelet's statuses of one pod.
pub(super) struct Script {
    /// Name of the recording.
    pub name: String,
    restart_policy: String,
    containers: Vec<String>,
    init_containers: Vec<String>,
    /// Before the pod is deleted.
    pub life: Vec<Scene>,
    /// Once it is deleted; after that it is gone.
    pub end: Vec<Scene>,
    /// Whether another component deletes it at the end of its life.
    pub is_evicted: bool,
}

/// One status.
pub(super) struct Scene {
    /// Time since the scene before.
    pub after: SignedDuration,
    /// When it was recorded.
    pub at: Timestamp,
    /// As it was recorded.
    pub status: Value,
}

impl Script {
    fn of(recording: &Recording) -> Self {
        let is_undone = recording.is_deleted_by_operator();
        let steps = recording.steps.iter().filter(|s| s.is_bound && !s.is_end);
        let lives = |step: &&RecordedStep| {
            step.deletion.is_none() || (is_undone && !is_evicted(step) && !was_killed(step))
        };
        let life = steps.clone().take_while(lives);
        let end = steps.clone().filter(|step| step.deletion.is_some());
        let names = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        Self {
            name: recording.name.clone(),
            restart_policy: recording.about.restart_policy.clone(),
            containers: names(recording.app_containers()),
            init_containers: names(recording.init_containers()),
            life: scenes(life),
            is_evicted: steps.clone().any(is_evicted),
            end: scenes(end),
        }
    }

    /// Whether a pod with these containers can play it.
    pub fn suits(&self, pod: &Value) -> bool {
        let names = |list| view::list(pod, list).map(|c| view::text(c, "/name"));
        let init = names("/spec/initContainers").filter(|name| *name != start_order::CONTAINER);
        self.restart_policy == policy(pod)
            && self.containers.iter().eq(names("/spec/containers"))
            && self.init_containers.iter().eq(init)
    }

    /// Whether the pod ends by itself.
    pub fn ends(&self) -> bool {
        let last = self.life.last().map_or(&Value::Null, |scene| &scene.status);
        matches!(view::text(last, "/phase"), "Succeeded" | "Failed")
    }

    /// Whether the pod fails, or is deleted by another component.
    pub fn is_bad(&self) -> bool {
        let fails = |s: &Scene| view::text(&s.status, "/phase") == "Failed";
        self.is_evicted || self.life.iter().any(fails)
    }

    /// Whether the pod comes to rest by itself: Ready, or ended.
    pub fn settles(&self) -> bool {
        let last = self.life.last().map_or(&Value::Null, |scene| &scene.status);
        let mut conditions = view::list(last, "/conditions");
        let is_ready =
            |c: &Value| view::text(c, "/type") == "Ready" && view::text(c, "/status") == "True";
        !self.is_evicted && (self.ends() || conditions.any(is_ready))
    }
}

/// `restartPolicy` of a pod.
pub(super) fn policy(pod: &Value) -> &str {
    match view::text(pod, "/spec/restartPolicy") {
        "" => "Always",
        policy => policy,
    }
}

fn is_evicted(step: &RecordedStep) -> bool {
    view::list(&step.status, "/conditions")
        .map(|c| view::text(c, "/reason"))
        .any(|reason| DELETERS.contains(&reason))
}

fn was_killed(step: &RecordedStep) -> bool {
    let containers = view::list(&step.status, "/containerStatuses");
    containers
        .map(|c| view::number(c, "/state/terminated/exitCode"))
        .any(|code| ASKED_TO_END.contains(&code))
}

fn scenes<'a>(steps: impl Iterator<Item = &'a RecordedStep>) -> Vec<Scene> {
    let mut before = None;
    let scene = |step: &RecordedStep| Scene {
        after: step
            .at
            .duration_since(before.replace(step.at).unwrap_or(step.at)),
        at: step.at,
        status: step.status.clone(),
    };
    steps.map(scene).collect()
}
