//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

/// Where the operator mounts the volume.
const DIRECTORY: &str = "/var/grove/start-order";

/// The command to run.
pub enum Command {
    /// Print this text.
    Print(String),
    /// Wait for the annotations in this folder.
    Wait(PathBuf),
}

/// Reads the arguments; an error names the argument that cannot be understood.
pub fn parse(args: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let mut directory = PathBuf::from(DIRECTORY);
    let mut args = args;
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        if let Some(value) = text.strip_prefix("--volume=") {
            directory = PathBuf::from(value);
            continue;
        }
        match &*text {
            "--help" | "-h" => return Ok(Command::Print(help())),
            "--version" | "-V" => return Ok(Command::Print(version())),
            "--volume" => directory = args.next().ok_or("--volume: name a folder")?.into(),
            other => return Err(format!("unknown argument {other:?}; see --help")),
        }
    }
    Ok(Command::Wait(directory))
}

fn version() -> String {
    format!("grove-initc {}", env!("CARGO_PKG_VERSION"))
}

fn help() -> String {
    HELP.replace("DEFAULT", DIRECTORY)
}

const HELP: &str = "\
Waits until the pod that it runs in may start, then exits with 0.

Usage: grove-initc [--volume DIRECTORY]

  --volume DIRECTORY  Where the pod's downwardAPI volume is mounted
                      [default: DEFAULT]. File start shows
                      annotation grove.io/start, which has to become \"now\"
                      or a number above 0;
                      file starts-after shows grove.io/starts-after:
                      PodCliques and how many of their pods have to be ready
  -V, --version       Print the version
  -h, --help          Print this

Exits with 1 if there is no such volume, and with 143 on SIGTERM.";
