//! Finds the cause as the operator does: through the parts of the set, by the order of causes, down
//! to the worst pod.

use admission::defaults::DefaultsConfig;
use admission::validated_set::validate_set;
use api::conditions::{self, ConditionType, Reason};
use domain::Pod;
use domain::health::readiness::{self, Cause, Setting};
use domain::object::ownership;
use domain::roster::ObservedClique;
use domain::workload::layout::{self, LayoutSlot};
use domain::workload::limits;
use k8s_openapi::api::core::v1::Pod as FullPod;

use crate::workload::View;
use crate::workload::Workload;
use crate::workload::observe::lean;

/// The cause that keeps the set, or a pod of it, from running.
#[derive(Clone, Debug, Default)]
pub struct Finding<'a> {
    /// The part of the set with the pod.
    pub part: Option<LayoutSlot<'a>>,
    /// The PodClique, if it exists.
    pub podclique: Option<&'a ObservedClique>,
    /// The pod, if the finding is about one.
    pub pod: Option<&'a FullPod>,
    /// The cause that keeps the part, or the pod, from running.
    pub cause: Option<Cause>,
}

/// The part of the set's condition, and its worst pod; none if the set as a whole is the cause, or
/// all of it runs.
pub fn find_culprit<'a>(view: &View<'a>) -> Finding<'a> {
    let workload = view.workload;
    if ownership::is_terminating(&workload.set.metadata) {
        return find_leaving(view);
    }
    if is_of_the_set_itself(workload) {
        return Finding::default();
    }
    let replicas: Vec<_> = view
        .roster
        .layout
        .replicas
        .iter()
        .map(|r| (r, view.roster.is_available(r)))
        .collect();
    let are_all = replicas.iter().all(|(_, is_up)| *is_up);
    // A problem of an available replica is not the cause of an unready set.
    let first = replicas
        .into_iter()
        .flat_map(|(replica, is_available)| {
            let is_up = !are_all && is_available;
            replica.slots().filter_map(move |part| {
                let cause = view.cause(part, are_all)?;
                Some((part, cause, is_up))
            })
        })
        .min_by_key(|(_, cause, is_up)| (*is_up, cause.reason.priority()))
        .map(|(part, cause, _)| (part, cause));
    let Some((part, cause)) = first else {
        return Finding::default();
    };
    let podclique = view.podclique(part);
    let pod = podclique.and_then(|c| worst_pod(view, c, cause.reason));
    let left = || find_left(view, part.replica);
    let is_going = cause.reason == Reason::ReplicaTerminating;
    let (podclique, pod) = if is_going { left() } else { (podclique, pod) };
    Finding {
        pod,
        part: Some(part.clone()),
        podclique,
        cause: Some(cause),
    }
}

/// The wait of a set that is being deleted: the pod that has been terminating for the longest time,
/// and its PodClique.
fn find_leaving<'a>(view: &View<'a>) -> Finding<'a> {
    let since = |pod: &&FullPod| pod.metadata.deletion_timestamp.as_ref().map(|t| t.0);
    let pods = view.workload.pods.iter();
    let pod = pods.min_by_key(|pod| (since(pod).is_none(), since(pod)));
    let of_pod = pod.and_then(|pod| view.owner_of(pod));
    let podclique = of_pod.or(view.podcliques.first());
    let cause = pod
        .and_then(lean)
        .and_then(|lean| cause_of_pod(view, podclique, &lean));
    Finding {
        part: None,
        podclique,
        pod,
        cause,
    }
}

/// The wait of a terminated replica: a PodClique of an earlier attempt, and its first pod.
fn find_left<'a>(
    view: &View<'a>,
    replica: i32,
) -> (Option<&'a ObservedClique>, Option<&'a FullPod>) {
    let podclique = view.roster.previous_of(replica).first().copied();
    let mut pods = view.workload.pods.iter();
    let is_its = |pod: &&FullPod| {
        let uid = podclique.and_then(|c| c.podclique.metadata.uid.as_deref());
        uid.is_some_and(|uid| ownership::is_controlled_by(&pod.metadata, uid))
    };
    (podclique, pods.find(is_its))
}

