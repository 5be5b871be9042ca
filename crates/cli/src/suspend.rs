//! `suspend` and `resume`: `spec.suspend` of a set, as an edit of the person who asks for it.

mod args;
mod draw;
mod wish;

use serde::Serialize;
use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::edit::{SetEdit, edit_set, parse_set, refuse_managed};
use crate::exit::{Exit, Failure};
use crate::json;
use crate::output;

pub use args::SuspendArgs;
pub use draw::draw_outcome;
pub use wish::Wish;
use wish::refuse_over;

/// What the command did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Name of the set.
    pub set: String,
    /// The new value of `spec.suspend`.
    pub suspend: bool,
    /// Whether it had that value already.
    pub is_unchanged: bool,
    /// Whether nothing was written.
    pub is_dry_run: bool,
}

/// Runs the command.
pub async fn run(
    args: &SuspendArgs,
    wish: Wish,
    connection: &ConnectionArgs,
) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let outcome = change(&cluster, args, wish).await?;
    output::print_value(&outcome, args.output, draw_outcome)?;
    Ok(Exit::Ok)
}

/// Changes the set.
///
/// # Errors
/// If the set is a job that is over, if a tool would take the change back, or if the write fails.
pub async fn change(cluster: &Cluster, args: &SuspendArgs, wish: Wish) -> Result<Outcome, Failure> {
    let edit = SetEdit {
        name: &args.name,
        command: wish.command(),
        is_dry_run: args.dry_run,
    };
    let plan = async |stored: &Value| plan(stored, &edit, args, wish);
    edit_set(cluster, &edit, plan).await
}

/// The outcome, and the patch if the value changes.
fn plan(
    stored: &Value,
    edit: &SetEdit<'_>,
    args: &SuspendArgs,
    wish: Wish,
) -> Result<(Outcome, Option<Value>), Failure> {
    let set = parse_set(stored, edit)?;
    refuse_over(&set)?;
    if !args.force && !args.dry_run {
        refuse_managed(stored, edit)?;
    }
    let outcome = Outcome {
        set: args.name.clone(),
        suspend: wish.suspend(),
        is_unchanged: set.spec.suspend == wish.suspend(),
        is_dry_run: args.dry_run,
    };
    let patch = (!outcome.is_unchanged).then(|| build_patch(stored, wish));
    Ok((outcome, patch))
}

/// The merge patch of the stored set.
pub fn build_patch(stored: &Value, wish: Wish) -> Value {
    json!({
        "metadata": {"resourceVersion": json::meta(stored, "resourceVersion")},
        "spec": {"suspend": wish.suspend()},
    })
}
