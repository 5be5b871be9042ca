//! The end of a command: its exit code, and one line with the reason.

use kube::core::Status;

use crate::files::Broken;
use crate::operator_presence::OperatorAbsence;

/// Exit codes (docs/kubectl-grove.md, "Exit codes").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, with no finding that should stop a script.
    Ok = 0,
    /// Done, with a finding: errors of `lint`, differences of `plan --live`, a gang for which
    /// `capacity` finds no room, a set that is not ready, an operator that is away.
    Finding = 1,
    /// The arguments, or a file, cannot be used.
    BadInput = 2,
    /// The cluster cannot be reached, or refuses a request.
    NoCluster = 3,
    /// The object does not exist.
    NotFound = 4,
    /// Anything else, such as a file that cannot be written.
    Failed = 5,
}

/// The failure of a command in one line, with a remedy.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Arguments or files that cannot be used.
    #[error("{0}")]
    BadInput(String),
    /// A file that cannot be parsed. The line begins with its place, as editors expect it.
    #[error(transparent)]
    Unreadable(#[from] Broken),
    /// A cluster that cannot be reached or does not answer.
    #[error("{0}")]
    NoCluster(String),
    /// An object that does not exist.
    #[error("{0}")]
    NotFound(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl Exit {
    /// All of them, by code.
    pub const ALL: [Self; 6] = [
        Self::Ok,
        Self::Finding,
        Self::BadInput,
        Self::NoCluster,
        Self::NotFound,
        Self::Failed,
    ];

    /// Of a command that shows whether sets are ready; without an operator nobody knows whether they are.
    pub const fn of_readiness(is_ready: bool, absence: Option<&OperatorAbsence>) -> Self {
        if is_ready && absence.is_none() {
            Self::Ok
        } else {
            Self::Finding
        }
    }

    /// Its meaning, in the words of `--help` and docs/kubectl-grove.md.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "done",
            Self::Finding => "done, and there is something to look at",
            Self::BadInput => "an argument or a file cannot be used",
            Self::NoCluster => "the cluster cannot be reached, or refuses a request",
            Self::NotFound => "the object does not exist",
            Self::Failed => "anything else, such as a file that cannot be written",
        }
    }
}

impl Failure {
    /// With which code the process ends.
    pub fn exit(&self) -> Exit {
        match self {
            Self::BadInput(_) | Self::Unreadable(_) => Exit::BadInput,
            Self::NoCluster(_) => Exit::NoCluster,
            Self::NotFound(_) => Exit::NotFound,
            Self::Other(_) => Exit::Failed,
        }
    }

    /// A request that failed; `what` describes it: `list podgangs in namespace ml`.
    pub fn of_request(what: &str, error: &kube::Error) -> Self {
        let cause = innermost(error);
        Self::NoCluster(match error {
            kube::Error::Api(status) => return Self::of_answer(what, status),
            kube::Error::Auth(_) => format!(
                "cannot {what}: logging in failed ({cause}); check `kubectl auth whoami`, or choose another context with --context"
            ),
            kube::Error::SerdeError(_) => format!(
                "cannot {what}: this version does not understand the answer ({cause}); is \
                 kubectl-grove as new as the operator?"
            ),
            _ => format!(
                "cannot {what}: the API server cannot be reached ({cause}); check \
                 `kubectl cluster-info`, or choose another context with --context"
            ),
        })
    }

    /// A request about a kind of ours whose definition is missing.
    pub fn of_missing_definition(what: &str, definition: &str) -> Self {
        Self::NoCluster(format!(
            "cannot {what}: definition {definition} is missing; restore it by `helm upgrade grove \
             charts/grove --namespace grove-system --reset-then-reuse-values --set crds.install=true`, or \
             by `kubectl apply --server-side -f config/crd/{definition}.yaml`"
        ))
    }

    fn of_answer(what: &str, status: &Status) -> Self {
        let message = &status.message;
        Self::NoCluster(match status.code {
            401 => format!(
                "cannot {what}: the API server does not accept your login; log in again, or choose \
                 another context with --context"
            ),
            403 if message.contains("grove.io") => format!(
                "cannot {what}: you are not allowed to ({message}); ask an administrator for that \
                 right: the chart adds grove's kinds to the ClusterRole `{}`",
                if message.contains("cannot patch") {
                    "edit"
                } else {
                    "view"
                }
            ),
            403 => format!(
                "cannot {what}: you are not allowed to ({message}); ask an administrator for that \
                 right"
            ),
            404 => format!(
                "cannot {what}: the cluster does not know that kind; is grove installed there? \
                 `kubectl grove status` names the missing kinds"
            ),
            429 | 500..=599 => format!(
                "cannot {what}: the API server has trouble ({} {message}); try again in a moment",
                status.code
            ),
            code => format!("cannot {what}: the API server answers {code}: {message}"),
        })
    }
}

/// The last cause of an error is the specific one.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
