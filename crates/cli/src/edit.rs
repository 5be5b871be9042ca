//! Edits of a set in the name of the person who asks for one.

use api::PodCliqueSet;
use kube::Api;
use kube::api::{Patch, PatchParams};
use kube::core::{ApiResource, DynamicObject};
use serde::Deserialize;
use serde_json::Value;

use crate::cluster::{Cluster, explain_absence};
use crate::exit::Failure;
use crate::json;
use crate::undo::find_manager;

/// A conflict with a write of the status is tried again, so many times at most.
const ATTEMPTS: usize = 10;

/// An edit of a set.
#[derive(Clone, Copy, Debug)]
pub struct SetEdit<'a> {
    /// Name of the set.
    pub name: &'a str,
    /// The command, for messages.
    pub command: &'a str,
    /// Whether nothing is stored.
    pub is_dry_run: bool,
}

/// Plans the edit of the stored set and sends it; `plan` returns its result and a merge patch that
/// names the version, or none if the set stays as it is. The operator writes the status at any time:
/// that is no edit of somebody else.
///
/// # Errors
/// If the set does not exist or is being deleted, if somebody else edits it at the same time, or if the
/// API server refuses the patch.
pub async fn edit_set<T>(
    cluster: &Cluster,
    edit: &SetEdit<'_>,
    plan: impl AsyncFn(&Value) -> Result<(T, Option<Value>), Failure>,
) -> Result<T, Failure> {
    let mut stored = read(cluster, edit.name).await?;
    for _ in 0..ATTEMPTS {
        refuse_leaving(&stored, edit)?;
        let (result, patch) = plan(&stored).await?;
        let is_done = match patch {
            Some(patch) => write(cluster, edit, &patch).await?,
            None => true,
        };
        if is_done {
            return Ok(result);
        }
        let present = read(cluster, edit.name).await?;
        if !is_same_spec(&stored, &present) {
            break;
        }
        stored = present;
    }
    let (name, command) = (edit.name, edit.command);
    Err(Failure::NoCluster(format!(
        "podcliqueset {name} was changed at the same time; look at it, and run `kubectl grove \
         {command} {name}` again"
    )))
}

async fn read(cluster: &Cluster, name: &str) -> Result<Value, Failure> {
    let kind = ApiResource::erase::<PodCliqueSet>(&());
    let namespace = Some(cluster.namespace.as_str());
    let stored = cluster.get_raw(&kind, namespace, name).await?;
    match stored {
        Some(stored) => Ok(stored),
        None => Err(explain_absence(cluster, name).await),
    }
}

/// Sends the patch; returns whether the version that it names was still the stored one: it never
/// overwrites an edit of somebody else. A set that is gone meanwhile is found missing by the next read.
async fn write(cluster: &Cluster, edit: &SetEdit<'_>, patch: &Value) -> Result<bool, Failure> {
    let kind = ApiResource::erase::<PodCliqueSet>(&());
    let sets: Api<DynamicObject> =
        Api::namespaced_with(cluster.client.clone(), &cluster.namespace, &kind);
    let params = PatchParams {
        dry_run: edit.is_dry_run,
        ..PatchParams::default()
    };
    match sets.patch(edit.name, &params, &Patch::Merge(patch)).await {
        Ok(_) => Ok(true),
        Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(false),
        Err(error) => {
            let (name, namespace) = (edit.name, &cluster.namespace);
            let what = format!("patch podcliqueset {name} in namespace {namespace}");
            Err(Failure::of_request(&what, &error))
        }
    }
}

/// Whether both are the same object with the same spec, whatever its status and its labels are.
pub fn is_same_spec(before: &Value, after: &Value) -> bool {
    ["/metadata/uid", "/metadata/generation"]
        .iter()
        .all(|field| json::at(before, field) == json::at(after, field))
}

/// The stored set as this release knows it.
///
/// # Errors
/// If it has a field that this release cannot read.
pub(crate) fn parse_set(stored: &Value, edit: &SetEdit<'_>) -> Result<PodCliqueSet, Failure> {
    PodCliqueSet::deserialize(stored).map_err(|error| {
        Failure::Other(format!(
            "podcliqueset {} cannot be read ({error}); is kubectl-grove as new as the operator?",
            edit.name
        ))
    })
}

/// The API server stores edits of such a set, and the operator does not look at them any more.
fn refuse_leaving(stored: &Value, edit: &SetEdit<'_>) -> Result<(), Failure> {
    if !json::is_terminating(stored) {
        return Ok(());
    }
    let name = edit.name;
    Err(Failure::BadInput(format!(
        "podcliqueset {name} is being deleted, and no change of it has an effect: apply its manifest again \
         once it is gone"
    )))
}

/// Refuses an edit that a tool would take back.
///
/// # Errors
/// If the set bears the mark of such a tool.
pub fn refuse_managed(stored: &Value, edit: &SetEdit<'_>) -> Result<(), Failure> {
    let (name, command) = (edit.name, edit.command);
    match find_manager(stored) {
        None => Ok(()),
        Some(manager) => Err(Failure::BadInput(format!(
            "{manager} manages podcliqueset {name}, and would take the change back: make it in its \
             source, or run `kubectl grove {command} {name} --force`"
        ))),
    }
}

/// Refuses a set whose templates never change.
///
/// # Errors
/// If the set is a job.
pub fn refuse_job(stored: &Value, edit: &SetEdit<'_>) -> Result<(), Failure> {
    if json::text(stored, "/spec/workloadType") != "Training" {
        return Ok(());
    }
    Err(Failure::BadInput(format!(
        "podcliqueset {} is a job, whose templates never change: no update of it can {}; delete it, \
         and apply its manifest again",
        edit.name,
        if edit.command == "restart" {
            "begin"
        } else {
            "be in progress"
        }
    )))
}
