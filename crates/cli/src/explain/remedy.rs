//! The remedy of each cause: the tables of docs/operations.md, word for word (a test compares
//! them). Words in capitals are placeholders ([`super::named`]). Pod states with their own remedies
//! are in `domain::health::readiness`.

use api::conditions::Reason;

/// The remedy of this cause; `None` for a reason that is not one.
pub fn remedy_of(reason: Reason) -> Option<&'static str> {
    remedy_of_object(reason)
        .or_else(|| remedy_of_update(reason))
        .or_else(|| remedy_of_refusal(reason))
        .or_else(|| remedy_of_feature(reason))
        .or_else(|| remedy_of_held_gang(reason))
        .or_else(|| remedy_of_unplaced(reason))
        .or_else(|| remedy_of_pod(reason))
}

fn remedy_of_update(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::UpdateRefused => {
            "correct the template, or put the old one back with `kubectl grove undo SET -n NAMESPACE`; \
             the message has the API server's words, and nothing was changed"
        }
        Reason::UpdateStalled => {
            "the message names the cause: correct the template, free capacity or raise \
             `rollingUpdate.maxUnavailable`; `kubectl grove undo SET -n NAMESPACE` goes back"
        }
        Reason::UpdatePaused => {
            "`kubectl grove unpause SET -n NAMESPACE`, or set `spec.updateStrategy.paused` to false"
        }
        Reason::UpdatePartitioned => {
            "lower the partition that the message names to go on, or `kubectl grove undo SET -n \
             NAMESPACE` to go back"
        }
        _ => return None,
    })
}

fn remedy_of_object(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::NameTaken => {
            "the message names the owner of that object: if it does not need it, `kubectl delete TYPE \
             NAME -n NAMESPACE`; otherwise apply this set under another name"
        }
        Reason::MaxRestartsExceeded => {
            "correct the cause of the failures, which `kubectl grove timeline SET -n NAMESPACE` lists; \
             then `kubectl delete podcliqueset SET -n NAMESPACE`, and apply the job again"
        }
        Reason::MaxRuntimeExceeded => {
            "`kubectl delete podcliqueset SET -n NAMESPACE`; then apply the job again with a larger \
             `spec.trainingSpec.maxRuntime`"
        }
        Reason::InvalidSpec => {
            "the message has path, value and remedy: `kubectl edit podcliqueset SET -n NAMESPACE`"
        }
        Reason::LimitExceeded => {
            "the message has path, value and limit: write a smaller value there with `kubectl edit \
             podcliqueset SET -n NAMESPACE`, or split the workload"
        }
        _ => return None,
    })
}

/// Requests that the API server refused.
fn remedy_of_refusal(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::QuotaExceeded => {
            "raise the quota, or free some of it: `kubectl describe resourcequota QUOTA -n NAMESPACE` \
             shows its use; the operator tries again within a minute"
        }
        Reason::ServiceAccountMissing => {
            "`kubectl create serviceaccount ACCOUNT -n NAMESPACE`, or correct \
             `podSpec.serviceAccountName` in the template of the PodCliqueSet"
        }
        Reason::PriorityClassMissing => {
            "`kubectl create priorityclass CLASS --value=1000`, or write one that `kubectl get \
             priorityclasses` lists into `spec.template.priorityClassName`"
        }
        Reason::RequestRefused => {
            "the message names the cause: a policy or a webhook (`kubectl get \
             validatingadmissionpolicies,validatingwebhookconfigurations`), or a LimitRange (`kubectl \
             describe limitranges -n NAMESPACE`)"
        }
        _ => return None,
    })
}

/// Features that the cluster or the scheduler of the gang lacks.
fn remedy_of_feature(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::SchedulerNotInstalled => {
            "the message names the missing part: install it, or choose another `backend` in the chart's \
             value `config.scheduler.profiles`"
        }
        Reason::QueueNotFound => {
            "write a queue that `kubectl get QUEUES` lists into KEY in the metadata of the \
             PodCliqueSet, or create the missing one"
        }
        Reason::TopologyUnavailable => {
            "the message names the missing level or topology; `kubectl get clustertopologybindings -o \
             yaml` shows those that exist: add it to `spec.levels` there; the gang starts by itself \
             once it exists"
        }
        Reason::ComputeDomainsMissing => {
            "install the NVIDIA DRA driver, until `kubectl api-resources \
             --api-group=resource.nvidia.com` lists computedomains; or create the set again without \
             `grove.io/mnnvl-group`"
        }
        Reason::ClaimMissing => {
            "the message names the missing claim or template: create the ResourceClaimTemplate (`kubectl \
             get resourceclaimtemplates -n NAMESPACE` lists those that exist), or end the pod that holds \
             an earlier claim; the pods follow by themselves"
        }
        Reason::PriorityTooHigh => {
            "write a PriorityClass of at most 1000000000 into `spec.template.priorityClassName`; \
             `kubectl get priorityclasses` lists them"
        }
        _ => return None,
    })
}

fn remedy_of_held_gang(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::Suspended => {
            "`kubectl grove resume SET -n NAMESPACE`, or set `spec.suspend` to false"
        }
        Reason::QuotaEvicted => {
            "none: the gang starts again by itself once its quota is there; `kubectl describe \
             workloads.kueue.x-k8s.io GANG -n NAMESPACE` has Kueue's words"
        }
        Reason::WaitingForQuota => {
            "free or raise quota; `kubectl get workloads.kueue.x-k8s.io -n NAMESPACE` lists the gangs \
             that wait beside it"
        }
        Reason::GangIncomplete => {
            "`kubectl grove tree SET -n NAMESPACE` shows the PodCliques that lack pods, each with its \
             cause"
        }
        Reason::BaseGangNotReady => {
            "correct the cause of the base gang first: `kubectl describe podgang BASE -n NAMESPACE` \
             shows it"
        }
        _ => return None,
    })
}