/// The cause that keeps this pod from running.
pub fn find_pod<'a>(view: &View<'a>, name: &str) -> Option<Finding<'a>> {
    let workload = view.workload;
    let pod = workload
        .pods
        .iter()
        .find(|p| ownership::name(&p.metadata) == name)?;
    let podclique = view.owner_of(pod);
    let set = &workload.set;
    let part = podclique.and_then(|c| layout::find(view.set_name(), &set.spec.template, c.name()));
    let cause = lean(pod).and_then(|lean| cause_of_pod(view, podclique, &lean));
    let cause = cause.map(|cause| find_unsupported(workload, &cause).unwrap_or(cause));
    Some(Finding {
        part,
        podclique,
        pod: Some(pod),
        cause,
    })
}

/// The feature that the scheduler lacks, if all pods of a gang exist and wait for nothing else.
fn find_unsupported(workload: &Workload, cause: &Cause) -> Option<Cause> {
    let status = workload.set.status.as_ref()?;
    let type_ = ConditionType::SchedulingFeatureUnsupported;
    let told = conditions::find(&status.conditions, type_)?;
    let is_why = cause.reason == Reason::GangIncomplete && told.status == "True";
    let reason = told.reason.parse().ok()?;
    is_why.then(|| Cause::new(reason, told.message.clone()))
}

/// Whether the reason of its condition concerns no part of the set.
pub(super) fn is_of_the_set_itself(workload: &Workload) -> bool {
    let status = workload.set.status.clone().unwrap_or_default();
    let reason = ready_reason(workload);
    let is_whole = matches!(
        reason,
        Some(
            Reason::LimitExceeded
                | Reason::MaxRestartsExceeded
                | Reason::MaxRuntimeExceeded
                | Reason::WorkloadSucceeded
                | Reason::ScaledToZero
                | Reason::Suspended
        )
    );
    let is_invalid = reason == Some(Reason::InvalidSpec) && !may_act(workload);
    let own = readiness::refusal(&status.last_errors);
    let is_own = own.is_some_and(|cause| Some(cause.reason) == reason);
    is_whole || is_invalid || is_own || limits::says_over_limits(&workload.set)
}

/// Whether the operator acts on the set. It also reports a change that is not possible as
/// `InvalidSpec`, and then acts on the value before the change.
pub(super) fn may_act(workload: &Workload) -> bool {
    validate_set(&workload.set, &DefaultsConfig::default()).may_act()
}

/// The reason of condition `Ready` of the set.
pub(super) fn ready_reason(workload: &Workload) -> Option<Reason> {
    let status = workload.set.status.as_ref()?;
    let ready = conditions::find(&status.conditions, ConditionType::Ready)?;
    ready.reason.parse().ok()
}

/// The first pod that has the cause of its PodClique.
fn worst_pod<'a>(
    view: &View<'a>,
    podclique: &'a ObservedClique,
    reason: Reason,
) -> Option<&'a FullPod> {
    let name = podclique
        .pods
        .iter()
        .find(|pod| {
            let cause = cause_of_pod(view, Some(podclique), pod);
            cause.is_some_and(|cause| cause.reason == reason)
        })?
        .name();
    view.workload
        .pods
        .iter()
        .find(|p| ownership::name(&p.metadata) == name)
}

fn cause_of_pod(view: &View<'_>, podclique: Option<&ObservedClique>, pod: &Pod) -> Option<Cause> {
    if pod.is_terminating() {
        return Some(readiness::explain_leaving(pod));
    }
    let start = podclique
        .map(|c| view.roster.start_of(c))
        .unwrap_or_default();
    let podclique = podclique.map(|c| &*c.podclique);
    let setting = Setting::of(podclique, &start, view.now);
    readiness::find_pod_cause(pod, &setting)
}
