//! Pods of gangs: failures, and complete gangs.

use std::collections::BTreeMap;

use anyhow::Result;
use api::labels;
use kube::Client;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls;
use crate::observer::Pod;

/// A gang, by name of its PodClique, and one of its pods.
pub type Victim = (String, String);

/// One pod of each gang.
pub async fn one_of_each_gang(client: &Client, namespace: &str) -> Result<Vec<Victim>> {
    let gangs = by_gang(client, namespace).await?.into_iter();
    let first = |(gang, pods): (String, Vec<Pod>)| {
        let pod = pods.into_iter().next()?;
        Some((gang, pod.metadata.name))
    };
    Ok(gangs.filter_map(first).collect())
}

/// Number of gangs with that many pods, all of them Ready.
pub async fn whole_gangs(client: &Client, namespace: &str, size: u32) -> Result<u32> {
    let gangs = by_gang(client, namespace).await?;
    let size = usize::try_from(size)?;
    let is_whole = |pods: &&Vec<Pod>| pods.len() == size && pods.iter().all(Pod::is_ready);
    Ok(u32::try_from(gangs.values().filter(is_whole).count())?)
}

/// Sets the pod to not Ready; KWOK leaves that.
pub async fn fail(client: &Client, namespace: &str, pod: &str) -> Result<()> {
    let condition = json!({"type": "Ready", "status": "False", "reason": "FailedByBenchmark"});
    set_condition(client, namespace, pod, &condition).await
}

/// Sets the pod to Ready.
pub async fn restore(client: &Client, namespace: &str, pod: &str) -> Result<()> {
    let condition = json!({"type": "Ready", "status": "True", "reason": "RestoredByBenchmark"});
    set_condition(client, namespace, pod, &condition).await
}

async fn set_condition(client: &Client, namespace: &str, pod: &str, is: &Value) -> Result<()> {
    let path = calls::path("api/v1", namespace, format!("pods/{pod}/status"));
    let change = json!({"status": {"conditions": [is]}});
    calls::send::<IgnoredAny>(client, calls::strategic_patch(&path, &change)?).await?;
    Ok(())
}

async fn by_gang(client: &Client, namespace: &str) -> Result<BTreeMap<String, Vec<Pod>>> {
    let path = calls::path("api/v1", namespace, "pods");
    let list: List = calls::send(client, calls::get(&path)?).await?;
    let mut gangs = BTreeMap::<_, Vec<Pod>>::new();
    for pod in list.items {
        let gang = pod.metadata.labels.get(labels::POD_CLIQUE).cloned();
        gangs.entry(gang.unwrap_or_default()).or_default().push(pod);
    }
    Ok(gangs)
}

#[derive(Debug, Deserialize)]
struct List {
    items: Vec<Pod>,
}
