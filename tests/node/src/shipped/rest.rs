//! Resource usage of the operators at rest, as their kubelets measure it.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use jiff::Timestamp;
use serde_json::Value;

use super::{at, kubectl};
use crate::cluster::{Cluster, NODES};
use crate::release::NAMESPACE;

/// Usage of a pod at rest.
#[derive(Debug)]
pub struct Rest {
    /// Processors, on average.
    pub cpu: f64,
    /// Bytes that count against its limit and cannot be reclaimed.
    pub working_set: u64,
}

/// Usage of each operator, by the name of its pod, over that time, as exactly as kubelets measure
/// it.
pub(super) fn watch(cluster: &Cluster, time: Duration) -> Result<BTreeMap<String, Rest>> {
    let before = counts(cluster)?;
    thread::sleep(time);
    let after = counts(cluster)?;
    let mut rest = BTreeMap::new();
    for (pod, count) in after {
        let first = before.get(&pod).with_context(|| format!("{pod} is new"))?;
        let seconds = count.at.duration_since(first.at).as_secs_f64();
        ensure!(seconds > 0.0, "{pod} was counted once only");
        let busy = Duration::from_nanos(count.nanoseconds.saturating_sub(first.nanoseconds));
        let cpu = busy.as_secs_f64() / seconds;
        let Count { working_set, .. } = count;
        rest.insert(pod, Rest { cpu, working_set });
    }
    ensure!(!rest.is_empty(), "kubelets count no operators");
    Ok(rest)
}

struct Count {
    at: Timestamp,
    nanoseconds: u64,
    working_set: u64,
}

fn counts(cluster: &Cluster) -> Result<BTreeMap<String, Count>> {
    let mut counts = BTreeMap::new();
    for node in NODES {
        let path = format!("/api/v1/nodes/{node}/proxy/stats/summary");
        let summary: Value = serde_json::from_str(&kubectl(cluster, &["get", "--raw", &path])?)?;
        let pods = at(&summary, "/pods").as_array().into_iter().flatten();
        for pod in pods.filter(|pod| at(pod, "/podRef/namespace") == NAMESPACE) {
            let name = at(pod, "/podRef/name").as_str().unwrap_or_default();
            counts.insert(name.to_owned(), count(at(pod, "/containers/0"))?);
        }
    }
    Ok(counts)
}

fn count(container: &Value) -> Result<Count> {
    let number = |pointer: &str| {
        let number = at(container, pointer).as_u64();
        number.with_context(|| format!("the kubelet does not count {pointer}: {container}"))
    };
    let time = at(container, "/cpu/time").as_str().unwrap_or_default();
    Ok(Count {
        at: time
            .parse()
            .with_context(|| format!("no time: {container}"))?,
        nanoseconds: number("/cpu/usageCoreNanoSeconds")?,
        working_set: number("/memory/workingSetBytes")?,
    })
}
