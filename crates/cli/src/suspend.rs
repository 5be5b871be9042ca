//! `suspend` and `resume`: `spec.suspend` of a set, as an edit of the person who asks for it.

mod args;
mod draw;
mod wish;

use api::PodCliqueSet;
use kube::Api;
use kube::api::{Patch, PatchParams};
use kube::core::{ApiResource, DynamicObject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cluster::{Cluster, not_found};
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::json;
use crate::output;

pub use args::SuspendArgs;
pub use draw::draw_outcome;
pub use wish::{Wish, check};

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
    let kind = ApiResource::erase::<PodCliqueSet>(&());
    let namespace = Some(cluster.namespace.as_str());
    let stored = cluster.get_raw(&kind, namespace, &args.name).await?;
    let stored = stored.ok_or_else(|| not_found(&cluster, &args.name))?;
    let set = PodCliqueSet::deserialize(&stored).map_err(|error| unreadable(&args.name, &error))?;
    check(&set, &stored, wish, args.force || args.dry_run)?;
    let outcome = Outcome {
        set: args.name.clone(),
        suspend: wish.suspend(),
        is_unchanged: set.spec.suspend == wish.suspend(),
        is_dry_run: args.dry_run,
    };
    if !outcome.is_unchanged {
        write(&cluster, args, &build_patch(&stored, wish)).await?;
    }
    output::print_value(&outcome, args.output, draw_outcome)?;
    Ok(Exit::Ok)
}

fn unreadable(name: &str, error: &serde_json::Error) -> Failure {
    Failure::Other(format!(
        "podcliqueset {name} cannot be read ({error}); is kubectl-grove as new as the operator?"
    ))
}

/// The merge patch: of this very set, and of no other one that has its name since.
pub fn build_patch(stored: &Value, wish: Wish) -> Value {
    json!({
        "metadata": {"uid": json::meta(stored, "uid")},
        "spec": {"suspend": wish.suspend()},
    })
}

async fn write(cluster: &Cluster, args: &SuspendArgs, patch: &Value) -> Result<(), Failure> {
    let kind = ApiResource::erase::<PodCliqueSet>(&());
    let sets: Api<DynamicObject> =
        Api::namespaced_with(cluster.client.clone(), &cluster.namespace, &kind);
    let params = PatchParams {
        dry_run: args.dry_run,
        ..PatchParams::default()
    };
    let answer = sets.patch(&args.name, &params, &Patch::Merge(patch)).await;
    answer.map(|_| ()).map_err(|error| {
        let what = format!(
            "patch podcliqueset {} in namespace {}",
            args.name, cluster.namespace
        );
        Failure::of_request(&what, &error)
    })
}
