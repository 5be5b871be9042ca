//! `restart`: the pods of a set are replaced by the rules of an update, as by `kubectl rollout
//! restart`; or one replica of it ends and starts again as a whole.

mod args;
mod draw;
mod mark;
mod replica;

use jiff::Timestamp;
use serde_json::Value;

use crate::cluster::{Cluster, find_replica};
use crate::connection::ConnectionArgs;
use crate::edit::{SetEdit, edit_set, refuse_job, refuse_managed};
use crate::exit::{Exit, Failure};
use crate::output;
use crate::tree::now;

pub use args::RestartArgs;
pub use draw::{draw_replica, draw_restart};
pub(crate) use mark::{CHANGE_CAUSE, RESTARTED_AT};
pub use mark::{Restart, mark_cliques};
pub use replica::{ReplicaRestart, ask_for_replica, choose_replica, restart_replica};

/// Runs the command.
pub async fn run(args: &RestartArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let (set, named) = find_replica(&cluster, &args.name).await?;
    let replica = choose_replica(args, named)?;
    let args = RestartArgs {
        name: set,
        ..args.clone()
    };
    let text = match replica {
        Some(replica) => {
            let restart = restart_replica(&cluster, &args, replica).await?;
            draw_replica(&restart, &args)
        }
        None => draw_restart(&restart_set(&cluster, &args).await?, &args),
    };
    output::print_text(&text)?;
    Ok(Exit::Ok)
}

async fn restart_set(cluster: &Cluster, args: &RestartArgs) -> Result<Restart, Failure> {
    let edit = edit_of(args);
    let now = now();
    let plan = async |stored: &Value| plan(stored, &edit, args, now);
    edit_set(cluster, &edit, plan).await
}

fn edit_of(args: &RestartArgs) -> SetEdit<'_> {
    SetEdit {
        name: &args.name,
        command: "restart",
        is_dry_run: args.dry_run,
    }
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
