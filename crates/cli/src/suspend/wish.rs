//! Which of the two is asked for, and whether the set lets it be.

use api::PodCliqueSet;
use domain::health::training;
use domain::object::ownership;

use crate::exit::Failure;

/// What a person asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// No pod runs.
    Suspend,
    /// The gangs start again.
    Resume,
}

impl Wish {
    /// The value of `spec.suspend`.
    pub fn suspend(self) -> bool {
        self == Self::Suspend
    }

    /// Its command.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Suspend => "suspend",
            Self::Resume => "resume",
        }
    }
}

/// Refuses a set whose pods have ended for good.
///
/// # Errors
/// If the set is a job that is over.
pub(super) fn refuse_over(set: &PodCliqueSet) -> Result<(), Failure> {
    if !training::is_over(set.status.as_ref()) {
        return Ok(());
    }
    let name = ownership::name(&set.metadata);
    Err(Failure::BadInput(format!(
        "podcliqueset {name} is a job that is over: `kubectl grove tree {name}` shows its end"
    )))
}
