//! `restart`: the pods of a set are replaced by the rules of an update, as by `kubectl rollout
//! restart`.

mod args;
mod draw;
mod mark;

use jiff::Timestamp;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::edit::{SetEdit, edit_set, refuse_job, refuse_managed};
use crate::exit::{Exit, Failure};
use crate::output;
use crate::tree::now;

pub use args::RestartArgs;
pub use draw::draw_restart;
pub(crate) use mark::{CHANGE_CAUSE, RESTARTED_AT};
pub use mark::{Restart, mark_cliques};

/// Runs the command.
pub async fn run(args: &RestartArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let edit = SetEdit {
        name: &args.name,
        command: "restart",
        is_dry_run: args.dry_run,
    };
    let now = now();
    let plan = async |stored: &Value| plan(stored, &edit, args, now);
    let restart = edit_set(&cluster, &edit, plan).await?;
    output::print_text(&draw_restart(&restart, args))?;
    Ok(Exit::Ok)
}

fn plan(
    stored: &Value,
    edit: &SetEdit<'_>,
    args: &RestartArgs,
    now: Timestamp,
) -> Result<(Restart, Option<Value>), Failure> {
    refuse_job(stored, edit)?;
    if !args.force && !args.dry_run {
        refuse_managed(stored, edit)?;
    }
    let (restart, patch) = mark_cliques(stored, args, now)?;
    Ok((restart, Some(patch)))
}
