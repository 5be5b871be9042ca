//! A tenant of a few gangs whose pods fail now and then, and new tenants, beside namespaces in which
//! another program's webhook accepts every request about a pod and never answers.

mod webhook;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use futures::future::try_join;
use serde::de::IgnoredAny;

use crate::calls::{self, Call};
use crate::namespace;
use crate::neighbour::probe::{Probes, Took};
use crate::neighbour::{GOAL, create};
use crate::operator::Operator;
use crate::progress::say;
use crate::recording::GROVE;
use crate::sample::Sample;
use crate::section::{Row, Section};
use crate::shape::Shape;
use crate::site::Site;
use webhook::HangingWebhook;

/// Its name in `BENCH_ONLY`.
pub const ONLY: &str = "hanging webhooks";
/// Namespaces behind the webhook, one measurement each.
const LEVELS: [u32; 5] = [0, 1, 4, 8, 64];
/// Sets of each namespace, and pods of each set.
const SETS: u32 = 12;
const PODS: u32 = 2;
/// Gangs of the neighbour.
const GANGS: u32 = 5;
const NEIGHBOUR: &str = "bench-neighbour";
/// How long each is measured; a request hangs for 30 s.
const MEASURED: Duration = Duration::from_secs(75);
/// How long new namespaces come before it is measured: longer than a request hangs, so that each
/// write was repeated. They come all at once, which alone is work for the machine.
const COMING: Duration = Duration::from_secs(40);
/// Between a new tenant that is up and the next one.
const BETWEEN_TENANTS: Duration = Duration::from_secs(3);

/// The measurement beside that many namespaces.
struct Level {
    namespaces: u32,
    hanging: usize,
    /// While the missing namespaces came.
    coming: Vec<Took>,
    failures: Vec<Took>,
    /// Of each new tenant, from the request for its set until its pods are Ready.
    tenants: Vec<Duration>,
}

/// Measures it on a control plane of its own.
pub async fn measure() -> Result<Section> {
    let site = Site::start_without_operator("bench-hanging").await?;
    let levels = run(&site).await;
    Ok(section(&levels.with_context(|| {
        format!("{ONLY}: the run did not complete")
    })?))
}

async fn run(site: &Site) -> Result<Vec<Level>> {
    let webhook = HangingWebhook::register(&site.user).await?;
    namespace::create(&site.user, NEIGHBOUR).await?;
    let operator = Operator::start(&site.kubeconfig, &site.logs(), "hanging").await?;
    create(site, &Shape::of_gangs(GANGS, PODS), NEIGHBOUR).await?;
    operator.quiet().await?;
    let probes = Probes::start(&site.user, NEIGHBOUR, GANGS).await?;
    let mut levels = Vec::new();
    let mut before = 0;
    for namespaces in LEVELS {
        say(&format!("{ONLY}: {namespaces} namespaces"));
        let level = measure_level(site, &probes, &webhook, before..namespaces).await?;
        levels.push(level);
        before = namespaces;
    }
    drop(probes);
    operator.stop().await?;
    Ok(levels)
}

/// Adds the namespaces that are missing, and then measures.
async fn measure_level(
    site: &Site,
    probes: &Probes,
    webhook: &HangingWebhook,
    missing: std::ops::Range<u32>,
) -> Result<Level> {
    let namespaces = missing.end;
    let adding = async {
        for index in missing {
            add_hanging(site, index).await?;
        }
        tokio::time::sleep(COMING).await;
        Ok(())
    };
    let ((), coming) = probes.sample_until(adding).await?;
    let end = Instant::now() + MEASURED;
    let waiting = async {
        tokio::time::sleep_until(end.into()).await;
        Ok(webhook.hanging())
    };
    let tenants = add_tenants(site, namespaces, end);
    let ((hanging, tenants), failures) = probes.sample_until(try_join(waiting, tenants)).await?;
    let (failed, came) = (failures.len(), tenants.len());
    say(&format!(
        "    {failed} failures, {came} new tenants, {hanging} requests hang"
    ));
    Ok(Level {
        namespaces,
        hanging,
        coming,
        failures,
        tenants,
    })
}

/// Adds a namespace with sets whose pods go through the webhook.
async fn add_hanging(site: &Site, index: u32) -> Result<()> {
    let name = format!("bench-hangs-{index}");
    namespace::create_labelled(&site.user, &name, &HangingWebhook::labels()).await?;
    let sets = calls::path(GROVE, &name, "podcliquesets");
    let manifests = Shape::of_sets(SETS, PODS).manifests();
    let posts = manifests.iter().map(|set| calls::post(&sets, set));
    let posts: Vec<Call> = posts.collect::<Result<_>>()?;
    calls::send_all::<IgnoredAny>(&site.user, posts).await?;
    Ok(())
}

/// One tenant after the other comes with a set; every one of them has to be accepted.
async fn add_tenants(site: &Site, level: u32, end: Instant) -> Result<Vec<Duration>> {
    let mut took = Vec::new();
    while Instant::now() < end {
        let name = format!("bench-new-{level}-{}", took.len());
        namespace::create(&site.user, &name).await?;
        took.push(create(site, &Shape::of_gangs(1, PODS), &name).await?);
        tokio::time::sleep(BETWEEN_TENANTS).await;
    }
    Ok(took)
}

fn section(levels: &[Level]) -> Section {
    let mut section = Section::with_columns(ONLY, ["operator", "goal"]);
    for level in levels {
        let beside = format!("beside {}", level.namespaces);
        let coming: Sample = level.coming.iter().map(milliseconds).collect();
        let failures: Sample = level.failures.iter().map(milliseconds).collect();
        let tenants: Sample = level.tenants.iter().map(Duration::as_secs_f64).collect();
        let p99 = failures.percentile(99);
        let rows = [
            (
                format!("ms failure to condition, p50, {beside}"),
                failures.percentile(50),
                None,
            ),
            (format!("p99, {beside}"), p99, Some(GOAL)),
            (format!("max, {beside}"), failures.max(), None),
            (
                format!("p99 while they came, {beside}"),
                coming.percentile(99),
                None,
            ),
            (format!("failures, {beside}"), failures.count(), None),
            (
                format!("s until a new tenant's set is Ready, p50, {beside}"),
                tenants.percentile(50),
                None,
            ),
            (format!("slowest, {beside}"), tenants.max(), None),
            (
                format!("new tenants, all accepted, {beside}"),
                tenants.count(),
                None,
            ),
            (
                format!("requests that hang at its end, {beside}"),
                count(level.hanging),
                None,
            ),
        ];
        for (figure, value, goal) in rows {
            section.row(Row::aimed(&figure, value, goal));
        }
        if p99 > GOAL {
            let breach = format!("{ONLY}: p99 {p99:.0} ms {beside} namespaces, {GOAL} is the goal");
            section.breaches.push(breach);
        }
    }
    section
}

fn milliseconds(took: &Took) -> f64 {
    took.since_answer.as_secs_f64() * 1000.0
}

fn count(value: usize) -> f64 {
    u32::try_from(value).map_or(f64::INFINITY, f64::from)
}
