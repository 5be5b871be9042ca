//! Which of the two is asked for, and whether the set lets it be.

use api::PodCliqueSet;
use domain::health::training;
use domain::object::ownership;
use serde_json::Value;

use crate::exit::Failure;
use crate::undo::find_manager;

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

    fn command(self) -> &'static str {
        match self {
            Self::Suspend => "suspend",
            Self::Resume => "resume",
        }
    }
}

/// Whether the write has an effect that lasts.
///
/// # Errors
/// If the set is a job that is over, or, unless `is_forced`, if a tool writes its manifest again.
pub fn check(
    set: &PodCliqueSet,
    stored: &Value,
    wish: Wish,
    is_forced: bool,
) -> Result<(), Failure> {
    let (name, command) = (ownership::name(&set.metadata), wish.command());
    if training::is_over(set.status.as_ref()) {
        return Err(Failure::BadInput(format!(
            "podcliqueset {name} is a job that is over: `kubectl grove tree {name}` shows its end"
        )));
    }
    match find_manager(stored).filter(|_| !is_forced) {
        Some(manager) => Err(Failure::BadInput(format!(
            "{manager} manages podcliqueset {name}, and would write its own spec.suspend again: \
             change it in its source, or run `kubectl grove {command} {name} --force`"
        ))),
        None => Ok(()),
    }
}
