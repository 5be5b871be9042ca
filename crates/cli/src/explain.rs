//! `explain`: the cause that keeps a set, or a pod of it, from running, and a remedy.

mod answer;
mod args;
mod autoscaler_remedy;
mod build;
mod chain;
mod claim_remedy;
mod claims;
mod devices;
mod domain_remedy;
mod draw;
mod evidence;
mod find;
mod leaving_nodes;
mod mentioned;
mod missing_right;
mod named;
mod next;
mod object_names;
mod remedy;
mod scarce_device;

use chrono::Local;
use futures::future::try_join_all;
use k8s_openapi::api::core::v1::Event;

use crate::capacity::read_snapshot;
use crate::cluster::{Cluster, load_named};
use crate::connection::ConnectionArgs;
use crate::exit::{Exit, Failure};
use crate::lint::read_offered_nodes;
use crate::operator_presence::read_absence;
use crate::output;
use crate::tree::now;

pub use answer::{Evidence, Explanation, Link, NextStep};
pub use args::ExplainArgs;
pub use build::{Search, search};
pub use claims::read_claims;
pub use draw::draw_explanation;
pub use evidence::{describe_failure, first_lines};
pub use leaving_nodes::read_leaving_nodes;
pub use named::Named;
pub use remedy::{hold_up_remedy, remedy_of};
pub use scarce_device::{ScarceDevice, tell_missing};

/// A name of a resource that no node has is then like one of which all is taken.
const NODES_FORBIDDEN: &str =
    "nodes: you have no right to list them, so a misspelt resource is not found";

/// Runs the command.
pub async fn run(args: &ExplainArgs, connection: &ConnectionArgs) -> Result<Exit, Failure> {
    let cluster = Cluster::connect(connection).await?;
    let loaded = load_named(&cluster, &args.name).await?;
    let pod = args.pod.clone().or_else(|| loaded.pod().map(str::to_owned));
    let pod = pod.as_deref();
    let mut workload = loaded.workload;
    workload.is_namespace_leaving = cluster.is_namespace_leaving().await;
    workload.nodes_in_service = read_leaving_nodes(&cluster, &workload).await;
    let podcliques = workload.observe();
    let found = search(&workload, &podcliques, pod, now()).ok_or_else(|| no_pod(args))?;
    let events = events_about(&cluster, &found.uids()).await;
    let mut answer = found.explain(events.as_deref().unwrap_or_default());
    // The cause does not depend on events.
    answer.not_read.extend(events.err().map(|e| e.to_string()));
    tell_claims(&cluster, &found, &mut answer).await;
    tell_devices(&cluster, &found, &mut answer).await;
    if found.lacks_domain() {
        tell_domains(&cluster, &found, &mut answer).await;
    }
    let answer = answer.with_absence(read_absence(&cluster).await);
    output::print_value(&answer, args.output, |answer| {
        draw_explanation(answer, now(), &Local)
    })?;
    Ok(Exit::of_readiness(
        answer.is_good(),
        answer.operator_absence.as_ref(),
    ))
}

/// The room of the domains is not read for any other cause: it takes all nodes and the pods on them.
async fn tell_domains(cluster: &Cluster, found: &Search<'_>, answer: &mut Explanation) {
    match read_snapshot(cluster, true).await {
        Ok(snapshot) => {
            let told = found.find_domains(&snapshot).unwrap_or_default();
            answer.domains = told.domains;
            answer.domain_notes = told.notes;
        }
        Err(failure) => answer.not_read.push(failure.to_string()),
    }
}

/// The nodes are read only if the scheduler finds too few of a device.
async fn tell_devices(cluster: &Cluster, found: &Search<'_>, answer: &mut Explanation) {
    let scarce = found.scarce_devices();
    if scarce.is_empty() {
        return;
    }
    match read_offered_nodes(cluster, &[found.set()]).await {
        Ok(Some(nodes)) => tell_missing(answer, &scarce, &nodes.resources),
        Ok(None) => answer.not_read.push(NODES_FORBIDDEN.to_owned()),
        Err(failure) => answer.not_read.push(failure.to_string()),
    }
}

/// The states of the claims that the pod names.
async fn tell_claims(cluster: &Cluster, found: &Search<'_>, answer: &mut Explanation) {
    match read_claims(cluster, &found.pending_claims()).await {
        Ok(claims) => answer.evidence.extend(claims),
        Err(failure) => answer.not_read.push(failure.to_string()),
    }
}

/// Object by object: a namespace may have many thousand events.
async fn events_about(cluster: &Cluster, uids: &[String]) -> Result<Vec<Event>, Failure> {
    let lists = uids.iter().map(|uid| cluster.events_about(uid));
    let lists = try_join_all(lists).await?;
    Ok(lists.into_iter().flatten().collect())
}

fn no_pod(args: &ExplainArgs) -> Failure {
    let (set, pod) = (&args.name, args.pod.as_deref().unwrap_or_default());
    Failure::NotFound(format!(
        "podcliqueset {set} has no pod {pod}; `kubectl grove tree {set}` lists its pods"
    ))
}