/// Pods without a node.
fn remedy_of_unplaced(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::VolumeUnavailable => {
            "`kubectl describe pvc CLAIM -n NAMESPACE` shows why it is not bound; if it does not exist, \
             create it, or correct `claimName` in the template of the PodCliqueSet"
        }
        Reason::TopologyNoDomain => {
            "free, add or uncordon nodes in one domain (`kubectl get nodes` shows the cordoned ones), or \
             write a broader level into `topologyConstraint.pack.required`"
        }
        Reason::NodeSelectorUnmatched => {
            "correct `nodeSelector` or `affinity` in the template of the PodCliqueSet, or label nodes: \
             `kubectl get nodes --show-labels` shows their labels"
        }
        Reason::InsufficientResources => {
            "free or add nodes; `kubectl describe nodes` lists the requests on each node"
        }
        Reason::ClaimFull => {
            "share the devices among fewer pods: write `scope: PerReplica` or a `filter` into \
             `resourceSharing` of a new PodCliqueSet"
        }
        Reason::DevicesUnavailable => {
            "free or add devices; `kubectl get resourceslices` lists those of each node"
        }
        Reason::Unschedulable => {
            "the message has the scheduler's words; `kubectl describe nodes` shows taints, conditions \
             and requests of each node"
        }
        Reason::ForeignSchedulingGate => {
            "another controller set gate GATE: ask its owner to remove it; `kubectl get \
             mutatingwebhookconfigurations` lists the webhooks that may set it"
        }
        Reason::WaitingForScheduler => {
            "check that scheduler SCHEDULER runs: `kubectl get pods -A` lists its pods; or correct \
             `schedulerName` in the template of the PodCliqueSet"
        }
        _ => return None,
    })
}

fn remedy_of_pod(reason: Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::PodFailed => {
            "the message names the failure, and `kubectl logs POD -n NAMESPACE --all-containers` prints \
             the last output; the operator replaces the pod, later each time"
        }
        Reason::ImagePullFailed => {
            "correct `image` or `imagePullSecrets` in the template of the PodCliqueSet; `kubectl get \
             secrets -n NAMESPACE --field-selector type=kubernetes.io/dockerconfigjson` lists the \
             Secrets for registries"
        }
        Reason::ContainerConfigError => {
            "create the ConfigMap, the Secret or the key that the message names; `kubectl get \
             configmaps,secrets -n NAMESPACE` lists those that exist; the kubelet tries again by itself"
        }
        Reason::CrashLoop => "`kubectl logs POD -n NAMESPACE -c CONTAINER --previous`",
        Reason::Terminating | Reason::ReplicaTerminating | Reason::PodTerminating => {
            "none; a pod that hangs in Terminating stops counting after `stuckPodTimeout`, of a \
             job on a node that is Ready after `stuckPodTimeoutOnReadyNode`; `kubectl get pods -n \
             NAMESPACE -l app.kubernetes.io/part-of=SET` lists the pods that are left"
        }
        Reason::PodsBeingCreated => {
            "none; if it stays so, `kubectl grove status` shows whether the operator works, and `kubectl \
             logs -n grove-system -l app.kubernetes.io/name=grove-operator` its errors"
        }
        Reason::PodNotReady => {
            "`kubectl get node NODE`: Kubernetes evicts its pods after their tolerations (300 s \
             by default), and the operator replaces them"
        }
        Reason::ContainersNotReady => {
            "`kubectl logs POD -n NAMESPACE -c CONTAINER`; loading a model may take its time"
        }
        Reason::PodsStarting => "none; `kubectl describe pod POD -n NAMESPACE` if it stays so",
        Reason::WaitingForStartOrder => {
            "the message names the PodCliques that the pod waits for; `kubectl logs POD -n NAMESPACE -c \
             grove-initc`. If the kubelet has not passed on the start signal, check its node: `kubectl \
             describe node NODE`"
        }
        _ => return None,
    })
}

/// The remedy of the kubelet's warning that explains why a pod does not start, by the reason of the
/// event.
pub fn hold_up_remedy(event: &str) -> Option<&'static str> {
    Some(match event {
        "FailedMount" => {
            "create the Secret, ConfigMap, claim or path that the message names (`kubectl get \
             secrets,configmaps,pvc -n NAMESPACE` lists those that exist), or correct `volumes` in the \
             template of the PodCliqueSet; the kubelet tries again by itself"
        }
        "FailedMapVolume" => {
            "`kubectl get pvc -n NAMESPACE`; correct `volumes` in the template of the PodCliqueSet"
        }
        "FailedAttachVolume" => {
            "`kubectl get volumeattachments` shows the node that still has the volume"
        }
        "FailedResourceClaimCreation" => {
            "create the ResourceClaimTemplate that the message names (`kubectl get \
             resourceclaimtemplates -n NAMESPACE` lists those that exist), or correct `resourceClaims` \
             in the template of the PodCliqueSet"
        }
        "FailedCreatePodSandBox" => {
            "`kubectl describe node NODE`: the message is that of its network plugin or container \
             runtime"
        }
        _ => return None,
    })
}
