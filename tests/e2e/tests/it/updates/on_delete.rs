//! Pods take the new template when they are deleted.

use serde_json::json;

use super::{ended, running, runs, workload};
use crate::harness::{Namespace, same};

#[test]
fn a_deleted_pod_comes_back_with_the_new_template_and_a_switch_rolls_the_rest() {
    delete_one_then_switch(&running("on-delete"));
}

/// One pod is deleted, then the others are updated.
pub fn delete_one_then_switch(ns: &Namespace<'_>) {
    let mut next = workload("2");
    next["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    ns.apply(&next);
    ns.until("the PodCliques have the template", |seen| {
        for podclique in seen.all("PodClique") {
            let version = &podclique["metadata"]["annotations"]["example.com/version"];
            same("version", version, &"2".into())?;
        }
        seen.expect_ready_pods(30)
    });
    let pods = ns.kubectl(&[
        "get",
        "pods",
        "--selector=grove.io/podclique=svc-1-web",
        "--output=name",
    ]);
    ns.kubectl(&["delete", pods.lines().next().unwrap(), "--wait=false"]);
    ns.until("one pod has it", |seen| {
        seen.expect_ready_pods(30)?;
        let pods = seen.all("Pod");
        let new = pods
            .iter()
            .filter(|p| p["metadata"]["annotations"]["example.com/version"] == "2");
        same("pods of version 2", &new.count(), &1)
    });
    next["spec"]["updateStrategy"] = json!({"type": "RollingRecreate"});
    ns.apply(&next);
    ns.until("all have it", |seen| ended(seen, "2", 3));
    ns.until("and stay", |seen| runs(seen, "2", 3));
}
