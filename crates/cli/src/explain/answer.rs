//! The answer: the cause that keeps a set, or a pod of it, from running.

use std::collections::BTreeMap;

use api::conditions::Reason;
use jiff::Timestamp;
use serde::Serialize;

use crate::capacity::Domain;
use crate::operator_presence::OperatorAbsence;

/// The cause that keeps a set, or a pod of it, from running, with evidence and remedy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Name of the set.
    pub set: String,
    /// Namespace of the set.
    pub namespace: String,
    /// The pod of the command line; without it the answer is about the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// That the operator is away: reason, cause and next steps are what it wrote last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_absence: Option<OperatorAbsence>,
    /// Whether all required parts run.
    pub is_ready: bool,
    /// The cause in one word: a reason of condition `Ready`.
    pub reason: String,
    /// The cause in one sentence.
    pub cause: String,
    /// The objects from the set down to the pod.
    pub chain: Vec<Link>,
    /// The evidence.
    pub evidence: Vec<Evidence>,
    /// The topology domains that the gang could use, the best first, if it finds none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<Domain>,
    /// What else is to be said of domains: how many there are besides, and whether a broader level
    /// would do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub domain_notes: Vec<String>,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// The next steps.
    pub next: Vec<NextStep>,
    /// Objects that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<String>,
}

impl Explanation {
    /// The same if the operator is away: until it is back it does nothing, whatever else is remedied.
    #[must_use]
    pub fn with_absence(mut self, absence: Option<OperatorAbsence>) -> Self {
        let needs_help = self.remedy.is_some() || !self.is_ready;
        if let Some(absence) = absence.as_ref().filter(|_| needs_help) {
            let first = format!(
                "bring the operator back first: `{}` shows its pods",
                absence.command()
            );
            let then = self.remedy.filter(|remedy| !remedy.starts_with("none"));
            let then = then.map_or_else(String::new, |remedy| format!("; then {remedy}"));
            self.remedy = Some(first + &then);
        }
        self.operator_absence = absence;
        self
    }

    /// Whether nobody has to look: all required parts run, no update is stuck, and the API server refuses no
    /// other object.
    pub fn is_good(&self) -> bool {
        let is_stuck = self.reason.parse().is_ok_and(Reason::is_stuck_update);
        self.is_ready && !is_stuck && !self.needs_somebody()
    }

    /// Whether a person has to fix the cause.
    pub fn needs_somebody(&self) -> bool {
        self.reason.parse().is_ok_and(Reason::is_blocking)
    }
}

/// An object on the way from the set to the cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// Its kind.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// One word: reason of condition `Ready`, or the pod's state.
    pub state: String,
    /// Whether it runs as it should; `None` while it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_good: Option<bool>,
    /// Its uid, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
}

/// A piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "what")]
pub enum Evidence {
    /// A condition of an object of the chain.
    Condition(Condition),
    /// The latest event of its reason about an object of the chain.
    Event(Event),
    /// The node labels to which the operator has pinned the pod.
    Pin(Pin),
    /// A container of the pod.
    Container(Container),
    /// A resource claim that the pod names.
    Claim(Claim),
    /// A request that the API server refused, or an error of the spec: from `status.lastErrors`.
    Error(Error),
    /// The failure of a job's pod: from `status.lastFailures`.
    Failure(Failure),
    /// The last termination of a replica, with its pod: from `status.replicaAttempts`.
    Termination(Termination),
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// Kind and name of the object.
    pub object: String,
    /// Its type.
    #[serde(rename = "type")]
    pub type_: String,
    /// Its status.
    pub status: String,
    /// The reason in one word.
    pub reason: String,
    /// Why, in words.
    pub message: String,
    /// Time since which it has that status. It had another reason then, perhaps: no status has that
    /// time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// When an event first reported the reason since then; absent without such an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_reported: Option<Timestamp>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Kind and name of the object.
    pub object: String,
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub type_: String,
    /// The reason in one word.
    pub reason: String,
    /// Its message.
    pub message: String,
    /// Number of times it was reported.
    pub count: i32,
    /// Time of the last report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
}

/// The node labels to which the operator has pinned a pod, so that it joins the pods of its topology
/// domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pin {
    /// Kind and name of the pod.
    pub object: String,
    /// The labels; a subset of its node selector.
    pub node_selector: BTreeMap<String, String>,
}

/// A container of the pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// Its pod.
    pub pod: String,
    /// Its name.
    pub name: String,
    /// Its state: waiting with a reason, running, or ended with a result.
    pub state: String,
    /// Number of its restarts.
    pub restarts: i32,
    /// The result of its last run, if it was restarted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_end: Option<String>,
    /// The first lines of its last output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
}

/// A resource claim that a pod without a node names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Whether it exists, and has devices.
    pub state: String,
}

/// An entry of `status.lastErrors`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Error {
    /// Kind and name of the object.
    pub object: String,
    /// Its code.
    pub code: String,
    /// Its description.
    pub description: String,
    /// Time of the observation.
    pub at: Timestamp,
}

/// An entry of `status.lastFailures`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The pod.
    pub pod: String,
    /// Its result and its node.
    pub end: String,
    /// The first lines of its last output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
    /// When.
    pub at: Timestamp,
}

/// An entry of `status.replicaAttempts` with its cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Termination {
    /// The replica, or the group replica.
    pub replica: String,
    /// Its number.
    pub attempt: i32,
    /// The pod that it goes back to.
    pub pod: String,
    /// The clique of the pod.
    pub clique: String,
    /// The trouble of the pod, and its node.
    pub trouble: String,
    /// The first lines of its last output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
    /// When.
    pub at: Timestamp,
}

/// A next step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextStep {
    /// Its time, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The text.
    pub text: String,
}

impl NextStep {
    /// A step at that time, unless another event comes first.
    pub fn at(at: Timestamp, text: impl Into<String>) -> Self {
        Self {
            at: Some(at),
            text: text.into(),
        }
    }

    /// A step without a known time.
    pub fn sometime(text: impl Into<String>) -> Self {
        Self {
            at: None,
            text: text.into(),
        }
    }
}
