//! `timeline`: the history of a set in local time.

mod args;
mod collect;
mod draw;
mod merge;
mod moment;
mod order;

use chrono::Local;
use jiff::{SignedDuration, Timestamp};

use crate::cluster::{Cluster, load_named};
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::tree::now;

pub use args::TimelineArgs;
pub use collect::{Names, collect_moments};
pub use draw::draw_timeline;
pub use moment::{Moment, What};

/// Runs the command.
pub async fn run(args: &TimelineArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let workload = load_named(&cluster, &args.name).await?.workload;
    let names = Names::of(&workload);
    let events = cluster.events_where(|event| names.match_event(event)).await;
    let found = events.as_deref().unwrap_or_default();
    let moments = keep_since(collect_moments(&workload, found), args.since, now());
    output::print_value(&moments, args.output, |m| draw_timeline(m, &Local))?;
    // The history of the objects is printed already; missing events must still be an error.
    events.map(|_| Exit::Ok)
}

/// The moments within that time.
pub fn keep_since(
    moments: Vec<Moment>,
    since: Option<SignedDuration>,
    now: Timestamp,
) -> Vec<Moment> {
    let from = since.and_then(|since| now.checked_sub(since).ok());
    let is_meant = |m: &Moment| from.is_none_or(|from| m.last() >= from);
    moments.into_iter().filter(is_meant).collect()
}
