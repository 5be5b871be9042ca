//! A workload run by an operator.

use std::collections::HashSet;
use std::time::Instant;

use anyhow::{Result, bail};
use kube::Client;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls::{self, Call};
use crate::creation::Times;
use crate::curve::Counts;
use crate::deletion;
use crate::namespace;
use crate::observer::Observer;
use crate::operator::{Operator, Program};
use crate::parts::Seconds;
use crate::recording::{GROVE, Recording, gang_names};
use crate::requests::Requests;
use crate::shape::Shape;
use crate::site::{Site, Told};

/// The measurements of one run.
#[derive(Clone, Debug)]
pub struct Run {
    /// When the pods reached each state.
    pub times: Times,
    /// The times in between.
    pub curve: Vec<(f64, Counts)>,
    /// CPU seconds from the first request until all is at rest.
    pub cpu: f64,
    /// CPU seconds of the control plane's parts.
    pub parts: Seconds,
    /// CPU seconds of the deletion.
    pub deletion_cpu: f64,
    /// Peak of the resident memory over the operator's whole life, the deletion included.
    pub peak_rss: f64,
    /// Requests from the first one until all is at rest.
    pub requests: Requests,
    /// Requests of the deletion.
    pub deletion_requests: Requests,
    /// The created objects.
    pub recording: Recording,
}

/// Runs the workload with its own operator and namespace.
pub async fn run(
    site: &Site,
    program: &Program,
    shape: &Shape,
    name: &str,
    told: Told,
) -> Result<Run> {
    namespace::create(&site.user, name).await?;
    let operator = Operator::start_program(program, &site.logs(), name, told.lines()).await?;
    let mut observer = Observer::start(&site.user, name, shape.pods()).await?;
    let (asked, gangs_before) = prepare(site, &operator, &mut observer, shape, name).await?;

    let (before, parts) = (operator.usage().await?, site.parts.seconds()?);
    let began = Instant::now();
    calls::send_all::<IgnoredAny>(&site.user, asked).await?;
    observer.until("all are Ready", |seen| seen.ready).await?;
    let seen = observer.seen();
    operator.quiet().await?;
    let parts = site.parts.seconds()?.since(&parts);
    check(&site.user, name, shape).await?;
    if observer.seen().names > shape.pods() {
        bail!("{}: more pods were created than belong to it", shape.title);
    }
    let at_rest = operator.usage().await?;
    let recording = Recording::take(&site.user, name, gangs_before.as_ref()).await?;

    let deletion = deletion::delete_sets(&site.user, name).await?;
    operator.quiet().await?;
    let after = operator.usage().await?;
    let peak_rss = operator.peak_rss()?;
    operator.stop().await?;
    namespace::delete(&site.user, name).await?;
    Ok(Run {
        times: Times::new(began, &seen, deletion)?,
        curve: seen.curve.since(began, shape.pods_before()),
        cpu: at_rest.cpu - before.cpu,
        parts,
        deletion_cpu: after.cpu - at_rest.cpu,
        peak_rss,
        deletion_requests: after.requests.since(&at_rest.requests),
        requests: at_rest.requests.since(&before.requests),
        recording,
    })
}

/// The user's requests when the clock starts. If a group is scaled, its first replica is created
/// before that; also returns the existing PodGangs.
async fn prepare(
    site: &Site,
    operator: &Operator,
    observer: &mut Observer,
    shape: &Shape,
    namespace: &str,
) -> Result<(Vec<Call>, Option<HashSet<String>>)> {
    let sets = applications(shape, namespace)?;
    if shape.scaled_to.is_none() {
        return Ok((sets, None));
    }
    calls::send_all::<IgnoredAny>(&site.user, sets).await?;
    let first = shape.pods_before();
    observer
        .until("the first are Ready", |seen| seen.has_ready(first))
        .await?;
    operator.quiet().await?;
    let gangs = gang_names(&site.user, namespace).await?;
    Ok((scalings(shape, namespace)?, Some(gangs)))
}

/// The user's requests to scale the groups.
pub fn scalings(shape: &Shape, namespace: &str) -> Result<Vec<Call>> {
    let all = shape.scalings().into_iter().map(|(group, replicas)| {
        let scale = format!("podcliquescalinggroups/{group}/scale");
        let path = calls::path(GROVE, namespace, scale);
        calls::merge_patch(&path, &json!({"spec": {"replicas": replicas}}))
    });
    all.collect()
}

fn applications(shape: &Shape, namespace: &str) -> Result<Vec<Call>> {
    let path = calls::path(GROVE, namespace, "podcliquesets");
    let manifests = shape.manifests();
    manifests
        .iter()
        .map(|set| calls::post(&path, set))
        .collect()
}

/// The sets' own statuses must report that they are complete.
async fn check(client: &Client, namespace: &str, shape: &Shape) -> Result<()> {
    let path = calls::path(GROVE, namespace, "podcliquesets");
    let list: Value = calls::send(client, calls::get(&path)?).await?;
    let sets = list
        .get("items")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let available = |set: &Value| {
        let count = set
            .pointer("/status/availableReplicas")
            .and_then(Value::as_u64);
        count == Some(u64::from(shape.replicas))
    };
    match sets.iter().find(|set| !available(set)) {
        None if sets.len() == usize::try_from(shape.sets)? => Ok(()),
        None => bail!("{} of {} sets are there", sets.len(), shape.sets),
        Some(set) => bail!(
            "a set says that it is not complete: {:?}",
            set.get("status")
        ),
    }
}
