//! Memory of a start beside sets that run nothing and are as large as an object may be: the peak
//! against the memory that stays in use.

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls;
use crate::namespace;
use crate::operator::Operator;
use crate::progress::say;
use crate::recording::GROVE;
use crate::sample::Sample;
use crate::section::{Row, Section};
use crate::site::Site;

/// Its name in `BENCH_ONLY`.
pub const ONLY: &str = "large sets";
/// Below the bound of one namespace.
const NAMESPACES: u32 = 3;
const SETS_OF_NAMESPACE: u32 = 40;
/// Of 2 kB each, so a set has 1.3 MB.
const VARIABLES: u32 = 630;
/// The operator has freed the memory of its lists by then.
const SETTLING: Duration = Duration::from_secs(15);
const STARTS: u32 = 3;
/// Limit of the peak as a ratio to the memory that stays in use.
const GOAL: f64 = 1.3;

/// Measures it on a control plane of its own.
pub async fn measure() -> Result<Section> {
    let site = Site::start_without_operator("bench-large").await?;
    let memory = run(&site).await;
    let memory = memory.with_context(|| format!("{ONLY}: the run did not complete"))?;
    let kept: Sample = memory.iter().map(|(kept, _)| *kept).collect();
    let peak: Sample = memory.iter().map(|(_, peak)| *peak).collect();
    let mut section = Section::with_columns(ONLY, ["peak", "at rest"]);
    section.row(Row::compared("MB resident after a start", &peak, &kept));
    let ratio = peak.mean() / kept.mean();
    if ratio > GOAL {
        let breach =
            format!("{ONLY}: a start needs {ratio:.2} x the memory at rest, {GOAL} is the goal");
        section.breaches.push(breach);
    }
    Ok(section)
}

/// Of each start: megabytes resident at rest, and the most that was resident.
async fn run(site: &Site) -> Result<Vec<(f64, f64)>> {
    for index in 0..NAMESPACES {
        let name = format!("bench-large-{index}");
        namespace::create(&site.user, &name).await?;
        let sets = calls::path(GROVE, &name, "podcliquesets");
        for set in 0..SETS_OF_NAMESPACE {
            calls::send::<IgnoredAny>(&site.user, calls::post(&sets, &manifest(set))?).await?;
        }
    }
    say(&format!(
        "{ONLY}: {} of them",
        NAMESPACES * SETS_OF_NAMESPACE
    ));
    let mut memory = Vec::new();
    // The first one writes finalizers and statuses.
    for start in 0..=STARTS {
        let name = format!("large-{start}");
        let operator = Operator::start(&site.kubeconfig, &site.logs(), &name).await?;
        operator.quiet().await?;
        tokio::time::sleep(SETTLING).await;
        let (kept, peak) = (operator.rss()?, operator.peak_rss()?);
        say(&format!(
            "    start {start}: {kept:.0} MB at rest, {peak:.0} MB at most"
        ));
        operator.stop().await?;
        if start > 0 {
            memory.push((kept, peak));
        }
    }
    Ok(memory)
}

fn manifest(index: u32) -> Value {
    let variable = |number| json!({"name": format!("V{number}"), "value": "x".repeat(2000)});
    let variables: Vec<Value> = (0..VARIABLES).map(variable).collect();
    json!({
        "apiVersion": "grove.io/v1alpha1",
        "kind": "PodCliqueSet",
        "metadata": {"name": format!("large-{index}")},
        "spec": {"replicas": 0, "template": {"cliques": [{
            "name": "a",
            "spec": {"roleName": "a", "replicas": 1, "podSpec": {"containers": [{
                "name": "main", "image": "registry.k8s.io/pause:3.10", "env": variables,
            }]}},
        }]}},
    })
}
