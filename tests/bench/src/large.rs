//! Sets that run nothing and are as large as an object may be: what an operator that starts needs to
//! read them, beside what it keeps.

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

/// What it is asked for by.
pub const ONLY: &str = "large sets";
/// Below the bound of one namespace.
const NAMESPACES: u32 = 3;
const SETS_OF_NAMESPACE: u32 = 40;
/// Of 2 kB each, so a set has 1.3 MB.
const VARIABLES: u32 = 630;
/// What was taken for the lists is given back by then.
const SETTLING: Duration = Duration::from_secs(15);
const STARTS: u32 = 3;
/// For the peak beside what is kept.
const GOAL: f64 = 1.3;

/// Measures it on a control plane of its own.
pub async fn measure() -> Result<Section> {
    let site = Site::start_with_large_sets().await?;
    let memory = run(&site).await;
    let memory = memory.with_context(|| format!("{ONLY}: the run did not complete"))?;
    let (kept, peak): (Sample, Sample) = memory.into_iter().unzip();
    let mut section = Section::with_columns(ONLY, ["peak", "kept"]);
    section.row(Row::compared("MB resident after a start", &peak, &kept));
    let ratio = peak.mean() / kept.mean();
    if ratio > GOAL {
        let breach =
            format!("{ONLY}: a start needs {ratio:.2} of what is kept, {GOAL} is the goal");
        section.breaches.push(breach);
    }
    Ok(section)
}

/// What is kept and the most that was resident, of each start.
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
        let operator = Operator::start(&site.kubeconfig, &site.logs(), &format!("large-{start}"));
        let operator = operator.await?;
        operator.quiet().await?;
        tokio::time::sleep(SETTLING).await;
        let (kept, peak) = (operator.rss()?, operator.peak_rss()?);
        say(&format!(
            "    start {start}: {kept:.0} MB kept, {peak:.0} MB at most"
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
