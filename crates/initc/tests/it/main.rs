//! The program, run as a process against a volume that changes as the kubelet changes it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy.toml allows them in test functions, but not in what those call"
)]

mod command_line;
mod process;
mod volume;
mod waiting;
