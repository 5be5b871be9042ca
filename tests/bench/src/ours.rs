//! A workload run by the operator.

use std::time::Instant;

use anyhow::{Result, bail};
use kube::Client;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::calls::{self, Call};
use crate::creation::Times;
use crate::deletion;
use crate::namespace;
use crate::observer::Observer;
use crate::operator::Operator;

use crate::recording::Recording;
use crate::requests::Requests;
use crate::shape::Shape;
use crate::site::{Site, Told};

/// What one run took.
#[derive(Clone, Debug)]
pub struct Run {
    /// When the pods were how far.
    pub times: Times,
    /// CPU seconds from the first request until all is at rest.
    pub cpu: f64,
    /// CPU seconds of the deletion.
    pub deletion_cpu: f64,
    /// Peak of the resident memory over the operator's whole life, the deletion included.
    pub peak_rss: f64,
    /// Requests from the first one until all is at rest.
    pub requests: Requests,
    /// Requests of the deletion.
    pub deletion_requests: Requests,
    /// What was made.
    pub recording: Recording,
}

/// Runs the workload with an operator of its own, in a namespace of its own.
pub async fn run(site: &Site, shape: &Shape, name: &str, told: Told) -> Result<Run> {
    namespace::create(&site.user, name).await?;
    let operator = Operator::start_to_tell(&site.kubeconfig, &site.logs(), name, told).await?;
    let before = operator.usage().await?;
    let mut observer = Observer::start(&site.user, name, shape.pods()).await?;

    let sets = applications(shape, name)?;
    let began = Instant::now();
    calls::send_all::<IgnoredAny>(&site.user, sets).await?;
    observer.until("all are Ready", |seen| seen.ready).await?;
    let seen = observer.seen();
    operator.quiet().await?;
    check(&site.user, name, shape).await?;
    if observer.seen().names > shape.pods() {
        bail!("{}: more pods were created than belong to it", shape.title);
    }
    let at_rest = operator.usage().await?;
    let recording = Recording::take(&site.user, name).await?;

    let deletion = deletion::delete_sets(&site.user, name).await?;
    operator.quiet().await?;
    let after = operator.usage().await?;
    let peak_rss = operator.peak_rss()?;
    operator.stop().await?;
    namespace::delete(&site.user, name).await?;
    Ok(Run {
        times: Times::new(began, &seen, deletion)?,
        cpu: at_rest.cpu - before.cpu,
        deletion_cpu: after.cpu - at_rest.cpu,
        peak_rss,
        deletion_requests: after.requests.since(&at_rest.requests),
        requests: at_rest.requests.since(&before.requests),
        recording,
    })
}

fn applications(shape: &Shape, namespace: &str) -> Result<Vec<Call>> {
    let path = calls::path("apis/grove.io/v1alpha1", namespace, "podcliquesets");
    let manifests = shape.manifests();
    manifests
        .iter()
        .map(|set| calls::post(&path, set))
        .collect()
}

/// The sets must say themselves that they are complete.
async fn check(client: &Client, namespace: &str, shape: &Shape) -> Result<()> {
    let path = calls::path("apis/grove.io/v1alpha1", namespace, "podcliquesets");
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
