//! Queues of Kueue, and devices.

use super::*;

/// Queued, with shared claims of its own and of another namespace, a claim in the pod template, and an MNNVL
/// group.
fn with_devices() -> PodCliqueSet {
    let named = |request: Value| json!({"spec": {"devices": {"requests": [request]}}});
    let exactly = json!({"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}});
    let any =
        json!([{"name": "a", "deviceClassName": "big"}, {"name": "b", "deviceClassName": "small"}]);
    let any = json!({"name": "gpu", "firstAvailable": any});
    set(&[
        (
            "/metadata/labels",
            json!({"kueue.x-k8s.io/queue-name": "team-a", "kueue.x-k8s.io/priority-class": "urgent"}),
        ),
        (
            "/spec/template/resourceClaimTemplates",
            json!([
                {"name": "pool", "templateSpec": named(exactly)},
                {"name": "any", "templateSpec": named(any)}
            ]),
        ),
        (
            "/spec/template/resourceSharing",
            json!([
                {"name": "pool", "scope": "AllReplicas"},
                {"name": "fabric", "namespace": "gpu-templates", "scope": "PerReplica"}
            ]),
        ),
        (
            &at(GROUP, "resourceSharing"),
            json!([{"name": "nic", "scope": "PerReplica"}]),
        ),
        (
            &at(FRONTEND, "annotations"),
            json!({"grove.io/mnnvl-group": "rack"}),
        ),
        (
            &of_frontend("resourceClaims"),
            json!([
                {"name": "a", "resourceClaimName": "disk"},
                {"name": "b", "resourceClaimTemplateName": "card"}
            ]),
        ),
    ])
}

#[test]
fn queues_of_kueue_and_devices_are_needed() {
    let lines: Vec<_> = needs_of(&with_devices(), "ml").iter().map(line).collect();
    let template = "spec.template.resourceClaimTemplates";
    let requests = "templateSpec.spec.devices.requests[0]";
    let pod = "spec.template.cliques[0].spec.podSpec";
    let group = "spec.template.podCliqueScalingGroups[0]";
    let expected = [
        "Definition -/podcliquesets by apiVersion".to_owned(),
        "Namespace -/ml by metadata.namespace".to_owned(),
        format!("ResourceClaim ml/disk by {pod}.resourceClaims[0].resourceClaimName"),
        format!("ClaimTemplate ml/card by {pod}.resourceClaims[1].resourceClaimTemplateName"),
        "LocalQueue ml/team-a by metadata.labels[kueue.x-k8s.io/queue-name]".to_owned(),
        "WorkloadPriorityClass -/urgent by metadata.labels[kueue.x-k8s.io/priority-class]".to_owned(),
        "ClaimTemplate gpu-templates/fabric by spec.template.resourceSharing[1].name".to_owned(),
        format!("ClaimTemplate ml/nic by {group}.resourceSharing[0].name"),
        format!("DeviceClass -/gpu.example.com by {template}[0].{requests}.exactly.deviceClassName"),
        format!("DeviceClass -/big by {template}[1].{requests}.firstAvailable[0].deviceClassName"),
        format!("DeviceClass -/small by {template}[1].{requests}.firstAvailable[1].deviceClassName"),
        "ComputeDomains -/computedomains by spec.template.cliques[0].annotations[grove.io/mnnvl-group]"
            .to_owned(),
        "Quota ml/serve by spec".to_owned(),
    ];
    assert_eq!(lines, expected);
}

/// Whether the queue, the priority and the devices that these answers are about are missing, or their kinds.
#[rstest]
#[case::queue(
    NeededKind::LocalQueue,
    Answer::Missing,
    "metadata.labels[kueue.x-k8s.io/queue-name]: LocalQueue team-a does not exist in namespace ml; create \
     it, or use one that `kubectl get localqueues.kueue.x-k8s.io -n ml` lists [missing-queue]"
)]
#[case::without_kueue(
    NeededKind::LocalQueue,
    Answer::NotServed,
    "metadata.labels[kueue.x-k8s.io/queue-name]: this cluster does not serve localqueues.kueue.x-k8s.io in \
     version v1beta2; install Kueue 0.17 or newer, or remove the label [missing-queue]"
)]
#[case::priority(
    NeededKind::WorkloadPriorityClass,
    Answer::Missing,
    "metadata.labels[kueue.x-k8s.io/priority-class]: WorkloadPriorityClass urgent does not exist; create \
     it, or correct the name [missing-queue]"
)]
#[case::claim(
    NeededKind::ResourceClaim,
    Answer::Missing,
    "spec.template.cliques[0].spec.podSpec.resourceClaims[0].resourceClaimName: ResourceClaim disk does \
     not exist in namespace ml; create it, or correct the name [missing-claim]"
)]
#[case::without_claims(
    NeededKind::ResourceClaim,
    Answer::NotServed,
    "spec.template.cliques[0].spec.podSpec.resourceClaims[0].resourceClaimName: this cluster does not \
     serve resourceclaims of resource.k8s.io/v1; use Kubernetes 1.34 or newer [missing-claim]"
)]
#[case::without_domains(
    NeededKind::ComputeDomains,
    Answer::NotServed,
    "spec.template.cliques[0].annotations[grove.io/mnnvl-group]: computedomains.resource.nvidia.com is \
     not served: install the NVIDIA DRA driver, or remove grove.io/mnnvl-group from a new PodCliqueSet \
     [missing-claim]"
)]
fn missing_queues_and_devices_are_reported(
    #[case] kind: NeededKind,
    #[case] answer: Answer,
    #[case] expected: &str,
) {
    let found = remarks(&with_devices(), |asked| {
        if asked == kind {
            answer.clone()
        } else {
            Answer::There
        }
    });
    assert_eq!(found, [expected]);
}
