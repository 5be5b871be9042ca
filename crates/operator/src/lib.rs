//! The `grove-operator` binary: configuration and wiring.

pub mod args;
pub mod config;
pub mod logging;
pub mod run;

/// How the process ends (Grove, §11.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Stopped by a signal.
    Ok = 0,
    /// The command line cannot be understood.
    BadArguments = 1,
    /// The configuration file cannot be read or asks for something impossible.
    BadConfig = 2,
    /// The API server cannot be reached with what was given.
    NoClient = 4,
    /// A part that must run for ever ended.
    Failed = 6,
}
