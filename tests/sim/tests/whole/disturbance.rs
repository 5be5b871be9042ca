//! The fault of a run.

use std::fmt;

use sim::Resource;

use crate::fault::{Fault, Signature};
use crate::trouble::Trouble;

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// A fault of a write.
    Write(Signature, Fault),
    /// A fault of the watch of a kind.
    Watch(Resource, Trouble),
    /// The operator ends after this write, and the next one gets lists from before the scenario:
    /// those of one kind, or all.
    OldLists(Signature, Option<Resource>),
    /// Just before this deletion is carried out, another object takes the place of the deleted one.
    Replaced(Signature),
    /// Two operators run until a minute after the scenario began.
    TwoOperators,
    /// Another operator starts with this write, and both run for a minute.
    Joined(Signature),
    /// No fault, but the operator watches one namespace by name.
    OneNamespace,
}

impl Disturbance {
    /// The write with the fault.
    pub fn signature(&self) -> Option<&Signature> {
        match self {
            Self::Write(signature, _)
            | Self::OldLists(signature, _)
            | Self::Replaced(signature)
            | Self::Joined(signature) => Some(signature),
            Self::Watch(..) | Self::TwoOperators | Self::OneNamespace => None,
        }
    }

    /// The group of the fault.
    pub fn theme(&self) -> String {
        match self {
            Self::Write(_, fault) => fault.to_string(),
            Self::Watch(_, trouble) => trouble.to_string(),
            Self::OldLists(_, None) => "old lists".to_owned(),
            Self::OldLists(_, Some(_)) => "one old list".to_owned(),
            Self::Replaced(_) => "replaced".to_owned(),
            Self::Joined(_) => "another joins".to_owned(),
            Self::TwoOperators | Self::OneNamespace => self.to_string(),
        }
    }

    /// Whether two operators decide at the same time.
    pub fn has_two_operators(&self) -> bool {
        matches!(self, Self::TwoOperators | Self::Joined(_))
    }

    /// Whether an event may have been refused and lost.
    pub fn may_refuse_event(&self) -> bool {
        matches!(self, Self::Write(signature, fault) if signature.write.is_of_event() && !fault.is_after())
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(signature, fault) => write!(f, "{signature}: {fault}"),
            Self::Watch(kind, trouble) => write!(f, "watch of {kind}: {trouble}"),
            Self::OldLists(signature, None) => write!(f, "{signature}: old lists"),
            Self::OldLists(signature, Some(kind)) => write!(f, "{signature}: old list of {kind}"),
            Self::Replaced(signature) => write!(f, "{signature}: replaced"),
            Self::Joined(signature) => write!(f, "{signature}: another operator joins"),
            Self::TwoOperators => f.write_str("two operators"),
            Self::OneNamespace => f.write_str("one namespace"),
        }
    }
}
