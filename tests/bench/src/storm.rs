//! Gangs that lose a pod each: the time until their breach is stored, and until they are terminated
//! after the delay.

mod figures;
mod gangs;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::future::try_join_all;
use jiff::SignedDuration;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls;
use crate::deletion;
use crate::namespace;
use crate::observer::Observer;
use crate::operator::Operator;
use crate::pods;
use crate::progress::say;
use crate::section::Section;
use crate::shape::Shape;
use crate::site::Site;
use figures::Run;
use gangs::Gangs;

/// Gangs of the workload.
pub const GANGS: u32 = 40;
const PODS_OF_GANG: u32 = 2;
/// Not a multiple of the Go operator's interval of 5 s: a poll would not match it by chance.
const DELAY: SignedDuration = SignedDuration::from_secs(7);
/// Times in conditions have no fractions: failures that are further apart than a second have
/// separate expiries.
const APART: Duration = Duration::from_millis(1100);

/// When the pods of the gangs fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// All at the same moment.
    AtOnce,
    /// One after the other, each gang with a separate expiry.
    Apart,
}

impl Failures {
    /// Title of the workload.
    pub fn title(self) -> String {
        match self {
            Self::AtOnce => format!("{GANGS} gangs fail at once"),
            Self::Apart => format!("{GANGS} gangs fail 1.1 s apart"),
        }
    }
}

/// Runs it that many times; the gangs of all runs are one sample.
pub async fn measure(site: &Site, failures: Failures, rounds: u32) -> Result<Section> {
    let title = failures.title();
    let mut runs = Vec::new();
    for round in 1..=rounds {
        say(&format!("{title}: operator, run {round}"));
        let name = format!("bench-storm-{failures:?}-{round}").to_lowercase();
        let run = run(site, failures, &name).await;
        runs.push(run.with_context(|| format!("{title}: the run did not complete"))?);
    }
    Ok(figures::section(failures, &runs))
}

async fn run(site: &Site, failures: Failures, name: &str) -> Result<Run> {
    namespace::create(&site.user, name).await?;
    let operator = Operator::start(&site.kubeconfig, &site.logs(), name).await?;
    let count = GANGS * PODS_OF_GANG;
    let mut observer = Observer::start(&site.user, name, count).await?;
    let mut gangs = Gangs::watch(&site.user, name, GANGS).await?;
    let sets = calls::path("apis/grove.io/v1alpha1", name, "podcliquesets");
    calls::send::<IgnoredAny>(&site.user, calls::post(&sets, &manifest()?)?).await?;
    observer.until("all are Ready", |seen| seen.ready).await?;
    gangs.until_available().await?;
    operator.quiet().await?;

    let victims = pods::one_of_each_gang(&site.user, name).await?;
    if victims.len() != usize::try_from(GANGS)? {
        bail!("{} gangs have pods, not {GANGS}", victims.len());
    }
    let before = operator.usage().await?;
    let failed = fail(site, failures, name, &victims).await?;
    gangs.until_whole_again().await?;
    let is_whole = Instant::now();
    operator.quiet().await?;
    let after = operator.usage().await?;
    let whole = pods::whole_gangs(&site.user, name, PODS_OF_GANG).await?;
    let moments = gangs.moments();

    deletion::delete_sets(&site.user, name).await?;
    operator.stop().await?;
    namespace::delete(&site.user, name).await?;
    let mut run = Run {
        reactions: Vec::new(),
        delays: Vec::new(),
        recovery: is_whole.duration_since(gangs.last_deletion().unwrap_or(is_whole)),
        whole,
        requests: after.requests.since(&before.requests),
        cpu: after.cpu - before.cpu,
    };
    for (gang, answered) in failed {
        let seen = moments.get(&gang).context("a gang was not seen")?;
        run.reactions.push(seen.reaction(answered)?);
        run.delays.push(seen.delay(DELAY)?);
    }
    Ok(run)
}

/// Makes a pod of each gang not Ready; returns the time of each answer, by gang.
async fn fail(
    site: &Site,
    failures: Failures,
    namespace: &str,
    victims: &[pods::Victim],
) -> Result<Vec<(String, Instant)>> {
    let began = Instant::now();
    let all = (0..).zip(victims).map(|(index, (gang, pod))| async move {
        if failures == Failures::Apart {
            tokio::time::sleep_until((began + APART * index).into()).await;
        }
        pods::fail(&site.user, namespace, pod).await?;
        Ok::<_, anyhow::Error>((gang.clone(), Instant::now()))
    });
    try_join_all(all).await
}

/// A set of one gang per replica; all its pods are required.
fn manifest() -> Result<Value> {
    let shape = Shape::of_gangs(GANGS, PODS_OF_GANG);
    let mut set = shape.manifests().pop().context("no set")?;
    for (place, key, value) in [
        (
            "/spec/template",
            "terminationDelay",
            json!(format!("{}s", DELAY.as_secs())),
        ),
        (
            "/spec/template/cliques/0/spec",
            "minAvailable",
            json!(PODS_OF_GANG),
        ),
    ] {
        let place = set.pointer_mut(place).and_then(Value::as_object_mut);
        place
            .context("the manifest has another form")?
            .insert(key.to_owned(), value);
    }
    Ok(set)
}
