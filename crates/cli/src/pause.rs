//! `pause` and `unpause`: whether newer templates reach pods (`spec.updateStrategy.paused`).

mod args;

use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::edit::{SetEdit, edit_set, refuse_job, refuse_managed};
use crate::exit::{Exit, Failure};
use crate::json;
use crate::output;

pub use args::PauseArgs;

const PAUSED: &str = "/spec/updateStrategy/paused";

/// Runs the command.
pub async fn run(
    args: &PauseArgs,
    connection: &ConnectionArgs,
    is_paused: bool,
) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let edit = SetEdit {
        name: &args.name,
        command: if is_paused { "pause" } else { "unpause" },
        is_dry_run: args.dry_run,
    };
    let plan = async |stored: &Value| plan(stored, &edit, args, is_paused);
    let was_paused = edit_set(&cluster, &edit, plan).await?;
    output::print_text(&describe(args, was_paused, is_paused))?;
    Ok(Exit::Ok)
}

/// Whether the set is paused already, and the patch if that changes.
fn plan(
    stored: &Value,
    edit: &SetEdit<'_>,
    args: &PauseArgs,
    is_paused: bool,
) -> Result<(bool, Option<Value>), Failure> {
    refuse_job(stored, edit)?;
    if !args.force && !args.dry_run {
        refuse_managed(stored, edit)?;
    }
    let was_paused = json::at(stored, PAUSED) == &Value::Bool(true);
    let patch = (was_paused != is_paused).then(|| build_patch(stored, is_paused));
    Ok((was_paused, patch))
}

/// The merge patch of the stored set.
pub fn build_patch(stored: &Value, is_paused: bool) -> Value {
    let version = json::meta(stored, "resourceVersion");
    json!({
        "metadata": {"resourceVersion": version},
        "spec": {"updateStrategy": {"paused": is_paused}},
    })
}

/// The result in one sentence.
pub fn describe(args: &PauseArgs, was_paused: bool, is_paused: bool) -> String {
    let name = &args.name;
    let now = match (is_paused, was_paused) {
        (true, true) => {
            format!("is paused already; `kubectl grove unpause {name}` lets its update go on")
        }
        (false, false) => format!("is not paused; `kubectl grove tree {name}` shows its state"),
        (true, false) => {
            format!("paused: no pod gets a newer template before `kubectl grove unpause {name}`")
        }
        (false, true) => {
            format!("its update goes on; `kubectl grove tree {name} -w` shows it")
        }
    };
    let end = if args.dry_run {
        " (dry run: nothing was changed)"
    } else {
        ""
    };
    output::indent("", &format!("podcliqueset {name}: {now}{end}"))
}
