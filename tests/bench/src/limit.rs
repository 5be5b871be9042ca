//! The limit driver: the same objects without any logic, with the least number of writes.
//!
//! It knows all names and needs no watch. It creates a gang in the order of the operator:
//! PodCliques, their pods, the PodGang once all of them exist, then the gates; each status is
//! written twice.

mod driver;
mod sending;

use std::process;
use std::time::Instant;

use anyhow::Result;
use serde::de::IgnoredAny;

use crate::calls::{self, Call};
use crate::creation::Times;
use crate::curve::Counts;
use crate::namespace;
use crate::observer::Observer;
use crate::operator::QUIET;
use crate::ours;
use crate::parts::Seconds;
use crate::process::cpu_seconds;
use crate::recording::Recording;
use crate::shape::Shape;
use crate::site::Site;
use driver::Driver;

/// The measurements of one run.
#[derive(Clone, Debug)]
pub struct Run {
    /// When the pods reached each state.
    pub times: Times,
    /// The times in between.
    pub curve: Vec<(f64, Counts)>,
    /// CPU seconds of this process, including the measuring watch, until all is at rest.
    pub cpu: f64,
    /// CPU seconds of the control plane's parts.
    pub parts: Seconds,
}

/// Creates all of it in the namespace of the recording, waits until the pods are Ready, deletes
/// them.
pub async fn run(site: &Site, recording: &Recording, shape: &Shape, name: &str) -> Result<Run> {
    namespace::create(&site.user, name).await?;
    let mut observer = Observer::start(&site.user, name, shape.pods()).await?;
    let driver = Driver {
        user: &site.user,
        account: &site.account,
        namespace: name,
    };
    let mut standing = None;
    if shape.scaled_to.is_some() {
        standing = Some(driver.make(recording).await?);
        let first = shape.pods_before();
        observer
            .until("the first are Ready", |seen| seen.has_ready(first))
            .await?;
        tokio::time::sleep(QUIET).await;
    }
    let (cpu, parts) = (cpu_seconds(process::id())?, site.parts.seconds()?);
    let began = Instant::now();
    let pods = match standing {
        None => driver.make(recording).await?.pods,
        Some(standing) => {
            let scalings = ours::scalings(shape, name)?;
            driver.scale(recording, standing, scalings).await?
        }
    };
    observer.until("all are Ready", |seen| seen.ready).await?;
    let seen = observer.seen();
    // As long as the check that the operator is at rest takes.
    tokio::time::sleep(QUIET).await;
    let cpu = cpu_seconds(process::id())? - cpu;
    let parts = site.parts.seconds()?.since(&parts);

    let deletes = pods
        .iter()
        .map(|pod| calls::delete(&pod.path, Some(&pod.uid)));
    let deletes: Result<Vec<Call>> = deletes.collect();
    let end = Instant::now();
    calls::send_all::<IgnoredAny>(&site.account, deletes?).await?;
    let gone = observer.until("all are gone", |seen| seen.gone).await?;
    driver.release(recording).await?;
    namespace::delete(&site.user, name).await?;
    Ok(Run {
        times: Times::new(began, &seen, gone.duration_since(end).as_secs_f64())?,
        curve: seen.curve.since(began, shape.pods_before()),
        cpu,
        parts,
    })
}
