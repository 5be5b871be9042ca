//! Changes of conditions that no other source shows.

use api::conditions::{self, ConditionType, Reason};
use api::{PodGang, events};
use domain::object::ownership;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta, Time};

use crate::timeline::moment::{Moment, What};
use crate::workload::{Workload, event};

/// An object that is not ready within this time of its creation has not changed: it began that way.
const BEGINNING: SignedDuration = SignedDuration::from_secs(5);
/// The event of a change has a time within this one of the change.
const A_MOMENT: SignedDuration = SignedDuration::from_secs(5);

/// The last changes of the conditions of the set, its groups, PodCliques and PodGangs.
pub fn of_objects(workload: &Workload, events: &[Event]) -> Vec<Moment> {
    let of = |kind, meta| ReportingObject { kind, meta, events };
    let set = of("podcliqueset", &workload.set.metadata);
    let status = workload.set.status.clone().unwrap_or_default();
    let mut all: Vec<Moment> = Vec::new();
    all.extend(set.readiness(&status.conditions, true));
    all.extend(set.held(ConditionType::Failed, What::Failed, &status.conditions));
    all.extend(set.troubles(&status.conditions));
    for group in &workload.groups {
        let object = of("podcliquescalinggroup", &group.metadata);
        let status = group.status.clone().unwrap_or_default();
        all.extend(object.readiness(&status.conditions, false));
        all.extend(object.breach(&status.conditions, status.breached_since.as_ref()));
        all.extend(object.troubles(&status.conditions));
    }
    for podclique in &workload.podcliques {
        let object = of("podclique", &podclique.metadata);
        let status = podclique.status.clone().unwrap_or_default();
        all.extend(object.readiness(&status.conditions, false));
        all.extend(object.breach(&status.conditions, status.breached_since.as_ref()));
        all.extend(object.held(ConditionType::Succeeded, What::Done, &status.conditions));
        all.extend(object.troubles(&status.conditions));
    }
    for gang in &workload.gangs {
        all.extend(of_gang(gang, &of("podgang", &gang.metadata)));
    }
    all
}

fn of_gang(gang: &PodGang, object: &ReportingObject<'_>) -> Vec<Moment> {
    let status = gang.status.clone().unwrap_or_default();
    let scheduled = status.last_scheduled.as_ref().map(|at| at.0);
    let ready = status.last_ready.as_ref().map(|at| at.0);
    let on_nodes = "all its guaranteed pods had nodes";
    let up = "all its guaranteed pods were ready";
    let scheduled = scheduled.map(|at| object.moment(at, What::Scheduled, on_nodes));
    let ready = ready.map(|at| object.moment(at, What::Ready, up));
    let lost = object.lost(&status.conditions, scheduled.is_some());
    scheduled.into_iter().chain(ready).chain(lost).collect()
}

/// Whether a condition still has the message of the event, which the recorder shortens if it is long.
/// Otherwise the condition has changed since.
fn is_of_the_report(of_condition: &str, of_event: &str) -> bool {
    match of_event.strip_suffix('…') {
        Some(beginning) => of_condition.starts_with(beginning),
        None => of_condition == of_event,
    }
}

/// The condition of an update that makes no progress.
fn find_stall(conditions: &[Condition]) -> Option<&Condition> {
    let update = conditions::find(conditions, ConditionType::UpdateInProgress)?;
    (update.status == "Unknown").then_some(update)
}

/// `Ready` without the words about a stalled update, which its message repeats: they have a moment of their
/// own, and it is later.
fn without_stall(ready: &Condition, stalled: Option<&Condition>) -> Condition {
    let mut ready = ready.clone();
    if let Some(stalled) = stalled.filter(|c| !c.message.is_empty()) {
        let repeated = format!("; {}", stalled.message);
        ready.message = ready.message.replace(&repeated, "");
    }
    ready
}

struct ReportingObject<'a> {
    kind: &'static str,
    meta: &'a ObjectMeta,
    events: &'a [Event],
}

