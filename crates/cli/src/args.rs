//! The command line: flags are named as those of kubectl.

use clap::{Parser, Subcommand};

use crate::bundle::BundleArgs;
use crate::capacity::CapacityArgs;
use crate::completion::CompletionArgs;
use crate::connection::ConnectionArgs;
use crate::exit::Exit;
use crate::explain::ExplainArgs;
use crate::lint::LintArgs;
use crate::man::ManArgs;
use crate::plan::PlanArgs;
use crate::timeline::TimelineArgs;
use crate::tree::TreeArgs;

/// See, explain, check and plan a gang from the terminal. Nothing here changes a cluster.
#[derive(Debug, Parser)]
#[command(name = "kubectl-grove", bin_name = "kubectl grove", version)]
#[command(after_help = exit_codes())]
pub struct Args {
    /// Which cluster.
    #[command(flatten)]
    pub connection: ConnectionArgs,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// A set, or all of them: replicas, groups, cliques, pods, and what keeps each from running
    Tree(TreeArgs),
    /// Why a set, or a pod of it, does not run: cause, evidence, remedy, and what happens next
    Explain(ExplainArgs),
    /// What happened to a set, and when: attempts, failures, updates, scaling, events
    Timeline(TimelineArgs),
    /// Manifests: what admission would refuse or warn of, and what is unwise, line by line
    Lint(LintArgs),
    /// What will exist for a file, or what applying it would change in the cluster
    Plan(PlanArgs),
    /// Whether the gangs of a manifest fit on the nodes as they are, and what is short if not
    Capacity(CapacityArgs),
    /// All that a bug report needs, without secrets, as one tar.gz
    Bundle(BundleArgs),
    /// A script by which a shell completes commands, flags and names
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
