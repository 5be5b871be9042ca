//! Evidence of the objects of the chain.

mod containers;
mod events;
mod terminations;

use api::conditions::{self, ConditionType, Reason};
use api::podcliqueset::PodFailure;
use api::{LastError, PodCliqueSetStatus, labels, names};
use domain::gang_tree::TREE_WORDS;
use domain::object::ownership;
use k8s_openapi::api::core::v1::{Event as FullEvent, Pod, PodCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition as FullCondition, ObjectMeta};

use super::answer::{Condition, Error, Evidence, Failure, Link, Pin};
use super::find::Finding;
use crate::workload::View;
use crate::workload::pod_state;

/// Lines of a container's last output.
const LAST_WORDS: usize = 3;

/// Replicas of a set whose trees are listed.
const MOST_TREES: usize = 3;

/// Conditions, errors, events, the pin of the pod, its containers, failures and terminations, in this
/// order.
pub fn gather_evidence(
    view: &View<'_>,
    finding: &Finding<'_>,
    chain: &[Link],
    events: &[FullEvent],
    reason: Option<Reason>,
) -> Vec<Evidence> {
    let mut all = of_statuses(view, finding);
    date_reasons(&mut all, &view.workload.set.metadata, events);
    let latest = events::latest(chain, events, reason);
    all.extend(latest.into_iter().map(Evidence::Event));
    if let Some(pod) = finding.pod {
        all.extend(pin_of(pod).map(Evidence::Pin));
        let containers = containers::of_pod(pod).into_iter();
        all.extend(containers.map(Evidence::Container));
    }
    let status = view.workload.set.status.clone().unwrap_or_default();
    if finding.pod.is_none() || reason == Some(Reason::PodFailed) {
        all.extend(failures(&status).map(Evidence::Failure));
    }
    let terminations = terminations::newest(view.workload).into_iter();
    all.extend(terminations.map(Evidence::Termination));
    all
}

/// Dates the reasons of the set's conditions by their events: a condition has only the time of its
/// status.
fn date_reasons(all: &mut [Evidence], set: &ObjectMeta, events: &[FullEvent]) {
    let of_set = named("podcliqueset", set);
    for evidence in all {
        if let Evidence::Condition(condition) = evidence
            && condition.object == of_set
        {
            let since = condition.since;
            let first = events::first_report(set, &condition.reason, since, events);
            condition.reason_reported = first;
        }
    }
}

/// The first lines of the last output.
pub fn first_lines(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default()
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .take(LAST_WORDS)
        .map(str::to_owned)
        .collect()
}

/// Conditions and errors, from the set down.
fn of_statuses(view: &View<'_>, finding: &Finding<'_>) -> Vec<Evidence> {
    let set = &view.workload.set;
    let status = set.status.clone().unwrap_or_default();
    let mut all = of_object("podcliqueset", &set.metadata, &status.conditions);
    all.extend(errors("podcliqueset", &set.metadata, &status.last_errors));
    let part = finding.part.as_ref();
    if let Some(group) = part.and_then(|part| view.roster.group_of(part)) {
        let status = group.status.clone().unwrap_or_default();
        let (kind, meta) = ("podcliquescalinggroup", &group.metadata);
        all.extend(of_object(kind, meta, &status.conditions));
        all.extend(errors(kind, meta, &status.last_errors));
    }
    all.extend(of_trees(view, finding));
    all.extend(of_queue(view, finding));
    if let Some(found) = finding.podclique {
        let podclique = &found.podclique;
        let status = podclique.status.clone().unwrap_or_default();
        let (kind, meta) = ("podclique", &podclique.metadata);
        all.extend(of_object(kind, meta, &status.conditions));
        all.extend(errors(kind, meta, &status.last_errors));
    }
    all.extend(finding.pod.into_iter().flat_map(of_pod));
    all
}

/// `Ready`, and conditions that are True and report a problem.
fn of_object(kind: &str, meta: &ObjectMeta, conditions: &[FullCondition]) -> Vec<Evidence> {
    let bad = [
        ConditionType::MinAvailableBreached,
        ConditionType::Failed,
        ConditionType::NameConflict,
        ConditionType::LeftoverPods,
        ConditionType::GangTerminationDisabled,
        ConditionType::SchedulingFeatureUnsupported,
    ]
    .map(<&str>::from);
    let is_shown = |c: &&FullCondition| {
        let is_bad = c.status == "True" && bad.contains(&&*c.type_);
        c.type_ == <&str>::from(ConditionType::Ready) || is_bad
    };
    conditions
        .iter()
        .filter(is_shown)
        .map(|c| told(kind, meta, c))
        .collect()
}

