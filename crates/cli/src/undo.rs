//! `undo`: an older pod template back into the manifest, as an edit of the person who asks for it.

mod args;
mod choose;
mod draw;
mod restore;

use serde::Serialize;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::connection::ConnectionArgs;
use crate::edit::{SetEdit, edit_set, parse_set};
use crate::exit::{Exit, Failure};
use crate::history::read_revisions;
use crate::output;
use crate::plan::{Difference, find_differences};

pub use args::UndoArgs;
pub use choose::{choose_revision, find_manager};
pub use draw::draw_undone;
pub use restore::{build_patch, restore_templates};

/// What an undo changes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Undone {
    /// Name of the set.
    pub set: String,
    /// Number of the revision whose templates the set gets.
    pub revision: i64,
    /// Whether nothing was written.
    pub is_dry_run: bool,
    /// Whether the update waits, as the set is paused.
    pub is_paused: bool,
    /// The changed fields of the set.
    pub differences: Vec<Difference>,
}

/// Runs the command.
pub async fn run(args: &UndoArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let edit = SetEdit {
        name: &args.name,
        command: "undo",
        is_dry_run: args.dry_run,
    };
    let plan = async |stored: &Value| plan(&cluster, stored, &edit, args).await;
    let undone = edit_set(&cluster, &edit, plan).await?;
    output::print_value(&undone, args.output, draw_undone)?;
    Ok(Exit::Ok)
}

/// The change, and the patch that makes it.
async fn plan(
    cluster: &Cluster,
    stored: &Value,
    edit: &SetEdit<'_>,
    args: &UndoArgs,
) -> Result<(Undone, Option<Value>), Failure> {
    let set = parse_set(stored, edit)?;
    let revisions = read_revisions(cluster, &set).await?;
    let target = choose_revision(&set, &revisions, args.to)?;
    if !args.force
        && !args.dry_run
        && let Some(manager) = find_manager(stored)
    {
        return Err(Failure::BadInput(format!(
            "{manager} manages podcliqueset {0}, and would write its own templates again: revert \
             the change in its source, or run `kubectl grove undo {0} --force`",
            args.name
        )));
    }
    let restored = restore_templates(&set, stored, target)?;
    let undone = Undone {
        set: args.name.clone(),
        revision: target.revision,
        is_dry_run: args.dry_run,
        is_paused: set.spec.update_strategy.as_ref().is_some_and(|s| s.paused),
        differences: find_differences(stored, &restored),
    };
    Ok((undone, Some(build_patch(stored, &restored))))
}
