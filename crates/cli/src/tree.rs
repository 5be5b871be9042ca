//! `tree`: a set as a tree down to its pods, or a line for each set.

mod args;
mod branch;
mod build;
mod columns;
mod contradictions;
mod draw;
mod follow;
mod overview;

use chrono::Utc;
use jiff::Timestamp;

use crate::cluster::{Cluster, find_set, load_named};
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::format::Format;
use crate::operator_presence::{OperatorAbsence, read_absence};
use crate::output;

pub use args::TreeArgs;
pub use branch::{Branch, BranchKind};
pub use build::{build_tree, build_tree_by};
pub use contradictions::mark_contradictions;
pub use draw::{draw_tree, draw_tree_within, draw_warned_tree};
pub use follow::{cut_above_sum, cut_lines};
pub use overview::{SetSummary, draw_overview, draw_sum, summarize};

/// Runs the command.
pub async fn run(args: &TreeArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    match &args.name {
        None if args.watch => follow::follow_overview(&cluster, args).await?,
        None => return show_overview(&cluster, args).await,
        Some(name) if args.watch => {
            let name = find_set(&cluster, name).await?;
            follow::follow_set(&cluster, &name).await?;
        }
        Some(name) => return show_tree(&cluster, name, args.output).await,
    }
    Ok(Exit::Ok)
}

async fn show_tree(cluster: &Cluster, name: &str, format: Format) -> Result<Exit, Failure> {
    let workload = load_named(cluster, name).await?.workload;
    let tree = build_tree_by(&workload, read_absence(cluster).await, now());
    let width = (format != Format::Wide).then(output::width);
    output::print_value(&tree, format, |tree| draw_warned_tree(tree, now(), width))?;
    let absence = tree.operator_absence.as_ref();
    Ok(Exit::of_readiness(tree.is_ready(), absence))
}

/// The paragraph above a tree or an answer; empty while the operator is there.
pub(crate) fn warn_of(absence: Option<&OperatorAbsence>, now: Timestamp) -> String {
    let Some(absence) = absence else {
        return String::new();
    };
    let lines = output::wrap(&absence.describe(now), output::prose_width());
    let lines = lines.iter().map(|line| output::warn(line) + "\n");
    lines.collect::<String>() + "\n"
}

/// The sets of the command line.
pub struct Overview {
    /// That the operator is away.
    absence: Option<OperatorAbsence>,
    /// All of them.
    all: Vec<SetSummary>,
    /// Those that are printed.
    shown: Vec<SetSummary>,
    /// The text if there are none.
    nothing: String,
}

/// Reads the sets of the command line; the operator may be away.
pub async fn read_overview(
    cluster: &Cluster,
    args: &TreeArgs,
    absence: Option<OperatorAbsence>,
) -> Result<Overview, Failure> {
    let labels = args.selector.as_deref().unwrap_or("");
    let sets = if args.all_namespaces {
        cluster.list_everywhere(labels).await?
    } else {
        cluster.list(labels).await?
    };
    let all = summarize(&sets, absence.as_ref(), now());
    let mut shown = all.clone();
    shown.retain(|line| !args.not_ready || !line.is_ready());
    let nothing = nothing_found(cluster, args);
    Ok(Overview {
        absence,
        all,
        shown,
        nothing,
    })
}

async fn show_overview(cluster: &Cluster, args: &TreeArgs) -> Result<Exit, Failure> {
    let overview = read_overview(cluster, args, read_absence(cluster).await).await?;
    output::print_value(&overview.shown, args.output, |_| overview.draw(args))?;
    Ok(overview.exit())
}

impl Overview {
    /// Draws the sets below the warning that the operator is away, if it is.
    pub fn draw(&self, args: &TreeArgs) -> String {
        warn_of(self.absence.as_ref(), now()) + &self.draw_lines(args)
    }

    /// A set that is not ready, or an operator that is away, gives exit code 1.
    pub fn exit(&self) -> Exit {
        let is_ready = self.all.iter().all(SetSummary::is_ready);
        Exit::of_readiness(is_ready, self.absence.as_ref())
    }

    fn draw_lines(&self, args: &TreeArgs) -> String {
        if self.all.is_empty() {
            return self.nothing.clone();
        }
        let width = (args.output != Format::Wide).then(output::width);
        let table = if self.shown.is_empty() {
            String::new()
        } else {
            draw_overview(&self.shown, args.all_namespaces, width)
        };
        table + &draw_sum(&self.all)
    }
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