fn told(kind: &str, meta: &ObjectMeta, condition: &FullCondition) -> Evidence {
    Evidence::Condition(Condition {
        object: named(kind, meta),
        type_: condition.type_.clone(),
        status: condition.status.clone(),
        reason: condition.reason.clone(),
        message: condition.message.clone(),
        since: Some(condition.last_transition_time.0),
        reason_reported: None,
    })
}

/// The conditions of base gangs about their trees: of the replica in question, or of all.
fn of_trees(view: &View<'_>, finding: &Finding<'_>) -> Vec<Evidence> {
    let replica = finding.part.as_ref().map(|part| part.replica);
    let base = replica.map(|replica| names::base_gang(view.set_name(), replica));
    let gangs = view.workload.gangs.iter();
    gangs
        .filter(|gang| {
            let name = ownership::name(&gang.metadata);
            base.as_ref().is_none_or(|base| base == name)
        })
        .filter_map(|gang| {
            let all = &gang.status.as_ref()?.conditions;
            let scheduled = conditions::find(all, ConditionType::Scheduled)?;
            let is_of_tree = scheduled.message.contains(TREE_WORDS);
            is_of_tree.then(|| told("podgang", &gang.metadata, scheduled))
        })
        .take(MOST_TREES)
        .collect()
}

/// The condition of the gang about its quota, if its set names a queue: some of its pods may wait
/// beside the others.
fn of_queue(view: &View<'_>, finding: &Finding<'_>) -> Option<Evidence> {
    let podclique = &finding.podclique?.podclique;
    let name = ownership::label(&podclique.metadata, labels::POD_GANG)?;
    let gang = view.roster.gang(name)?;
    let all = &gang.status.as_ref()?.conditions;
    let reserved = conditions::find(all, ConditionType::QuotaReserved)?;
    Some(told("podgang", &gang.metadata, reserved))
}

/// The condition of a pod that is False: scheduled, or else containers ready.
fn of_pod(pod: &Pod) -> Vec<Evidence> {
    let type_ = match pod_state::node_of(pod) {
        None => "PodScheduled",
        Some(_) => "Ready",
    };
    let conditions = pod
        .status
        .iter()
        .flat_map(|s| s.conditions.iter().flatten());
    conditions
        .filter(|c| c.type_ == type_ && c.status == "False" && !is_about_past_gates(pod, c))
        .map(|c| {
            Evidence::Condition(Condition {
                object: named("pod", &pod.metadata),
                type_: c.type_.clone(),
                status: c.status.clone(),
                reason: c.reason.clone().unwrap_or_default(),
                message: c.message.clone().unwrap_or_default(),
                since: c.last_transition_time.as_ref().map(|t| t.0),
                reason_reported: None,
            })
        })
        .collect()
}

/// The scheduler corrects this reason only when it looks at the pod for the first time.
fn is_about_past_gates(pod: &Pod, condition: &PodCondition) -> bool {
    condition.reason.as_deref() == Some("SchedulingGated") && !pod_state::is_gated(pod)
}

/// The pin of a pod that has no node yet.
fn pin_of(pod: &Pod) -> Option<Pin> {
    let text = ownership::annotation(&pod.metadata, labels::PINNED)?;
    let is_waiting = pod_state::node_of(pod).is_none();
    Some(Pin {
        object: named("pod", &pod.metadata),
        node_selector: serde_json::from_str(text).ok().filter(|_| is_waiting)?,
    })
}

fn errors<'a>(
    kind: &'a str,
    meta: &'a ObjectMeta,
    errors: &'a [LastError],
) -> impl Iterator<Item = Evidence> + 'a {
    errors.iter().map(move |error| {
        Evidence::Error(Error {
            object: named(kind, meta),
            code: error.code.clone(),
            description: error.description.clone(),
            at: error.observed_at.0,
        })
    })
}

/// The newest failures of a job.
fn failures(status: &PodCliqueSetStatus) -> impl Iterator<Item = Failure> {
    status.last_failures.iter().map(|failure| Failure {
        pod: failure.pod.clone(),
        end: describe_failure(failure),
        last_words: first_lines(failure.message.as_deref()),
        at: failure.time.0,
    })
}

/// "Error, exit code 1, on node a".
pub fn describe_failure(failure: &PodFailure) -> String {
    describe_end(&failure.reason, failure.exit_code, failure.node.as_deref())
}

fn describe_end(reason: &str, exit_code: Option<i32>, node: Option<&str>) -> String {
    let code = exit_code.map(|code| format!("exit code {code}"));
    let node = node.map(|node| format!("on node {node}"));
    let words: Vec<String> = [Some(reason.to_owned()), code, node]
        .into_iter()
        .flatten()
        .collect();
    words.join(", ")
}

fn named(kind: &str, meta: &ObjectMeta) -> String {
    format!("{kind}/{}", ownership::name(meta))
}
