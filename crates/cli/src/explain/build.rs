//! From what was read to the answer.

use api::conditions::{self, ConditionType, Reason};
use api::labels;
use domain::object::ownership;
use k8s_openapi::api::core::v1::Event;

use super::answer::{Explanation, Link};
use super::chain::find_chain;
use super::evidence::gather_evidence;
use super::find::{Finding, find_culprit, find_pod, is_of_the_set_itself, ready_reason};
use super::next::find_steps;
use super::remedy::remedy_of;
use crate::output::count;
use crate::workload::Workload;
use crate::workload::seen::Seen;

/// What was found of a set, before its events are read: they are asked for object by object.
#[derive(Debug)]
pub struct Search<'a> {
    seen: Seen<'a>,
    finding: Finding<'a>,
    chain: Vec<Link>,
    pod: Option<String>,
}

/// Looks for what keeps the set, or the pod of that name, from running; `None` if it has no such
/// pod.
pub fn search<'a>(workload: &'a Workload, pod: Option<&str>) -> Option<Search<'a>> {
    let seen = Seen::of(workload);
    let finding = match pod {
        Some(name) => find_pod(&seen, name)?,
        None => find_culprit(&seen),
    };
    Some(Search {
        chain: find_chain(&seen, &finding),
        pod: pod.map(str::to_owned),
        seen,
        finding,
    })
}

impl Search<'_> {
    /// The uids of the objects of the chain.
    pub fn uids(&self) -> Vec<String> {
        let links = self.chain.iter();
        links.filter_map(|link| link.uid.clone()).collect()
    }

    /// The answer, with these events about the objects of the chain.
    pub fn explain(&self, events: &[Event]) -> Explanation {
        let (seen, finding) = (&self.seen, &self.finding);
        let is_leaving = ownership::is_terminating(&seen.workload.set.metadata);
        let verdict = match self.pod {
            Some(_) => self.of_pod(),
            None if is_leaving => self.of_leaving_set(),
            None => self.of_set(),
        };
        let cause = self.cause(&verdict);
        let set = &seen.workload.set.metadata;
        Explanation {
            set: ownership::name(set).to_owned(),
            namespace: set.namespace.clone().unwrap_or_default(),
            pod: self.pod.clone(),
            is_ready: verdict.is_ready,
            reason: verdict.reason,
            cause: verdict.sentence,
            chain: self.chain.clone(),
            evidence: gather_evidence(seen, finding, &self.chain, events, cause),
            remedy: cause.and_then(remedy_of).map(str::to_owned),
            next: find_steps(seen, finding, cause),
            not_read: Vec::new(),
        }
    }

    /// The reason that something is to be done about: that of the condition, or what keeps the rest
    /// where enough runs.
    fn cause(&self, verdict: &Verdict) -> Option<Reason> {
        let told = verdict.reason.parse().ok();
        let found = self.finding.cause.as_ref().map(|cause| cause.reason);
        if verdict.is_ready || self.pod.is_some() {
            return found;
        }
        told.or(found)
    }

    fn of_set(&self) -> Verdict {
        let workload = self.seen.workload;
        let status = workload.set.status.clone().unwrap_or_default();
        let Some(ready) = conditions::find(&status.conditions, ConditionType::Ready) else {
            return Verdict {
                is_ready: false,
                reason: "Unknown".to_owned(),
                sentence: "no operator has looked at it yet: it has no condition Ready".to_owned(),
            };
        };
        let versions = ready
            .observed_generation
            .zip(workload.set.metadata.generation);
        if let Some((seen, newest)) = versions.filter(|(seen, newest)| seen < newest) {
            return Verdict::of_old_news(seen, newest);
        }
        if ready.status == "True" && !is_of_the_set_itself(workload) {
            let counted = usize::try_from(status.available_replicas).unwrap_or(0);
            let available = self.seen.count_available();
            if available < counted {
                return Verdict::of_lost_replicas(counted, available);
            }
        }
        let reason = ready_reason(workload).map(|r| r.to_string());
        Verdict {
            is_ready: ready.status == "True",
            reason: reason.unwrap_or_else(|| ready.reason.clone()),
            sentence: ready.message.clone(),
        }
    }

    /// Nobody writes its conditions any more.
    fn of_leaving_set(&self) -> Verdict {
        let workload = self.seen.workload;
        let podcliques = count(workload.podcliques.len(), "PodClique");
        let pods = count(workload.pods.len(), "pod");
        let finalizers = workload.set.metadata.finalizers.iter().flatten();
        let foreign: Vec<_> = finalizers.filter(|f| *f != labels::PCS_FINALIZER).collect();
        let waits = match foreign.as_slice() {
            [] => String::new(),
            [one, ..] => format!("; somebody else's finalizer {one} holds it, too"),
        };
        Verdict {
            is_ready: false,
            reason: "Terminating".to_owned(),
            sentence: format!("the set is being deleted: {podcliques} and {pods} are left{waits}"),
        }
    }

    fn of_pod(&self) -> Verdict {
        match &self.finding.cause {
            Some(cause) => Verdict {
                is_ready: false,
                reason: cause.reason.to_string(),
                sentence: cause.text.clone(),
            },
            None => Verdict {
                is_ready: true,
                reason: self.chain.last().map_or(String::new(), |l| l.state.clone()),
                sentence: "the pod is ready, or has done its work".to_owned(),
            },
        }
    }
}

/// What is said first.
struct Verdict {
    is_ready: bool,
    reason: String,
    sentence: String,
}

impl Verdict {
    /// Of a condition that is older than what became of the pods.
    fn of_lost_replicas(counted: usize, available: usize) -> Self {
        let told = count(counted, "available replica");
        Self {
            is_ready: false,
            reason: "Unknown".to_owned(),
            sentence: format!(
                "the operator counted {told}, but by their pods there are {available} now; if it \
                 stays so, see whether it runs and looks after this namespace"
            ),
        }
    }

    /// Of a condition that is about an earlier spec.
    fn of_old_news(seen: i64, newest: i64) -> Self {
        Self {
            is_ready: false,
            reason: "Unknown".to_owned(),
            sentence: format!(
                "the operator has not looked at generation {newest} yet, only at {seen}; if it \
                 stays so, see whether it runs and looks after this namespace"
            ),
        }
    }
}
