//! A tenant with a few gangs whose pods fail now and then, alone and beside a tenant who creates
//! many pods: the delay of the stored breach.

mod claims;
mod figures;
pub mod probe;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::de::IgnoredAny;

use crate::calls::{self, Call};
use crate::deletion;
use crate::namespace;
use crate::observer::Observer;
use crate::operator::Operator;
use crate::progress::say;
use crate::section::Section;
use crate::shape::Shape;
use crate::site::Site;
pub use figures::GOAL;
use figures::Run;
use probe::Probes;

/// Gangs of the small tenant.
const GANGS: u32 = 5;
const PODS_OF_GANG: u32 = 2;
/// How long the small tenant is alone.
const ALONE: Duration = Duration::from_mins(1);
/// With fewer failures p99 would be the slowest one.
const LEAST_FAILURES: usize = 100;

/// Title of the workload.
pub fn title(crowd: &Shape) -> String {
    format!("neighbour of {}", crowd.title)
}

/// Runs it that many times; the failures of all runs are one sample.
pub async fn measure(site: &Site, crowd: &Shape, rounds: u32) -> Result<Section> {
    let title = title(crowd);
    let mut runs = Vec::new();
    for round in 1..=rounds {
        say(&format!("{title}: operator, run {round}"));
        let name = format!("bench-neighbour-{round}");
        let run = run(site, crowd, &name).await;
        runs.push(run.with_context(|| format!("{title}: the run did not complete"))?);
    }
    Ok(figures::section(&title, &runs))
}

async fn run(site: &Site, crowd: &Shape, name: &str) -> Result<Run> {
    namespace::create(&site.user, name).await?;
    let operator = Operator::start(&site.kubeconfig, &site.logs(), name).await?;
    let small = Shape::of_gangs(GANGS, PODS_OF_GANG);
    create(site, &small, name).await?;
    operator.quiet().await?;
    let probes = Probes::start(&site.user, name, GANGS).await?;
    let until_over = async {
        tokio::time::sleep(ALONE).await;
        Ok(())
    };
    let ((), alone) = probes.sample_until(until_over).await?;
    say(&format!("    {} failures alone", alone.len()));

    let mut run = Run {
        alone,
        beside: Vec::new(),
        creations: Vec::new(),
    };
    while run.beside.len() < LEAST_FAILURES {
        let crowded = format!("{name}-crowd-{}", run.creations.len() + 1);
        namespace::create(&site.user, &crowded).await?;
        let creation = create(site, crowd, &crowded);
        let (creation, beside) = probes.sample_until(creation).await?;
        say(&format!("    {} failures beside the crowd", beside.len()));
        run.beside.extend(beside);
        run.creations.push(creation);
        delete(site, &crowded).await?;
    }
    drop(probes);
    delete(site, name).await?;
    operator.stop().await?;
    Ok(run)
}

/// Creates the sets; returns the time until all pods were Ready.
pub async fn create(site: &Site, shape: &Shape, namespace: &str) -> Result<Duration> {
    let mut observer = Observer::start(&site.user, namespace, shape.pods()).await?;
    let sets = calls::path("apis/grove.io/v1alpha1", namespace, "podcliquesets");
    let manifests = shape.manifests();
    let posts = manifests.iter().map(|set| calls::post(&sets, set));
    let posts: Vec<Call> = posts.collect::<Result<_>>()?;
    let began = Instant::now();
    calls::send_all::<IgnoredAny>(&site.user, posts).await?;
    let ready = observer.until("all are Ready", |seen| seen.ready).await?;
    if observer.seen().names > shape.pods() {
        bail!("{namespace}: pods were replaced");
    }
    Ok(ready.duration_since(began))
}

async fn delete(site: &Site, namespace: &str) -> Result<()> {
    deletion::delete_sets(&site.user, namespace).await?;
    namespace::delete(&site.user, namespace).await
}
