//! `logs`: the logs of a set's pods, each line with the PodClique and the index of its pod.

mod args;
mod choose;
mod line;
mod stream;

use futures::StreamExt;
use futures::stream::{self as streams, BoxStream};

use crate::cluster::{Cluster, load_named};
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::output;

pub use args::LogsArgs;
pub use choose::{LogSource, choose_sources};
pub use line::draw_line;

/// Pods that are followed at a time: each needs a connection of its own.
const MOST: usize = 50;

/// Runs the command.
pub async fn run(args: &LogsArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect_to_follow(connection).await?;
    let loaded = load_named(&cluster, &args.name).await?;
    let sources = choose_sources(&loaded, args)?;
    if args.follow && sources.len() > MOST {
        return Err(Failure::BadInput(format!(
            "{} pods cannot be followed together, at most {MOST} can; choose some with --clique or \
             --rank",
            sources.len()
        )));
    }
    let mut lines = read_lines(&cluster, &sources, args);
    let mut exit = Exit::Ok;
    while let Some(line) = lines.next().await {
        match line {
            Ok(line) => {
                if !output::print_next(&line)? {
                    return Ok(exit);
                }
            }
            Err(failure) => {
                output::print_failure(&failure);
                exit = Exit::Finding;
            }
        }
    }
    Ok(exit)
}

/// The lines of these logs with their prefixes, or a failure for a log that cannot be read. Without
/// `--follow` one log comes after the other, in the order of the pods.
pub fn read_lines(
    cluster: &Cluster,
    sources: &[LogSource],
    args: &LogsArgs,
) -> BoxStream<'static, Result<String, Failure>> {
    let logs: Vec<_> = sources
        .iter()
        .map(|source| stream::read(cluster, source, args))
        .collect();
    if args.follow {
        return streams::select_all(logs).boxed();
    }
    streams::iter(logs).flatten().boxed()
}
