//! A moment of the history.

use jiff::Timestamp;
use serde::Serialize;

/// A moment without a known time: it comes last.
pub const UNDATED: Timestamp = Timestamp::MAX;

/// Reason of the moment at which a restart was asked for.
pub const RESTART: &str = "Restart";

/// Whether the time is none.
pub fn is_undated(at: &Timestamp) -> bool {
    *at == UNDATED
}

/// A moment, once or repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    /// The time, or the first time of a repetition. [`UNDATED`] if it is unknown.
    #[serde(skip_serializing_if = "is_undated")]
    pub at: Timestamp,
    /// Time of the last repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// How often.
    pub count: i32,
    /// The occurrence.
    pub what: What,
    /// Kind of its object.
    pub kind: String,
    /// The names of these.
    pub names: Vec<String>,
    /// Uid of the object of an event: another object may have had its name before.
    #[serde(skip)]
    pub uid: Option<String>,
    /// Reason of an event or condition.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Details.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether reason and text are the present ones, which may be newer than `at`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_present: bool,
    /// The events that report the same.
    #[serde(skip)]
    pub told_by: Vec<Said>,
}

/// The occurrence in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, strum::Display)]
#[serde(rename_all = "camelCase")]
#[strum(serialize_all = "lowercase")]
pub enum What {
    /// An object was made.
    Created,
    /// A user or an autoscaler changed the replicas.
    Scaled,
    /// All guaranteed pods of a gang had nodes.
    Scheduled,
    /// The first container of a job started.
    Started,
    /// A set, replica or pod became ready.
    Ready,
    /// The object stopped being ready.
    #[strum(serialize = "not ready")]
    NotReady,
    /// A gang lost nodes, or is about to.
    Disrupted,
    /// Fewer than the minimum were available.
    Breached,
    /// Something failed.
    Failed,
    /// A replica was terminated for a breach.
    Terminated,
    /// A replica of a job was restarted.
    Restarted,
    /// An update began, came on or ended.
    Update,
    /// A job, or a part of it, has done its work.
    Done,
    /// An event that needs no attention.
    Event,
    /// An event that needs attention.
    Warning,
}

/// The message of an event that adds nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Its reason.
    pub reason: String,
    /// The beginning of its message.
    pub text: String,
    /// Whether only an event of about the same time matches: the text may return.
    pub is_at_the_time: bool,
}

impl Moment {
    /// Whether it reports a change of this object at this time.
    pub fn new(at: Timestamp, what: What, kind: &str, name: &str, text: impl Into<String>) -> Self {
        Self {
            at,
            until: None,
            count: 1,
            what,
            kind: kind.to_owned(),
            names: vec![name.to_owned()],
            uid: None,
            reason: String::new(),
            text: text.into(),
            is_present: false,
            told_by: Vec::new(),
        }
    }

    /// The same with a reason.
    #[must_use]
    pub fn because(mut self, reason: &str) -> Self {
        reason.clone_into(&mut self.reason);
        self
    }

    /// Adds an event that reports the same: its reason, and the beginning of its message.
    #[must_use]
    pub fn told_by(mut self, reason: &str, text: impl Into<String>, is_at_the_time: bool) -> Self {
        self.told_by.push(Said {
            reason: reason.to_owned(),
            text: text.into(),
            is_at_the_time,
        });
        self
    }

    /// Time of the last occurrence.
    pub fn last(&self) -> Timestamp {
        self.until.unwrap_or(self.at)
    }
}
