//! The update of a set, one replica after the other, beside the least number of requests for it.

mod figures;
mod progress;

use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls;
use crate::deletion;
use crate::namespace;
use crate::observer::Observer;
use crate::operator::Operator;
use crate::pods;
use crate::progress::say;
use crate::recording::GROVE;
use crate::section::Section;
use crate::shape::Shape;
use crate::site::Site;
use figures::Run;
use progress::Progress;

/// Its name in `BENCH_ONLY`: a turn takes longer than the creation of all its pods.
pub const ONLY: &str = "update of";
/// The pods of a replica, all of them required, go together.
const PODS_OF_REPLICA: u32 = 2;

/// Runs it that many times.
pub async fn measure(site: &Site, shape: &Shape, rounds: u32) -> Result<Section> {
    let title = &shape.title;
    say(&format!("{title}: warm-up"));
    run(site, &shape.sample(), 0).await?;
    let mut runs = Vec::new();
    for round in 1..=rounds {
        say(&format!("{title}: operator, run {round}"));
        let run = run(site, shape, round).await;
        let run = run.with_context(|| format!("{title}: the run did not complete"))?;
        say(&format!("    updated in {:.2} s", run.seconds));
        runs.push(run);
    }
    Ok(figures::section(shape, &runs))
}

async fn run(site: &Site, shape: &Shape, round: u32) -> Result<Run> {
    let name = format!("bench-update-{round}");
    namespace::create(&site.user, &name).await?;
    let operator = Operator::start(&site.kubeconfig, &site.logs(), &name).await?;
    let mut observer = Observer::start(&site.user, &name, shape.pods()).await?;
    let sets = calls::path(GROVE, &name, "podcliquesets");
    let set = manifest(shape)?;
    calls::send::<IgnoredAny>(&site.user, calls::post(&sets, &set)?).await?;
    observer.until("all are Ready", |seen| seen.ready).await?;
    operator.quiet().await?;

    let mut progress = Progress::watch(&site.user, &sets).await?;
    let before = operator.usage().await?;
    let began = Instant::now();
    let path = format!("{sets}/{}", set_name(&set)?);
    calls::send::<IgnoredAny>(&site.user, calls::json_patch(&path, &edit())?).await?;
    let ended = progress.until_ended().await?;
    operator.quiet().await?;
    let after = operator.usage().await?;
    let whole = pods::whole_gangs(&site.user, &name, PODS_OF_REPLICA).await?;
    if whole != shape.replicas || observer.seen().names != 2 * shape.pods() {
        let names = observer.seen().names;
        bail!("{whole} replicas are whole, and {names} pods were created in all");
    }
    let peak_rss = operator.peak_rss()?;

    deletion::delete_sets(&site.user, &name).await?;
    operator.stop().await?;
    namespace::delete(&site.user, &name).await?;
    Ok(Run {
        seconds: ended.duration_since(began).as_secs_f64(),
        requests: after.requests.since(&before.requests),
        cpu: after.cpu - before.cpu,
        peak_rss,
    })
}

fn set_name(set: &Value) -> Result<&str> {
    let name = set.pointer("/metadata/name").and_then(Value::as_str);
    name.context("the manifest has no name")
}

/// Another template.
fn edit() -> Value {
    let version = json!({"example.com/version": "2"});
    json!([{"op": "add", "path": "/spec/template/cliques/0/annotations", "value": version}])
}

/// Its pods count as soon as they are Ready: without a readiness probe each would have to be Ready for
/// ten seconds.
fn manifest(shape: &Shape) -> Result<Value> {
    let mut set = shape.manifests().pop().context("no set")?;
    for (place, key, value) in [
        (
            "/spec/template/cliques/0",
            "rollingUpdate",
            json!({"maxUnavailable": PODS_OF_REPLICA}),
        ),
        (
            "/spec/template/cliques/0/spec/podSpec/containers/0",
            "readinessProbe",
            json!({"exec": {"command": ["true"]}}),
        ),
    ] {
        let place = set.pointer_mut(place).and_then(Value::as_object_mut);
        place
            .context("the manifest has another form")?
            .insert(key.to_owned(), value);
    }
    Ok(set)
}
