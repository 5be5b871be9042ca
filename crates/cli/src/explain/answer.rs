//! The answer: why a set, or a pod of it, does not run.

use jiff::Timestamp;
use serde::Serialize;

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
    /// Whether it runs: all that has to.
    pub is_ready: bool,
    /// Why, in one word: a reason of condition `Ready`.
    pub reason: String,
    /// Why, in one sentence.
    pub cause: String,
    /// The objects that it was found through, from the set down to the pod.
    pub chain: Vec<Link>,
    /// The evidence.
    pub evidence: Vec<Evidence>,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// The next steps.
    pub next: Vec<Step>,
    /// Objects that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_read: Vec<String>,
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
    /// Whether it runs as it should; `None` if it is on its way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_good: Option<bool>,
    /// Its uid, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
}

/// Something that was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "what")]
pub enum Evidence {
    /// A condition of an object of the chain.
    Condition(Condition),
    /// The latest event of its reason about an object of the chain.
    Event(Event),
    /// A container of the pod.
    Container(Container),
    /// A request that the API server refused, or an error of the spec: from `status.lastErrors`.
    Error(Error),
    /// How a pod of a job failed: from `status.lastFailures`.
    Failure(Failure),
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
    /// Why, in one word.
    pub reason: String,
    /// Why, in words.
    pub message: String,
    /// Since when it has that status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
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
    /// Why, in one word.
    pub reason: String,
    /// Its message.
    pub message: String,
    /// Number of times it was reported.
    pub count: i32,
    /// Time of the last report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
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
    /// How often it was restarted.
    pub restarts: i32,
    /// How its last run ended, if it was started again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_end: Option<String>,
    /// The first lines of its last output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
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
    /// When it was seen.
    pub at: Timestamp,
}

/// An entry of `status.lastFailures`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// The pod.
    pub pod: String,
    /// How it ended, and where.
    pub end: String,
    /// The first lines of its last output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_words: Vec<String>,
    /// When.
    pub at: Timestamp,
}

/// Something that happens next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// When, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The text.
    pub text: String,
}

impl Step {
    /// At that time, unless something else happens before.
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
