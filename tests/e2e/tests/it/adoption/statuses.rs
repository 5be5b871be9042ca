//! Statuses as the Go operator writes them.

use serde_json::{Value, json};

use super::meta::{GENERATION, THEN};

/// Status of a set with all replicas available.
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

/// Status of a group with all replicas available.
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

/// Status of a PodClique with all its pods; a standalone one was updated to its present hash.
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

/// Status of a PodGang: the Go operator never writes another phase.
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
