//! `tree`: a set as a tree down to its pods, or a line for each set.

mod args;
mod branch;
mod build;
mod draw;
mod follow;
mod overview;

use chrono::Utc;
use jiff::Timestamp;

use crate::cluster::{Cluster, load_workload};
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::format::Format;
use crate::output;

pub use args::TreeArgs;
pub use branch::{Branch, BranchKind};
pub use build::build_tree;
pub use draw::draw_tree;
pub use overview::{SetSummary, draw_overview, summarize};

/// Runs the command.
pub async fn run(args: &TreeArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    match &args.name {
        None => show_overview(&cluster, args).await?,
        Some(name) if args.watch => follow::follow(&cluster, name).await?,
        Some(name) => show_tree(&cluster, name, args.output).await?,
    }
    Ok(Exit::Ok)
}

async fn show_tree(cluster: &Cluster, name: &str, format: Format) -> Result<(), Failure> {
    let workload = load_workload(cluster, name).await?;
    let tree = build_tree(&workload, now());
    let is_wide = format == Format::Wide;
    output::print_value(&tree, format, |tree| draw_tree(tree, is_wide))
}

async fn show_overview(cluster: &Cluster, args: &TreeArgs) -> Result<(), Failure> {
    let labels = args.selector.as_deref().unwrap_or("");
    let sets = if args.all_namespaces {
        cluster.list_everywhere(labels).await?
    } else {
        cluster.list(labels).await?
    };
    if sets.is_empty() && matches!(args.output, Format::Text | Format::Wide) {
        return output::print_text(&nothing_found(cluster, args));
    }
    let lines = summarize(&sets, now());
    let (all, is_wide) = (args.all_namespaces, args.output == Format::Wide);
    output::print_value(&lines, args.output, |lines| {
        draw_overview(lines, all, is_wide)
    })
}

fn nothing_found(cluster: &Cluster, args: &TreeArgs) -> String {
    let place = match (args.all_namespaces, &args.selector) {
        (true, None) => "in any namespace".to_owned(),
        (true, Some(labels)) => format!("with labels {labels}"),
        (false, None) => format!("in namespace {}; -A looks in all", cluster.namespace),
        (false, Some(labels)) => format!("with labels {labels} in namespace {}", cluster.namespace),
    };
    format!("No PodCliqueSets {place}.\n")
}

/// The machine's time; commands pass it on.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_microsecond(Utc::now().timestamp_micros()).unwrap_or_default()
}
