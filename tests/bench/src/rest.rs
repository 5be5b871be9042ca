//! Many workloads at rest: the operator's memory and requests, and the cost of its restart.

mod figures;
mod listing;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::de::IgnoredAny;

use crate::calls::{self, Call};
use crate::namespace;
use crate::observer::Observer;
use crate::operator::{Operator, Program};
use crate::podclique::PodClique;
use crate::pods::{self, Victim};
use crate::progress::say;
use crate::recording::GROVE;
use crate::section::Section;
use crate::shape::Shape;
use crate::site::Site;
use crate::takeover;
use crate::watching::{Event, Watch};
use figures::{Beginning, Run};

/// Its name in `BENCH_ONLY`.
pub const ONLY: &str = "at rest";
const NAMESPACE: &str = "bench-at-rest";
/// How long no write may happen.
const STILL: Duration = Duration::from_mins(1);
/// The memory for the lists is free by then.
const SETTLING: Duration = Duration::from_secs(10);
/// A list of everything is finished by then, several times.
const LISTING: Duration = Duration::from_secs(30);
const WRITE_DEADLINE: Duration = Duration::from_mins(2);

/// The operator creates the workload once; then everything is measured on a separate control plane,
/// which is discarded afterwards.
pub async fn measure(shape: &Shape, rounds: u32) -> Result<Section> {
    let site = Site::start_without_operator("bench-rest").await?;
    let title = &shape.title;
    let run = run(&site, shape, rounds).await;
    let run = run.with_context(|| format!("{title}: the run did not complete"))?;
    Ok(figures::section(title, &run))
}

async fn run(site: &Site, shape: &Shape, rounds: u32) -> Result<Run> {
    say(&format!("{}: they are made", shape.title));
    let creation = create(site, shape).await?;
    say(&format!(
        "    all Ready after {:.0} s",
        creation.as_secs_f64()
    ));

    let operator = start(site, "rest").await?;
    operator.quiet().await?;
    tokio::time::sleep(SETTLING).await;
    let (rss, before) = (operator.rss()?, operator.usage().await?);
    say(&format!(
        "    {rss:.1} MB at rest; is anything written in {STILL:?}?"
    ));
    tokio::time::sleep(STILL).await;
    let after = operator.usage().await?;

    let victims = pods::one_of_each_gang(&site.user, NAMESPACE).await?;
    let mut running = operator;
    let mut beginnings = Vec::new();
    for (round, victim) in (1..=rounds).zip(&victims) {
        say(&format!("{}: killed, begins again, {round}", shape.title));
        let (beginning, started) = begin_anew(site, running, round, victim).await?;
        say(&format!("    {beginning:?}"));
        beginnings.push(beginning);
        running = started;
    }
    running.stop().await?;
    say(&format!("{}: everything is listed again", shape.title));
    Ok(Run {
        creation: creation.as_secs_f64(),
        rss,
        writes: after.requests.since(&before.requests),
        cpu: after.cpu - before.cpu,
        beginnings,
        relist: relist(site).await?,
    })
}

/// Returns the time until all pods were Ready.
async fn create(site: &Site, shape: &Shape) -> Result<Duration> {
    namespace::create(&site.user, NAMESPACE).await?;
    let operator = start(site, "rest-creation").await?;
    let mut observer = Observer::start(&site.user, NAMESPACE, shape.pods()).await?;
    let sets = calls::path(GROVE, NAMESPACE, "podcliquesets");
    let manifests = shape.manifests();
    let posts = manifests.iter().map(|set| calls::post(&sets, set));
    let posts: Vec<Call> = posts.collect::<Result<_>>()?;
    let began = Instant::now();
    calls::send_all::<IgnoredAny>(&site.user, posts).await?;
    let ready = observer.until("all are Ready", |seen| seen.ready).await?;
    operator.quiet().await?;
    operator.stop().await?;
    Ok(ready.duration_since(began))
}

/// Kills the operator, lists its kinds without it, and measures the time until the next operator
/// has stored the changes of the meantime.
async fn begin_anew(
    site: &Site,
    running: Operator,
    round: u32,
    (podclique, pod): &Victim,
) -> Result<(Beginning, Operator)> {
    drop(running);
    let in_turn = listing::in_turn(&site.account).await?;
    let at_once = listing::at_once(&site.account).await?;
    pods::fail(&site.user, NAMESPACE, pod).await?;
    let path = calls::path(GROVE, NAMESPACE, "podcliques");
    let get = calls::get(&format!("{path}/{podclique}"))?;
    let now: PodClique = calls::send(&site.user, get).await?;
    if !now.is_ready() {
        bail!("the failure of a pod of {podclique} is stored already");
    }
    let only = format!("fieldSelector=metadata.name%3D{podclique}");
    // Its own version may be older than the oldest version of a watch.
    let mut watch = Watch::<PodClique>::begin(&site.user, &path, &only, "0").await?;

    let program = Program::beside(&site.kubeconfig)?;
    let began = Instant::now();
    let started = Operator::spawn(&program, &site.logs(), &format!("rest-{round}"), "")?;
    let written = tokio::time::timeout(WRITE_DEADLINE, until_not_ready(&mut watch)).await;
    written.context("the next operator did not store that a pod failed")??;
    let took = began.elapsed().as_secs_f64();
    started.wait_until_ready().await?;
    pods::restore(&site.user, NAMESPACE, pod).await?;
    started.quiet().await?;
    let beginning = Beginning {
        took,
        in_turn,
        at_once,
    };
    Ok((beginning, started))
}

async fn until_not_ready(watch: &mut Watch<PodClique>) -> Result<()> {
    loop {
        match watch.next().await? {
            Event::Is(podclique) if podclique.is_ready() => (),
            Event::Is(_) => return Ok(()),
            Event::Gone(name) => bail!("{name} is gone"),
        }
    }
}

/// A standby operator lists everything again when the leader was killed. Returns its memory before,
/// and the peak meanwhile.
async fn relist(site: &Site) -> Result<(f64, f64)> {
    let leader = takeover::start(site, "rest-leader").await?;
    takeover::wait_until_leads(&leader).await?;
    let standby = takeover::start(site, "rest-standby").await?;
    tokio::time::sleep(SETTLING).await;
    let at_rest = standby.rss()?;
    standby.forget_peak()?;
    drop(leader);
    takeover::wait_until_leads(&standby).await?;
    tokio::time::sleep(LISTING).await;
    let peak = standby.peak_rss()?;
    standby.stop().await?;
    Ok((at_rest, peak))
}

async fn start(site: &Site, name: &str) -> Result<Operator> {
    Operator::start(&site.kubeconfig, &site.logs(), name).await
}
