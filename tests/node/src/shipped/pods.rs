//! The operators' pods, and a workload whose pods have the init container.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::{at, kubectl};
use crate::cluster::Cluster;
use crate::images::BUSYBOX;
use crate::release::NAMESPACE;

/// Longer than anything here takes.
const LIMIT: Duration = Duration::from_mins(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// The workload's set, in namespace `default`.
const SET: &str = "order";

/// The operators' pods.
pub(super) fn operators(cluster: &Cluster) -> Result<Vec<Value>> {
    pods(cluster, NAMESPACE)
}

fn pods(cluster: &Cluster, namespace: &str) -> Result<Vec<Value>> {
    let listed = kubectl(cluster, &["get", "pods", "-n", namespace, "-o", "json"])?;
    let listed: Value = serde_json::from_str(&listed)?;
    Ok(at(&listed, "/items")
        .as_array()
        .cloned()
        .unwrap_or_default())
}

/// The chart's requests for an operator: processors, and bytes of memory.
pub(super) fn requested(cluster: &Cluster) -> Result<(f64, u64)> {
    let pods = operators(cluster)?;
    let pod = pods.first().context("no operator")?;
    let requests = at(pod, "/spec/containers/0/resources/requests");
    let quantity = |pointer: &str, unit: &str| {
        let text = at(requests, pointer).as_str().unwrap_or_default();
        let number = text.strip_suffix(unit).and_then(|n| n.parse::<u32>().ok());
        number.with_context(|| format!("the chart requests {requests}, {pointer} not in {unit}"))
    };
    let memory = u64::from(quantity("/memory", "Mi")?) << 20;
    Ok((f64::from(quantity("/cpu", "m")?) / 1e3, memory))
}

/// Deletes an operator's pod; returns the time from the creation of its successor until all are
/// Ready again.
pub(super) fn time_to_ready(cluster: &Cluster) -> Result<Duration> {
    let before = operators(cluster)?;
    let name = |pod: &Value| {
        at(pod, "/metadata/name")
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let old = before.first().map(name).context("no operator")?;
    let args = ["delete", "pod", &old, "-n", NAMESPACE, "--wait=false"];
    kubectl(cluster, &args)?;
    let begun = Instant::now();
    wait("operators are not Ready", || {
        let pods = operators(cluster)?;
        let ready = pods.iter().filter(|pod| name(pod) != old && is_ready(pod));
        Ok(ready.count() == before.len())
    })?;
    Ok(begun.elapsed())
}

fn is_ready(pod: &Value) -> bool {
    let conditions = at(pod, "/status/conditions").as_array();
    let mut conditions = conditions.into_iter().flatten();
    conditions
        .any(|condition| at(condition, "/type") == "Ready" && at(condition, "/status") == "True")
}

/// Starts a dependency that is Ready after some seconds, and dependents; returns when the
/// dependents wait.
pub(super) fn start_workload(cluster: &Cluster) -> Result<()> {
    let parent = clique("parent", 1, "sleep 15; touch /tmp/up; exec sleep 10000");
    let child = clique("child", 2, "touch /tmp/up; exec sleep 10000");
    let set = json!({
        "apiVersion": "grove.io/v1alpha1", "kind": "PodCliqueSet", "metadata": {"name": SET},
        "spec": {"replicas": 1, "template": {
            "cliqueStartupType": "CliqueStartupTypeInOrder", "cliques": [parent, child],
        }},
    });
    let file = tempfile::NamedTempFile::new()?;
    serde_json::to_writer(&file, &set)?;
    let path = file.path().to_string_lossy().into_owned();
    kubectl(cluster, &["apply", "-f", &path])?;
    wait("no init container runs", || {
        let pods = pods(cluster, "default")?;
        let running = "/status/initContainerStatuses/0/state/running";
        Ok(pods.iter().any(|pod| at(pod, running).is_object()))
    })
}

fn clique(name: &str, replicas: u32, script: &str) -> Value {
    let container = json!({
        "name": "main", "image": BUSYBOX, "command": ["sh", "-c", script],
        "readinessProbe": {"exec": {"command": ["test", "-e", "/tmp/up"]}, "periodSeconds": 1},
        "resources": {"requests": {"cpu": "1m", "memory": "4Mi"}},
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
    });
    let as_user = json!({
        "runAsNonRoot": true, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"},
    });
    json!({"name": name, "spec": {
        "roleName": name, "replicas": replicas, "podSpec": {
            "terminationGracePeriodSeconds": 1, "securityContext": as_user,
            "containers": [container],
        },
    }})
}

/// Waits until the whole workload is Ready.
pub(super) fn expect_workload(cluster: &Cluster) -> Result<()> {
    let set = format!("pcs/{SET}");
    let args = ["wait", &set, "--for=condition=Ready", "--timeout=60s"];
    kubectl(cluster, &args).map(|_| ())
}

fn wait(fault: &str, mut is_done: impl FnMut() -> Result<bool>) -> Result<()> {
    let deadline = Instant::now() + LIMIT;
    while !is_done()? {
        if Instant::now() > deadline {
            bail!("{fault} within {LIMIT:?}");
        }
        thread::sleep(BETWEEN_LOOKS);
    }
    Ok(())
}
