//! How a command ends: its exit code, and the one line that says why.

use kube::core::Status;

/// What the process says to its caller (docs/kubectl-grove.md, "Exit codes").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, and nothing was found that should stop a script.
    Ok = 0,
    /// Done, and there is something to look at: errors of `lint`, differences of `plan --live`, a
    /// gang for which `capacity` finds no room.
    Finding = 1,
    /// The arguments, or a file, cannot be used.
    BadInput = 2,
    /// The cluster cannot be reached, or refuses to answer.
    NoCluster = 3,
    /// What was asked for does not exist.
    NotFound = 4,
    /// Anything else, such as a file that cannot be written.
    Failed = 5,
}

/// Why a command could not do what it was asked for, in one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Arguments or files that cannot be used.
    #[error("{0}")]
    BadInput(String),
    /// A cluster that cannot be reached or does not answer.
    #[error("{0}")]
    NoCluster(String),
    /// Something that does not exist.
    #[error("{0}")]
    NotFound(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// With which code the process ends.
    pub fn exit(&self) -> Exit {
        match self {
            Self::BadInput(_) => Exit::BadInput,
            Self::NoCluster(_) => Exit::NoCluster,
            Self::NotFound(_) => Exit::NotFound,
            Self::Other(_) => Exit::Failed,
        }
    }

    /// A request that failed; `what` is what was asked for: `list podgangs in namespace ml`.
    pub fn of_request(what: &str, error: &kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => Self::of_answer(what, status),
            _ => Self::NoCluster(format!(
                "cannot {what}: the API server cannot be reached ({}); check --context and \
                 --kubeconfig, and try `kubectl cluster-info`",
                innermost(error)
            )),
        }
    }

    fn of_answer(what: &str, status: &Status) -> Self {
        match status.code {
            401 => Self::NoCluster(format!(
                "cannot {what}: the cluster does not know you; log in again, or choose another \
                 user with --context"
            )),
            403 => Self::NoCluster(format!(
                "cannot {what}: forbidden; ask for that right, such as the chart's ClusterRole \
                 grove-view gives it"
            )),
            404 => Self::NoCluster(format!(
                "cannot {what}: the cluster does not serve that kind; install grove first"
            )),
            code => Self::NoCluster(format!(
                "cannot {what}: the API server answered {code}: {}",
                status.message
            )),
        }
    }
}

/// The last cause of an error is the one that says something.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}
