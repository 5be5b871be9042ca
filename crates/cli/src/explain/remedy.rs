//! The remedy of each cause: the tables of docs/operations.md, word for word (a test compares
//! them). Pod states with their own remedies are in `domain::health::readiness`.

use api::conditions::Reason;

/// The remedy of this cause; `None` for a reason that is not one.
pub fn remedy_of(reason: Reason) -> Option<&'static str> {
    remedy_of_object(reason)
        .or_else(|| remedy_of_update(reason))
        .or_else(|| remedy_of_pod(reason))
}

fn remedy_of_update(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::UpdateRefused => {
            "correct the template or put the old one back; the message has the API server's words, \
             and nothing was changed"
        }
        Reason::UpdateStalled => {
            "correct the template, free capacity or raise `maxUnavailable`; the message names the \
             cause"
        }
        Reason::UpdatePaused => "set `spec.updateStrategy.paused` to false",
        Reason::UpdatePartitioned => {
            "lower the partition that the message names to go on, or `kubectl grove undo` to go back"
        }
        _ => return None,
    })
}

fn remedy_of_object(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::NameTaken => "delete or rename that object; the message names its owner",
        Reason::MaxRestartsExceeded => {
            "see `status.lastFailures`; delete the job and apply it again"
        }
        Reason::MaxRuntimeExceeded => "delete the job and apply it again, with more time",
        Reason::InvalidSpec => "the message has path, value and remedy",
        Reason::LimitExceeded => {
            "the message has path, value and limit; scale down, or split the workload"
        }
        Reason::QuotaExceeded => {
            "raise the quota, or free some of it; the operator tries again within a minute"
        }
        Reason::ServiceAccountMissing => "create it, or correct `serviceAccountName`",
        Reason::PriorityClassMissing => "create it, or correct `priorityClassName`",
        Reason::RequestRefused => "the message names the cause: a policy, a webhook, a LimitRange",
        Reason::SchedulerNotInstalled => {
            "install the scheduler, or choose another profile; the message names the missing part"
        }
        Reason::QueueNotFound => "create it, or correct its name; the message has both",
        Reason::TopologyUnavailable => {
            "the message names what is missing and the levels that there are; the gang starts by \
             itself once it is there"
        }
        Reason::ClaimMissing => {
            "the message names what is missing: create the ResourceClaimTemplate, or end the pod that \
             holds an earlier claim; the pods follow by themselves"
        }
        Reason::PriorityTooHigh => {
            "name a PriorityClass of at most 1000000000 in `spec.template.priorityClassName`"
        }
        _ => return None,
    })
}

fn remedy_of_pod(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::PodFailed => {
            "the message names the failure; the operator replaces the pod, later each time"
        }
        Reason::ImagePullFailed => {
            "check the image's name, the registry and `imagePullSecrets`; `kubectl describe pod \
             POD` has its answer"
        }
        Reason::ContainerConfigError => {
            "create the ConfigMap, the Secret or the key that the message names; the kubelet \
             tries again by itself"
        }
        Reason::CrashLoop => "`kubectl logs POD -c CONTAINER --previous`",
        Reason::VolumeUnavailable => "`kubectl get pvc`; create or bind it",
        Reason::TopologyNoDomain => {
            "free, add or uncordon nodes in one domain, or require a broader level; `kubectl grove \
             explain` lists the domains and their room"
        }
        Reason::NodeSelectorUnmatched => {
            "correct them, or label nodes: `kubectl get nodes --show-labels`"
        }
        Reason::InsufficientResources => {
            "free or add nodes; `kubectl describe nodes` lists the requests on each node"
        }
        Reason::ClaimFull => {
            "share the devices with scope `PerReplica` or with a filter in a new PodCliqueSet"
        }
        Reason::DevicesUnavailable => {
            "free or add devices; `kubectl get resourceslices` lists those of each node"
        }
        Reason::Unschedulable => "the message is the scheduler's",
        Reason::ForeignSchedulingGate => {
            "another controller set the gate: ask its owner to remove it; the message names it"
        }
        Reason::Terminating | Reason::ReplicaTerminating | Reason::PodTerminating => {
            "none; a pod that hangs in Terminating stops counting after `stuckPodTimeout`, of a \
             job on a node that is Ready after `stuckPodTimeoutOnReadyNode`"
        }
        Reason::Suspended => "set `spec.suspend` to false, or `kubectl grove resume SET`",
        Reason::PodsBeingCreated => "none; if it stays so, read the operator's log",
        Reason::PodNotReady => {
            "`kubectl get node NODE`: Kubernetes evicts its pods after their tolerations (300 s \
             by default), and the operator replaces them"
        }
        Reason::ContainersNotReady => "`kubectl logs POD`; loading a model may take its time",
        Reason::PodsStarting => "none; `kubectl describe pod POD` if it stays so",
        Reason::WaitingForScheduler => "check that the scheduler in the message runs",
        Reason::WaitingForStartOrder => {
            "the PodCliqueSet's message names the PodCliques it waits for; `kubectl logs POD -c \
             grove-initc`. If the kubelet has not passed on the start signal, check its node"
        }
        Reason::GangIncomplete => "the PodCliqueSet's message names the missing pods",
        Reason::BaseGangNotReady => "look at the base gang first: `kubectl get podgang`",
        _ => return None,
    })
}

/// The remedy of the kubelet's warning that explains why a pod does not start, by the reason of the
/// event.
pub fn hold_up_remedy(event: &str) -> Option<&'static str> {
    Some(match event {
        "FailedMount" => {
            "create the Secret, ConfigMap, claim or path that the message names, or correct the \
             volume in the template of the PodCliqueSet; the kubelet tries again by itself"
        }
        "FailedMapVolume" => {
            "`kubectl get pvc`; correct the volume in the template of the PodCliqueSet"
        }
        "FailedAttachVolume" => {
            "`kubectl get volumeattachments` shows which node still has the volume"
        }
        "FailedResourceClaimCreation" => {
            "create the ResourceClaimTemplate that the message names, or correct `resourceClaims` in \
             the template of the PodCliqueSet"
        }
        "FailedCreatePodSandBox" => {
            "`kubectl describe node NODE`: the message is that of its network plugin or container \
             runtime"
        }
        _ => return None,
    })
}

/// The objects for the placeholders of a remedy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named<'a> {
    /// Namespace of the set.
    pub namespace: Option<&'a str>,
    /// Name of the pod.
    pub pod: Option<&'a str>,
    /// Name of its node.
    pub node: Option<&'a str>,
    /// Name of its container.
    pub container: Option<&'a str>,
}

impl Named<'_> {
    /// The remedy with known names instead of POD, CONTAINER and NODE, so that its commands can be
    /// pasted.
    pub fn fill(self, remedy: &str) -> String {
        let namespace = self.namespace.map_or(String::new(), |n| format!(" -n {n}"));
        let pod = self.pod.map(|pod| format!("{pod}{namespace}"));
        let mut text = remedy.replace("kubectl get pvc", &format!("kubectl get pvc{namespace}"));
        if self.container.is_none() {
            text = text.replace(" -c CONTAINER", "");
        }
        let names = [
            ("POD", pod.as_deref()),
            ("CONTAINER", self.container),
            ("NODE", self.node),
        ];
        for (placeholder, name) in names {
            text = name.map_or(text.clone(), |name| text.replace(placeholder, name));
        }
        text
    }
}
