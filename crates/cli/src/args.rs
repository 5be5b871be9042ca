//! The command line: flags have the names of kubectl's.

use clap::{Parser, Subcommand};

use crate::bundle::BundleArgs;
use crate::capacity::CapacityArgs;
use crate::completion::CompletionArgs;
use crate::connection::ConnectionArgs;
use crate::exit::Exit;
use crate::explain::ExplainArgs;
use crate::history::HistoryArgs;
use crate::lint::LintArgs;
use crate::logs::LogsArgs;
use crate::man::ManArgs;
use crate::pause::PauseArgs;
use crate::plan::PlanArgs;
use crate::restart::RestartArgs;
use crate::status::StatusArgs;
use crate::suspend::SuspendArgs;
use crate::timeline::TimelineArgs;
use crate::tree::TreeArgs;
use crate::undo::UndoArgs;

/// See, explain, check and plan a gang from the terminal. Only `restart`, `pause`, `unpause`, `undo`,
/// `suspend` and `resume` change a cluster.
#[derive(Debug, Parser)]
#[command(name = "kubectl-grove", bin_name = "kubectl grove", version)]
#[command(after_help = exit_codes())]
pub struct Args {
    /// Which cluster.
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The tree of a set, or of all sets: replicas, groups, cliques, pods, and the cause that keeps
    /// each from running
    Tree(TreeArgs),
    /// The cause that keeps a set, or a pod of it, from running: evidence, remedy and next steps
    Explain(ExplainArgs),
    /// The history of a set: attempts, failures, updates, scaling, events
    Timeline(TimelineArgs),
    /// The logs of its pods, each line with PodClique and index
    Logs(LogsArgs),
    /// The pod templates that the operator accepted, and the replicas that have each
    History(HistoryArgs),
    /// Writes older pod templates back into a set; the operator then updates to them
    Undo(UndoArgs),
    /// Sets spec.suspend: no pod of the set runs until it is resumed
    Suspend(SuspendArgs),
    /// Takes spec.suspend back: the gangs of the set start again, each as a whole
    Resume(SuspendArgs),
    /// Replaces the pods of a set, replica after replica, by the rules of an update; or restarts one
    /// replica as a whole
    Restart(RestartArgs),
    /// Stops the update of a set, and those to come
    Pause(PauseArgs),
    /// Lets the update of a paused set go on
    Unpause(PauseArgs),
    /// Problems of manifests, line by line: errors and warnings of admission, and bad practice
    Lint(LintArgs),
    /// The objects that a file will create, or the changes that applying it would make in the
    /// cluster
    Plan(PlanArgs),
    /// Whether the gangs of a manifest fit on the nodes as they are, and the shortage if not
    Capacity(CapacityArgs),
    /// Whether the operator works: its pods, leader, webhook, certificate, definitions and versions
    Status(StatusArgs),
    /// The contents of a bug report, without secrets, as one tar.gz
    Bundle(BundleArgs),
    /// A shell script that completes commands, flags and names
    Completion(CompletionArgs),
    /// The manual, as a man page
    #[command(hide = true)]
    Man(ManArgs),
}

/// For the end of `--help`.
fn exit_codes() -> String {
    let lines = Exit::ALL.map(|exit| format!("  {}  {}", exit as u8, exit.meaning()));
    format!("Exit codes:\n{}", lines.join("\n"))
}
