//! `grove-initc`: the init container of pods that start after others (docs/start-order.md).
//!
//! It needs no credentials and sends no requests: the operator annotates the pod, the kubelet shows
//! the annotation in a downwardAPI volume, and this program reads that file until it allows the
//! start.

mod args;
mod report;
mod volume;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use args::Command;
use report::Report;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_shutdown;
use volume::Volume;

/// How often the volume is read. The kubelet mostly shows a changed annotation within seconds;
/// otherwise within a minute or two, or when the operator changes it again.
///
/// inotify would save five reads of a file in memory per second and bring more trouble than that:
/// the kubelet does not change files but swaps the folder that they are links into, so the folder
/// above has to be watched, and a watch that is set up after the swap sees nothing.
const INTERVAL: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let outcome = match args::parse(std::env::args_os().skip(1)) {
        Ok(Command::Print(text)) => {
            report::say(&text);
            Ok(())
        }
        Ok(Command::Wait(directory)) => wait(&Volume::new(directory)),
        Err(problem) => Err(problem),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            report::complain(&problem);
            ExitCode::FAILURE
        }
    }
}

/// Returns once the pod may start.
fn wait(volume: &Volume) -> Result<(), String> {
    end_on_signals().map_err(|e| format!("cannot listen for SIGTERM: {e}"))?;
    let mut report = Report::default();
    loop {
        let seen = volume.read().map_err(|problem| problem.text())?;
        report.tell(&seen);
        if seen.may_start() {
            return Ok(());
        }
        thread::sleep(INTERVAL);
    }
}

/// In a container this is process 1, to which the kernel does not deliver signals without a
/// handler: a pod that is deleted while it waits would hold its place for the whole grace period.
fn end_on_signals() -> std::io::Result<()> {
    for signal in [SIGTERM, SIGINT] {
        // The exit code with which shells report a process that a signal ended.
        let code = 128 + signal;
        register_conditional_shutdown(signal, code, Arc::new(AtomicBool::new(true)))?;
    }
    Ok(())
}
