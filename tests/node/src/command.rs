//! Commands that have to succeed.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// The output of a command.
///
/// The error has its arguments and its error output.
pub fn printed(command: &mut Command) -> Result<String> {
    let output = command.output();
    let output = output.with_context(|| format!("cannot run {command:?}"))?;
    let args = command.get_args().map(|arg| arg.to_string_lossy());
    let args = args.collect::<Vec<_>>().join(" ");
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{args}: {}", error.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
