//! The `grove-operator` binary: configuration and wiring.

pub mod about;
pub mod args;
pub mod config;
mod election;
pub mod logging;
pub mod probe;
pub mod run;
mod tasks;
mod webhooks;

/// How the process ends; the exit codes are the Go operator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Stopped by a signal.
    Ok = 0,
    /// The command line cannot be understood.
    BadArguments = 1,
    /// The configuration file cannot be read or has an impossible value.
    BadConfig = 2,
    /// The API server cannot be reached with the given configuration.
    NoClient = 4,
    /// A task that must not end has ended.
    Failed = 6,
}
