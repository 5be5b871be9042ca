//! Arguments of `logs`.

use clap::Args as ClapArgs;

/// Arguments of `logs`.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct LogsArgs {
    /// Name of the PodCliqueSet, or of a group, PodClique or pod of it, or TYPE/NAME
    pub name: String,

    /// Only pods with this rank: the index among all pods of the replica of the scaling group, or in a
    /// PodClique without a group
    #[arg(long, value_name = "RANK")]
    pub rank: Option<i32>,

    /// Only pods of this clique of the template, or of this PodClique
    #[arg(long, value_name = "NAME")]
    pub clique: Option<String>,

    /// The container; default the first one of each pod
    #[arg(short, long, value_name = "NAME")]
    pub container: Option<String>,

    /// The log of the container before its last restart
    #[arg(short, long)]
    pub previous: bool,

    /// Go on with new lines, until Ctrl-C
    #[arg(short, long, conflicts_with = "previous")]
    pub follow: bool,

    /// Only so many of the last lines of each pod
    #[arg(long, value_name = "LINES")]
    pub tail: Option<i64>,
}
