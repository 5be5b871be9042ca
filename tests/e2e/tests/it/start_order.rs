//! Start order (docs/semantics.md §8.6). Nothing here runs init containers: the tests make
//! dependencies Ready by hand, and the start signal of a pod is an annotation.

mod example;
mod explicit;
mod in_order;
mod interrupted;

use serde_json::Value;

use crate::harness::seen::name;
use crate::harness::starts::{Starts, has_start_signal, pairs};
use crate::harness::{Namespace, Seen, same, wait};

/// The pods of these PodCliques are on nodes and wait for the given dependencies.
fn expect_waiting(seen: &Seen, podcliques: &[(&str, &str)]) -> Result<(), String> {
    for (podclique, after) in podcliques {
        let pods = seen.pods(podclique);
        let wanted = &seen.one("PodClique", podclique)?["spec"]["replicas"];
        same(podclique, &Value::from(pods.len()), wanted)?;
        for pod in pods {
            same(name(pod), &pairs(pod), after)?;
            same(name(pod), &has_start_signal(pod), &false)?;
            same(name(pod), &pod["spec"]["nodeName"].is_string(), &true)?;
            expect_held(pod)?;
        }
    }
    Ok(())
}

/// The parts of the pod with which a kubelet would hold it back.
fn expect_held(pod: &Value) -> Result<(), String> {
    let first = &pod["spec"]["initContainers"][0];
    same("init container", &first["name"], &"grove-initc".into())?;
    let mounted = &first["volumeMounts"][0]["name"];
    same("mounted", mounted, &"grove-start-order".into())?;
    let volumes = pod["spec"]["volumes"].as_array().unwrap();
    let shows = |v: &&Value| v["name"] == *mounted && v["downwardAPI"].is_object();
    same("volumes", &volumes.iter().filter(shows).count(), &1)
}

/// All pods of these PodCliques have the start signal.
fn expect_signalled(seen: &Seen, podcliques: &[&str]) -> Result<(), String> {
    for podclique in podcliques {
        for pod in seen.pods(podclique) {
            same(name(pod), &has_start_signal(pod), &true)?;
        }
    }
    Ok(())
}

/// The pod with this index becomes Ready.
fn get_ready(ns: &Namespace<'_>, podclique: &str, index: usize) {
    let pod = ns.until("the pod is on a node", |seen| {
        let pods = seen.pods(podclique);
        let pod = pods.get(index).ok_or("no such pod")?;
        same("on a node", &pod["spec"]["nodeName"].is_string(), &true)?;
        Ok(name(pod).to_owned())
    });
    ns.set_pod_ready(&pod);
}

/// No pod got the start signal too early, and that many pods have it.
fn expect_count(starts: &mut Starts, count: usize) {
    let signalled = wait::until(|| {
        starts.judge();
        let is_behind = starts.count() < count;
        (!is_behind)
            .then(|| starts.count())
            .ok_or_else(|| format!("not {count} pods were signalled: {starts:?}"))
    });
    assert_eq!(signalled.unwrap(), count, "{starts:?}");
}
