//! Condition `Ready` of a PodClique, also for the objects above it.

use std::collections::BTreeSet;

use api::PodClique;
use api::conditions::{self, ConditionType, ConditionUpdate, Reason};
use jiff::Timestamp;

use super::cause::{self, Cause, ready_condition};
use super::gang::Start;
use super::pod::{self, Setting};
use super::refusal::refusal;
use super::settled::{self, find_unsettled, hold};
use super::state_input;
use crate::Pod;
use crate::health::availability::CliqueFacts;
use crate::health::training;

/// A PodClique as observed.
#[derive(Clone, Debug)]
pub struct CliqueView<'a> {
    /// The PodClique.
    pub podclique: &'a PodClique,
    /// Its pods by index, terminating ones among them.
    pub pods: Vec<&'a Pod>,
    /// The start of its gang.
    pub start: Start,
    /// The time, for causes that are reported only after a while, or only for a while.
    pub now: Timestamp,
}

/// Ready: the required number of pods is Ready, completed ones of a job included. Beyond that the
/// message names the cause that keeps the others from running.
pub fn judge_podclique(look: &CliqueView<'_>) -> ConditionUpdate {
    let facts = CliqueFacts::counted(look.podclique, look.pods.iter().copied());
    let (up, minimum) = (facts.ready, facts.minimum());
    if facts.training.as_ref().is_some_and(|t| t.has_succeeded) {
        return ready_condition(true, Reason::AllReady, "all pods completed".to_owned());
    }
    if facts.replicas == 0 {
        return ready_condition(
            true,
            Reason::ScaledToZero,
            "no pods are requested".to_owned(),
        );
    }
    if let Some(cause) = look.start.find_cause().filter(|_| look.start.is_stopped()) {
        return ready_condition(false, cause.reason, cause.text);
    }
    // Completed ranks count, but a job in which no pod runs does not work.
    let done = count_done(look);
    let is_enough = up >= minimum && (done == 0 || up > done);
    let cause = shortfall(look, up >= minimum);
    let verdict = match cause {
        None => ready_condition(
            true,
            Reason::AllReady,
            describe_all(up.min(facts.replicas), done),
        ),
        Some(cause) if !is_enough => ready_condition(false, cause.reason, cause.text),
        Some(cause) => {
            let end = if minimum == 1 { "" } else { "s" };
            let message = format!("{minimum} required pod{end} ready; {}", cause.text);
            ready_condition(true, Reason::MinimumReady, message)
        }
    };
    let (count, cause) = unsettled(look.pods.iter().copied(), look.now);
    let status = look.podclique.status.as_ref();
    let before = status.and_then(|s| conditions::find(&s.conditions, ConditionType::Ready));
    hold(before, verdict, up.saturating_sub(count) >= minimum, cause)
}

/// Indexes of a job whose work is done.
fn count_done(look: &CliqueView<'_>) -> i32 {
    let staying = look.pods.iter().filter(|p| !p.is_terminating());
    to_i32(training::completed(look.podclique, staying.copied()).len())
}

/// Pods of a job that have done their work do not count as Ready.
fn describe_all(up: i32, done: i32) -> String {
    let ready = format!("{}/{up} pods ready", up.saturating_sub(done));
    match done {
        0 => ready,
        done => format!("{ready}, {done} completed"),
    }
}

/// The number of Ready pods that may be about to crash again, and the first of their causes.
pub fn unsettled<'a>(pods: impl Iterator<Item = &'a Pod>, now: Timestamp) -> (i32, Option<Cause>) {
    let causes: Vec<Cause> = pods
        .filter_map(|p| find_unsettled(p, now))
        .map(|cause| cause.within("a pod has been ready for less than 10 s: "))
        .collect();
    (to_i32(causes.len()), cause::first(causes))
}

/// The next time at which the verdict on the pods may change without an event.
pub fn next_look<'a>(
    pods: impl IntoIterator<Item = &'a Pod> + Clone,
    now: Timestamp,
) -> Option<Timestamp> {
    let settled = settled::next_settled(pods.clone(), now);
    let created = pods
        .into_iter()
        .filter(|p| !p.is_terminating())
        .filter_map(|p| state_input::next_long_creation(p, now));
    settled.into_iter().chain(created).min()
}

/// Why fewer pods are Ready than the minimum, or, for `all`, than `spec.replicas`.
pub fn shortfall(look: &CliqueView<'_>, all: bool) -> Option<Cause> {
    let facts = CliqueFacts::counted(look.podclique, look.pods.iter().copied());
    let has_succeeded = facts.training.as_ref().is_some_and(|t| t.has_succeeded);
    let need = if all { facts.replicas } else { facts.minimum() };
    if has_succeeded || facts.ready >= need {
        return None;
    }
    if look.start.is_stopped() {
        return look.start.find_cause();
    }
    find_cause(look, need).or_else(|| Some(not_settled(facts.ready, need)))
}

/// No pod lacks anything, and yet there are too few: the observation falls between two states.
fn not_settled(up: i32, need: i32) -> Cause {
    Cause::new(Reason::PodsStarting, format!("{up}/{need} pods ready"))
}

