//! Statuses as the Go operator writes them.

use serde_json::{Value, json};

use super::meta::{GENERATION, THEN, template_hash};

/// Of a set whose only replica is available.
pub fn set() -> Value {
    json!({
        "observedGeneration": 1,
        "replicas": 1,
        "availableReplicas": 1,
        "updatedReplicas": 1,
        "hpaPodSelector": "app.kubernetes.io/managed-by=grove-operator,\
                           app.kubernetes.io/part-of=llm",
        "currentGenerationHash": GENERATION,
    })
}

/// Of a group all of whose replicas are available.
pub fn group(replicas: u32) -> Value {
    let reason = "SufficientAvailablePodCliqueScalingGroupReplicas";
    json!({
        "observedGeneration": 1,
        "replicas": replicas,
        "scheduledReplicas": replicas,
        "availableReplicas": replicas,
        "updatedReplicas": replicas,
        "selector": "app.kubernetes.io/managed-by=grove-operator,\
                     app.kubernetes.io/part-of=llm,\
                     grove.io/podcliquescalinggroup=llm-0-model",
        "currentPodCliqueSetGenerationHash": GENERATION,
        "conditions": [condition("MinAvailableBreached", "False", reason)],
    })
}

/// Of a PodClique with all its pods; one that is in no group has been through an update to the
/// hash that it has.
pub fn podclique(podclique: &Value) -> Value {
    let spec = &podclique["spec"];
    let hash = template_hash(spec["roleName"].as_str().unwrap());
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
