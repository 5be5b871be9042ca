//! `undo`: an older pod template back into the manifest, as an edit of the person who asks for it.

mod args;
mod choose;
mod draw;
mod restore;

use api::PodCliqueSet;
use kube::Api;
use kube::api::{Patch, PatchParams};
use kube::core::{ApiResource, DynamicObject};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cluster::{Cluster, not_found};
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::history::read_revisions;
use crate::json;
use crate::output;
use crate::plan::{Difference, find_differences};

pub use args::UndoArgs;
pub use choose::{choose_revision, find_manager};
pub use draw::draw_undone;
pub use restore::{build_patch, restore_templates};

/// A conflict with a write of the status is tried again, so many times at most.
const ATTEMPTS: usize = 10;

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

/// Runs the command. The operator writes the status at any time: that is no edit of somebody else.
pub async fn run(args: &UndoArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let mut stored = read(&cluster, args).await?;
    for _ in 0..ATTEMPTS {
        let (undone, patch) = plan(&cluster, &stored, args).await?;
        if write(&cluster, args, &patch).await? {
            output::print_value(&undone, args.output, draw_undone)?;
            return Ok(Exit::Ok);
        }
        let present = read(&cluster, args).await?;
        if !is_same_spec(&stored, &present) {
            break;
        }
        stored = present;
    }
    let name = &args.name;
    Err(Failure::NoCluster(format!(
        "podcliqueset {name} was changed at the same time; look at it, and run `kubectl grove undo \
         {name}` again"
    )))
}

async fn read(cluster: &Cluster, args: &UndoArgs) -> Result<Value, Failure> {
    let kind = ApiResource::erase::<PodCliqueSet>(&());
    let namespace = Some(cluster.namespace.as_str());
    let stored = cluster.get_raw(&kind, namespace, &args.name).await?;
    stored.ok_or_else(|| not_found(cluster, &args.name))
}

/// The change, and the patch that makes it.
async fn plan(
    cluster: &Cluster,
    stored: &Value,
    args: &UndoArgs,
) -> Result<(Undone, Value), Failure> {
    let set = PodCliqueSet::deserialize(stored).map_err(|error| unreadable(&args.name, &error))?;
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
    Ok((undone, build_patch(stored, &restored)))
}

/// Whether both are the same object with the same spec, whatever its status and its labels are.
pub fn is_same_spec(before: &Value, after: &Value) -> bool {
    ["/metadata/uid", "/metadata/generation"]
        .iter()
        .all(|field| json::at(before, field) == json::at(after, field))
}

fn unreadable(name: &str, error: &serde_json::Error) -> Failure {
    Failure::Other(format!(
        "podcliqueset {name} cannot be read ({error}); is kubectl-grove as new as the operator?"
    ))
}

/// Sends the patch; returns whether the version that it names was still the stored one: it never
/// undoes an edit of somebody else.
async fn write(cluster: &Cluster, args: &UndoArgs, patch: &Value) -> Result<bool, Failure> {
    let kind = ApiResource::erase::<PodCliqueSet>(&());
    let sets: Api<DynamicObject> =
        Api::namespaced_with(cluster.client.clone(), &cluster.namespace, &kind);
    let params = PatchParams {
        dry_run: args.dry_run,
        ..PatchParams::default()
    };
    match sets.patch(&args.name, &params, &Patch::Merge(patch)).await {
        Ok(_) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(false),
        Err(error) => {
            let what = format!(
                "patch podcliqueset {} in namespace {}",
                args.name, cluster.namespace
            );
            Err(Failure::of_request(&what, &error))
        }
    }
}
