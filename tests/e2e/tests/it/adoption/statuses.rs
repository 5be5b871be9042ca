//! Statuses as the Go operator writes them.

use serde_json::{Value, json};

use super::meta::{GENERATION, THEN};

/// Of a set whose replicas are all available.
pub fn set(name: &str, replicas: u32) -> Value {
    json!({
        "observedGeneration": 1,
        "replicas": replicas,
        "availableReplicas": replicas,
        "updatedReplicas": replicas,
        "hpaPodSelector": selector(name),
        "currentGenerationHash": GENERATION,
    })
}

fn selector(set: &str) -> String {
    format!("app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of={set}")
}

/// Of a group all of whose replicas are available.
pub fn group(set: &str, name: &str, replicas: u32) -> Value {
    let reason = "SufficientAvailablePodCliqueScalingGroupReplicas";
    json!({
        "observedGeneration": 1,
        "replicas": replicas,
        "scheduledReplicas": replicas,
        "availableReplicas": replicas,
        "updatedReplicas": replicas,
        "selector": format!("{},grove.io/podcliquescalinggroup={name}", selector(set)),
        "currentPodCliqueSetGenerationHash": GENERATION,
        "conditions": [condition("MinAvailableBreached", "False", reason)],
    })
}

/// Of a PodClique with all its pods; one that is in no group has been through an update to the
/// hash that it has.
pub fn podclique(podclique: &Value) -> Value {
    let spec = &podclique["spec"];
    let hash = &podclique["metadata"]["labels"]["grove.io/pod-template-hash"];
    let mut status = json!({
        "observedGeneration": 1,
        "replicas": spec["replicas"],
        "readyReplicas": spec["replicas"],
        "updatedReplicas": spec["replicas"],
        "scheduledReplicas": spec["replicas"],
        "scheduleGatedReplicas": 0,
        "currentPodCliqueSetGenerationHash": GENERATION,
        "currentPodTemplateHash": hash,
        "conditions": [
            condition("PodCliqueScheduled", "True", "SufficientScheduledPods"),
            condition("MinAvailableBreached", "False", "SufficientReadyPods"),
        ],
    });
    if podclique["metadata"]["labels"]["grove.io/podcliquescalinggroup"].is_null() {
        status["updateProgress"] = json!({
            "updateStartedAt": THEN,
            "updateEndedAt": THEN,
            "podCliqueSetGenerationHash": GENERATION,
            "podTemplateHash": hash,
        });
    }
    status
}

/// Of a PodGang: the Go operator never writes another phase.
pub fn gang(is_complete: bool) -> Value {
    let initialized = if is_complete {
        condition("Initialized", "True", "PodGangPodsCreated")
    } else {
        condition("Initialized", "False", "PodGangPodsCreationPending")
    };
    json!({"phase": "Pending", "conditions": [initialized]})
}

pub fn condition(type_: &str, status: &str, reason: &str) -> Value {
    json!({"type": type_, "status": status, "reason": reason, "message": "as it was",
        "observedGeneration": 1, "lastTransitionTime": THEN})
}
