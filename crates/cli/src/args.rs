//! The command line: flags are named as those of kubectl.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::bundle::BundleArgs;
use crate::capacity::CapacityArgs;
use crate::completion::CompletionArgs;
use crate::exit::Exit;
use crate::explain::ExplainArgs;
use crate::lint::LintArgs;
use crate::man::ManArgs;
use crate::plan::PlanArgs;
use crate::timeline::TimelineArgs;

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

/// Which cluster, and which namespace of it.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct ConnectionArgs {
    /// Kubeconfig file; otherwise $KUBECONFIG, ~/.kube/config, or the pod's own account
    #[arg(long, value_name = "FILE", global = true)]
    pub kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig; otherwise its current one
    #[arg(long, value_name = "NAME", global = true)]
    pub context: Option<String>,

    /// Namespace; otherwise that of the context
    #[arg(short, long, value_name = "NAME", global = true)]
    pub namespace: Option<String>,
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

/// Arguments of `tree`.
#[derive(Clone, Debug, ClapArgs)]
pub struct TreeArgs {
    /// Name of the PodCliqueSet; without it, a line for each
    pub name: Option<String>,

    /// Of all namespaces
    #[arg(short = 'A', long, conflicts_with_all = ["name", "namespace"])]
    pub all_namespaces: bool,

    /// Only sets with these labels, such as team=nlp
    #[arg(short = 'l', long, value_name = "LABELS", conflicts_with = "name")]
    pub selector: Option<String>,

    /// Format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub output: Format,

    /// Draw it again when something changes, until Ctrl-C
    #[arg(short, long, requires = "name", conflicts_with = "output")]
    pub watch: bool,
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, 80 columns.
    #[default]
    Text,
    /// For people, with more columns.
    Wide,
    /// For programs.
    Json,
    /// For programs and people.
    Yaml,
}

/// For the end of `--help`.
fn exit_codes() -> String {
    let lines = Exit::ALL.map(|exit| format!("  {}  {}", exit as u8, exit.meaning()));
    format!("Exit codes:\n{}", lines.join("\n"))
}
