//! `history`: the revisions of a set, and which replicas have them.

mod args;
mod draw;
mod read;
mod row;

use api::PodCliqueSet;

use crate::cluster::{Cluster, find_set, not_found};
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::tree::now;

pub use args::HistoryArgs;
pub use draw::draw_history;
pub(crate) use read::read_revisions;
pub use row::{History, Row, list_rows};

/// Runs the command.
pub async fn run(args: &HistoryArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let name = find_set(&cluster, &args.name).await?;
    let set = cluster.get::<PodCliqueSet>(&name).await?;
    let set = set.ok_or_else(|| not_found(&cluster, &name))?;
    let revisions = read_revisions(&cluster, &set).await?;
    let history = list_rows(&set, &revisions);
    output::print_value(&history, args.output, |h| draw_history(h, now()))?;
    Ok(Exit::Ok)
}
