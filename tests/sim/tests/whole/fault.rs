//! Faults of writes, and the names of writes.

use std::fmt;
use std::str::FromStr;

use sim::{Answer, Call, Resource};

/// A kind of write.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Write {
    verb: String,
    resource: String,
    subresource: String,
}

impl Write {
    /// The kind of this request; `None` if it only reads.
    pub fn of(call: &Call) -> Option<Self> {
        if call.method == "GET" {
            return None;
        }
        let target = sim::RequestPath::parse(&call.path)?;
        Some(Self {
            verb: call.method.clone(),
            resource: target.resource.plural(),
            subresource: target.subresource.unwrap_or_default(),
        })
    }

    /// Whether it deletes an object without finalizers, so that another may take its place at once.
    pub fn is_deletion_at_once(&self) -> bool {
        let kinds = [
            Resource::Service,
            Resource::PodGang,
            Resource::HorizontalPodAutoscaler,
            Resource::ControllerRevision,
            Resource::ResourceClaim,
        ];
        let kinds = kinds.map(Resource::plural);
        self.verb == "DELETE" && kinds.contains(&self.resource)
    }

    /// Whether it posts an event.
    pub fn is_of_event(&self) -> bool {
        self.resource == Resource::Event.plural()
    }
}

impl fmt::Display for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        match self.subresource.as_str() {
            "" => Ok(()),
            subresource => write!(f, "/{subresource}"),
        }
    }
}

/// One write: its number among those of its kind since the scenario began, from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    /// Its kind.
    pub write: Write,
    /// Its number.
    pub number: usize,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.write, self.number)
    }
}

/// Parses the displayed form.
impl FromStr for Signature {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || format!("{text:?} is no write; one is `POST pods#1`");
        let (write, number) = text.split_once('#').ok_or_else(malformed)?;
        let (verb, target) = write.split_once(' ').ok_or_else(malformed)?;
        let (resource, subresource) = target.split_once('/').unwrap_or((target, ""));
        Ok(Self {
            write: Write {
                verb: verb.to_owned(),
                resource: resource.to_owned(),
                subresource: subresource.to_owned(),
            },
            number: number.parse().map_err(|_| malformed())?,
        })
    }
}

/// A fault of a write.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    strum::Display,
    strum::EnumIter,
    strum::EnumString,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Fault {
    /// The operator ends before the write arrives, and another one starts.
    CrashBefore,
    /// The operator ends before the answer arrives, and another one starts.
    CrashAfter,
    /// It is carried out, and the connection breaks; so does the watch that shows it, for a while.
    LostAnswer,
    /// 409, without an effect.
    Conflict,
    /// 422, without an effect.
    Invalid,
    /// 429 with Retry-After, without an effect.
    Throttled,
    /// 500, without an effect.
    Internal,
    /// It is carried out, and answered by 504.
    TimeoutAfter,
    /// It never arrives, and there is no answer.
    Hang,
}

impl Fault {
    /// Whether the write is carried out.
    pub fn is_after(self) -> bool {
        matches!(
            self,
            Self::CrashAfter | Self::LostAnswer | Self::TimeoutAfter
        )
    }

    /// The API server's answer instead of the result of the write.
    pub fn answer(self, call: &Call) -> Option<Answer> {
        let (code, reason, message) = match self {
            Self::Conflict if call.method == "POST" => {
                (409, "AlreadyExists", "an object of this name exists")
            }
            Self::Conflict => (409, "Conflict", "the object has been modified"),
            Self::Invalid => (422, "Invalid", "this is refused by a test"),
            Self::Throttled => (429, "TooManyRequests", "please try again later"),
            Self::Internal => (500, "InternalError", "this fails because of a test"),
            Self::TimeoutAfter => (504, "Timeout", "the request did not complete in time"),
            Self::CrashBefore | Self::CrashAfter | Self::LostAnswer | Self::Hang => return None,
        };
        Some(Answer::failure(code, reason, message))
    }
}
