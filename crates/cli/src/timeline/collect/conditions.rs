//! Changes of conditions that no other source shows.

use api::conditions::{self, ConditionType, Reason};
use api::{PodGang, events};
use domain::object::ownership;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta, Time};

use crate::timeline::moment::{Moment, What};
use crate::workload::Workload;

/// An object that is not ready within this time of its creation has not changed: it began that way.
const BEGINNING: SignedDuration = SignedDuration::from_secs(5);

/// The last changes of the conditions of the set, its groups, PodCliques and PodGangs.
pub fn of_objects(workload: &Workload) -> Vec<Moment> {
    let set = ReportingObject::of("podcliqueset", &workload.set.metadata);
    let status = workload.set.status.clone().unwrap_or_default();
    let mut all: Vec<Moment> = Vec::new();
    all.extend(set.readiness(&status.conditions, true));
    all.extend(set.held(ConditionType::Failed, What::Failed, &status.conditions));
    all.extend(set.troubles(&status.conditions));
    for group in &workload.groups {
        let object = ReportingObject::of("podcliquescalinggroup", &group.metadata);
        let status = group.status.clone().unwrap_or_default();
        all.extend(object.readiness(&status.conditions, false));
        all.extend(object.breach(&status.conditions, status.breached_since.as_ref()));
        all.extend(object.troubles(&status.conditions));
    }
    for podclique in &workload.podcliques {
        let object = ReportingObject::of("podclique", &podclique.metadata);
        let status = podclique.status.clone().unwrap_or_default();
        all.extend(object.readiness(&status.conditions, false));
        all.extend(object.breach(&status.conditions, status.breached_since.as_ref()));
        all.extend(object.held(ConditionType::Succeeded, What::Done, &status.conditions));
        all.extend(object.troubles(&status.conditions));
    }
    all.extend(workload.gangs.iter().flat_map(of_gang));
    all
}

fn of_gang(gang: &PodGang) -> Vec<Moment> {
    let object = ReportingObject::of("podgang", &gang.metadata);
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

struct ReportingObject<'a> {
    kind: &'static str,
    meta: &'a ObjectMeta,
}

impl<'a> ReportingObject<'a> {
    fn of(kind: &'static str, meta: &'a ObjectMeta) -> Self {
        Self { kind, meta }
    }

    fn moment(&self, at: Timestamp, what: What, text: &str) -> Moment {
        Moment::new(at, what, self.kind, ownership::name(self.meta), text)
    }

    fn of_condition(&self, what: What, condition: &Condition) -> Moment {
        let at = condition.last_transition_time.0;
        let moment = self.moment(at, what, &condition.message);
        let told = moment.because(&condition.reason);
        told.told_by(&condition.reason, &condition.message, true)
    }

    /// Whether the condition held from the beginning.
    fn is_from_the_beginning(&self, at: Timestamp) -> bool {
        let created = self.meta.creation_timestamp.as_ref();
        created.is_some_and(|created| at.duration_since(created.0) <= BEGINNING)
    }

    /// `Ready`. Reason and message are the present ones, which may differ from those of the change.
    fn readiness(&self, conditions: &[Condition], from_the_beginning: bool) -> Option<Moment> {
        let ready = conditions::find(conditions, ConditionType::Ready)?;
        let at = ready.last_transition_time.0;
        let word = |reason: Reason| ready.reason == reason.to_string();
        if ready.status == "True" {
            let what = if word(Reason::WorkloadSucceeded) {
                What::Done
            } else {
                What::Ready
            };
            let moment = self.of_condition(what, ready);
            let done = Reason::WorkloadSucceeded;
            let moment = moment.told_by(done.into(), "", true);
            return Some(moment.told_by(events::READY.as_str(), "", true));
        }
        if self.is_from_the_beginning(at) && !from_the_beginning {
            return None;
        }
        Some(self.of_condition(What::NotReady, ready))
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
        let stuck = conditions::find(conditions, ConditionType::UpdateInProgress)
            .filter(|c| c.status == "Unknown");
        found
            .chain(stuck)
            .map(|c| self.of_condition(What::Warning, c))
            .collect()
    }

    fn lost(&self, conditions: &[Condition], was_scheduled: bool) -> Vec<Moment> {
        let lost = conditions::find(conditions, ConditionType::Scheduled)
            .filter(|c| c.status == "False" && was_scheduled);
        let bad = [ConditionType::Unhealthy, ConditionType::DisruptionTarget];
        let bad = bad
            .iter()
            .filter_map(|t| conditions::find(conditions, *t))
            .filter(|c| c.status == "True");
        lost.into_iter()
            .chain(bad)
            .map(|c| self.of_condition(What::Disrupted, c))
            .collect()
    }
}