impl ReportingObject<'_> {
    fn moment(&self, at: Timestamp, what: What, text: &str) -> Moment {
        Moment::new(at, what, self.kind, ownership::name(self.meta), text)
    }

    fn of_condition(&self, what: What, condition: &Condition) -> Moment {
        let at = condition.last_transition_time.0;
        let moment = self.moment(at, what, &condition.message);
        let told = moment.because(&condition.reason);
        told.told_by(&condition.reason, &condition.message, true)
    }

    /// The change of a status whose reason and message change on their own. A condition has only the
    /// time of its status; the reason has the time of the first event that reports it.
    fn of_status(&self, what: What, condition: &Condition, reported_as: &str) -> Moment {
        let at = condition.last_transition_time.0;
        let Some((first, message)) = self.first_report(reported_as, at) else {
            let mut moment = self.of_condition(what, condition);
            moment.is_present = true;
            return moment;
        };
        if first.duration_since(at) > A_MOMENT {
            // The event is a moment of its own.
            return self.moment(at, what, "");
        }
        let moment = if is_of_the_report(&condition.message, &message) {
            let moment = self.moment(at, what, &condition.message);
            moment.because(&condition.reason)
        } else {
            self.moment(at, what, &message).because(reported_as)
        };
        moment.told_by(reported_as, message, true)
    }

    /// The first event about the object with that reason after that time, and its message.
    fn first_report(&self, reason: &str, since: Timestamp) -> Option<(Timestamp, String)> {
        let uid = self.meta.uid.as_ref()?;
        let about = |e: &&Event| e.involved_object.uid.as_ref() == Some(uid);
        let of_reason = self.events.iter().filter(about);
        let of_reason = of_reason.filter(|e| event::reason(e) == reason);
        let reports = of_reason.filter_map(|e| Some((event::first_time(e)?, event::message(e))));
        reports
            .filter(|(at, _)| since.duration_since(*at) <= A_MOMENT)
            .min()
    }

    /// Whether the condition held from the beginning.
    fn is_from_the_beginning(&self, at: Timestamp) -> bool {
        let created = self.meta.creation_timestamp.as_ref();
        created.is_some_and(|created| at.duration_since(created.0) <= BEGINNING)
    }

    /// `Ready`.
    fn readiness(&self, conditions: &[Condition], from_the_beginning: bool) -> Option<Moment> {
        let ready = conditions::find(conditions, ConditionType::Ready)?;
        let ready = &without_stall(ready, find_stall(conditions));
        let at = ready.last_transition_time.0;
        if ready.status == "True" {
            return Some(self.of_ready(ready));
        }
        if self.is_from_the_beginning(at) && !from_the_beginning {
            return None;
        }
        Some(self.of_status(What::NotReady, ready, &ready.reason))
    }

    fn of_ready(&self, ready: &Condition) -> Moment {
        let (done, is_ready) = (Reason::WorkloadSucceeded, events::READY.as_str());
        if ready.reason != done.to_string() {
            return self.of_status(What::Ready, ready, is_ready);
        }
        let moment = self.of_condition(What::Done, ready);
        let moment = moment.told_by(done.into(), "", true);
        moment.told_by(is_ready, "", true)
    }

    /// The moment since which a condition is True.
    fn held(&self, type_: ConditionType, what: What, all: &[Condition]) -> Option<Moment> {
        let condition = conditions::find(all, type_).filter(|c| c.status == "True")?;
        Some(self.of_condition(what, condition))
    }

    fn breach(&self, conditions: &[Condition], since: Option<&Time>) -> Option<Moment> {
        let breached = ConditionType::MinAvailableBreached;
        let mut moment = self.held(breached, What::Breached, conditions)?;
        moment.at = since.map_or(moment.at, |since| since.0);
        Some(moment)
    }

    /// Conditions that need attention.
    fn troubles(&self, conditions: &[Condition]) -> Vec<Moment> {
        let bad = [
            ConditionType::NameConflict,
            ConditionType::LeftoverPods,
            ConditionType::GangTerminationDisabled,
            ConditionType::SchedulingFeatureUnsupported,
        ];
        let found = bad
            .iter()
            .filter_map(|t| conditions::find(conditions, *t))
            .filter(|c| c.status == "True");
        let found = found.map(|c| self.of_condition(What::Warning, c));
        found.chain(self.stall(conditions)).collect()
    }

    /// An update that makes no progress. The event about it has another reason than the condition; one of
    /// a later time is a moment of its own.
    fn stall(&self, conditions: &[Condition]) -> Option<Moment> {
        let stalled = find_stall(conditions)?;
        let moment = self.of_status(What::Warning, stalled, Reason::UpdateStalled.into());
        (!moment.text.is_empty()).then_some(moment)
    }

    fn lost(&self, conditions: &[Condition], was_scheduled: bool) -> Vec<Moment> {
        let lost = conditions::find(conditions, ConditionType::Scheduled)
            .filter(|c| c.status == "False" && was_scheduled);
        let bad = [ConditionType::Unhealthy, ConditionType::DisruptionTarget];
        let bad = bad
            .iter()
            .filter_map(|t| conditions::find(conditions, *t))
            .filter(|c| c.status == "True");
        let bad = bad.map(|c| self.of_condition(What::Disrupted, c));
        lost.map(|c| self.of_status(What::Disrupted, c, &c.reason))
            .into_iter()
            .chain(bad)
            .collect()
    }
}
