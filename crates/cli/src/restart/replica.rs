//! The restart of one replica: a request in an annotation of the set, which the operator answers once
//! (decision 182). No tool takes it back, as no manifest has the annotation.

use api::PodCliqueSet;
use api::labels::{PART_OF, PCS_REPLICA_INDEX, RESTART_REPLICA};
use domain::health::fence;
use domain::health::restart_request::{self, RestartRequest};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use super::args::RestartArgs;
use super::edit_of;
use crate::cluster::Cluster;
use crate::edit::{edit_set, parse_set};
use crate::exit::Failure;
use crate::json;

/// The restart of a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaRestart {
    /// The request.
    pub request: RestartRequest,
    /// Replicas of the set.
    pub replicas: i32,
    /// Pods of the replica that end, if they could be read.
    pub pods: Option<usize>,
}

/// The replica to restart; none: the whole set. `named` is that of the name.
///
/// # Errors
/// If the name and the flags mean different things.
pub fn choose_replica(args: &RestartArgs, named: Option<i32>) -> Result<Option<i32>, Failure> {
    let name = &args.name;
    let Some(found) = named else {
        return Ok(args.replica);
    };
    if let Some(replica) = args.replica.filter(|replica| *replica != found) {
        return Err(Failure::BadInput(format!(
            "{name} is of replica {found}, and --replica says {replica}; leave one of them out"
        )));
    }
    if !args.clique.is_empty() {
        return Err(Failure::BadInput(format!(
            "{name} is of replica {found}, which restarts as a whole: leave --clique out, or name the \
             set"
        )));
    }
    Ok(Some(found))
}

/// Writes the request.
///
/// # Errors
/// If the set lets no replica restart, if another request waits, or if the write fails.
pub async fn restart_replica(
    cluster: &Cluster,
    args: &RestartArgs,
    replica: i32,
) -> Result<ReplicaRestart, Failure> {
    let pods = count_pods(cluster, &args.name, replica).await;
    let ask = |stored: &Value| ask_for_replica(stored, args, replica);
    let plan = async |stored: &Value| ask(stored).map(|(asked, patch)| (asked, Some(patch)));
    let restart = edit_set(cluster, &edit_of(args), plan).await?;
    Ok(ReplicaRestart { pods, ..restart })
}

/// The restart, and the merge patch that asks for it.
///
/// # Errors
/// If the set lets no replica restart, or if another request waits.
pub fn ask_for_replica(
    stored: &Value,
    args: &RestartArgs,
    replica: i32,
) -> Result<(ReplicaRestart, Value), Failure> {
    let set = parse_set(stored, &edit_of(args))?;
    let request = RestartRequest {
        replica,
        attempt: fence::current_attempt(fence::attempts_of_set(&set), replica),
        reason: args.reason.clone(),
    };
    let text = json!(request).to_string();
    restart_request::parse(&text)
        .and_then(|request| request.check(&set, set.status.as_ref()))
        .map_err(|refusal| {
            let (name, remedy) = (&args.name, refusal.remedy(&args.name));
            Failure::BadInput(format!("podcliqueset {name}: {refusal}; {remedy}"))
        })?;
    refuse_waiting(&set, args, replica)?;
    let patch = json!({"metadata": {
        "resourceVersion": json::meta(stored, "resourceVersion"),
        "annotations": {RESTART_REPLICA: text},
    }});
    let restart = ReplicaRestart {
        request,
        replicas: set.spec.replicas,
        pods: None,
    };
    Ok((restart, patch))
}

/// The annotation has room for one request: one for another replica would be lost.
fn refuse_waiting(set: &PodCliqueSet, args: &RestartArgs, replica: i32) -> Result<(), Failure> {
    let waiting = restart_request::find_waiting(set, set);
    let waiting = waiting.filter(|waiting| waiting.replica != replica);
    match waiting.filter(|_| !args.force) {
        None => Ok(()),
        Some(waiting) => {
            let (name, other) = (&args.name, waiting.replica);
            Err(Failure::BadInput(format!(
                "podcliqueset {name}: the restart of replica {other} waits for the operator \
                 (`kubectl grove status` says whether it runs); run this again after that, or with \
                 --force, which forgets replica {other}"
            )))
        }
    }
}

/// For users who may list pods.
async fn count_pods(cluster: &Cluster, set: &str, replica: i32) -> Option<usize> {
    let labels = format!("{PART_OF}={set},{PCS_REPLICA_INDEX}={replica}");
    let pods = cluster.list::<Pod>(&labels).await.ok()?;
    let stays = |pod: &&Pod| pod.metadata.deletion_timestamp.is_none();
    Some(pods.iter().filter(stays).count())
}