fn find_cause(look: &CliqueView<'_>, need: i32) -> Option<Cause> {
    let setting = Setting::of(Some(look.podclique), &look.start, look.now);
    let of_pods = look
        .pods
        .iter()
        .filter(|p| !p.is_terminating())
        .filter_map(|p| pod::find_cause(p, &setting));
    let all = explain_missing(look).into_iter().chain(of_pods);
    let reached = Reached::of(look);
    // A pod beyond the minimum may still be short of something.
    let is_short = |cause: &Cause| reached.count(Stage::of(cause.reason)) < need;
    let cause = cause::first(all.filter(is_short))?;
    let stage = Stage::of(cause.reason);
    let have = reached.count(stage);
    Some(cause.within(&format!("{have}/{need} pods {stage}: ")))
}

/// Why pods are missing: the answer to their creation, or the pods that hold their place, else only
/// the fact that they are missing.
fn explain_missing(look: &CliqueView<'_>) -> Option<Cause> {
    if count_slots(look, |_| true) >= look.podclique.spec.replicas {
        return None;
    }
    let held = held_slots(look);
    let status = look.podclique.status.as_ref();
    let refused = refusal(status.map_or(&[], |s| &s.last_errors));
    let is_final = |s: &&Start| matches!(s, Start::Terminating | Start::GivenUp(_));
    let terminating = Some(&look.start).filter(is_final);
    let is_free = |p: &&&Pod| p.index().is_none_or(|k| !held.contains(&k));
    let leaving = || look.pods.iter().filter(|p| p.is_terminating());
    let waiting = || Cause::new(Reason::PodsBeingCreated, "the rest is being created");
    refused
        .or_else(|| terminating.and_then(Start::find_cause))
        .or_else(|| leaving().find(is_free).map(|p| pod::leaving(p)))
        .or_else(|| look.start.explain_shortage())
        .or_else(|| Some(waiting()))
}

/// Indexes that are done, or hold a pod that stays.
fn held_slots(look: &CliqueView<'_>) -> BTreeSet<i32> {
    let pods = || look.pods.iter().filter(|p| !p.is_terminating());
    let mut slots = training::completed(look.podclique, pods().copied());
    slots.extend(pods().filter_map(|p| p.index()));
    slots
}

/// How many indexes are done, or hold a pod that stays and fulfils the claim. Each decision counts
/// those of each PodClique that is starting, and a list is sorted far sooner than a set is filled.
fn count_slots(look: &CliqueView<'_>, claim: impl Fn(&Pod) -> bool) -> i32 {
    let pods = || look.pods.iter().filter(|p| !p.is_terminating());
    let mut slots: Vec<i32> = pods()
        .filter(|p| claim(p))
        .filter_map(|p| p.index())
        .collect();
    slots.extend(training::completed(look.podclique, pods().copied()));
    slots.sort_unstable();
    slots.dedup();
    to_i32(slots.len())
}

fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// The stages that a pod passes one after the other.
#[derive(Clone, Copy, Debug, strum::Display)]
#[strum(serialize_all = "lowercase")]
enum Stage {
    Created,
    Scheduled,
    Ready,
}

impl Stage {
    /// The stage that the cause keeps the pod from reaching.
    fn of(reason: Reason) -> Self {
        match reason {
            Reason::NameTaken
            | Reason::MaxRestartsExceeded
            | Reason::MaxRuntimeExceeded
            | Reason::QuotaExceeded
            | Reason::ServiceAccountMissing
            | Reason::PriorityClassMissing
            | Reason::RequestRefused
            | Reason::ClaimMissing
            | Reason::ReplicaTerminating
            | Reason::Suspended
            | Reason::PodTerminating
            | Reason::PodsBeingCreated => Self::Created,
            Reason::VolumeUnavailable
            | Reason::TopologyNoDomain
            | Reason::NodeSelectorUnmatched
            | Reason::InsufficientResources
            | Reason::DevicesUnavailable
            | Reason::ClaimFull
            | Reason::Unschedulable
            | Reason::ForeignSchedulingGate
            | Reason::SchedulerNotInstalled
            | Reason::QueueNotFound
            | Reason::TopologyUnavailable
            | Reason::ComputeDomainsMissing
            | Reason::PriorityTooHigh
            | Reason::QuotaEvicted
            | Reason::WaitingForQuota
            | Reason::WaitingForScheduler
            | Reason::GangIncomplete
            | Reason::BaseGangNotReady => Self::Scheduled,
            // A cause that keeps a bound pod from running.
            _ => Self::Ready,
        }
    }
}

/// How many indexes reached each stage.
#[derive(Clone, Copy, Debug)]
struct Reached {
    created: i32,
    scheduled: i32,
    ready: i32,
}

impl Reached {
    fn of(look: &CliqueView<'_>) -> Self {
        Self {
            created: count_slots(look, |_| true),
            scheduled: count_slots(look, Pod::is_scheduled),
            ready: count_slots(look, Pod::is_ready),
        }
    }

    fn count(self, stage: Stage) -> i32 {
        match stage {
            Stage::Created => self.created,
            Stage::Scheduled => self.scheduled,
            Stage::Ready => self.ready,
        }
    }
}
