//! A canary within a replica: pods and group replicas below the partition keep their templates,
//! whatever happens to them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{ended, recreate, runs, workload};
use crate::harness::{Namespace, Seen, condition, same};

/// One replica: pods of `web` below 3, and replicas of `grp` below 1, keep their templates.
fn partitioned(version: &str, is_partitioned: bool) -> Value {
    let mut next = workload(version);
    next["spec"]["replicas"] = 1.into();
    if is_partitioned {
        let template = &mut next["spec"]["template"];
        template["cliques"][0]["rollingUpdate"] = json!({"partition": 3});
        template["podCliqueScalingGroups"][0]["rollingUpdate"] = json!({"partition": 1});
    }
    next
}

/// The versions of the pods, by PodClique and index.
pub(super) fn versions(seen: &Seen) -> BTreeMap<String, String> {
    let pods = seen.all("Pod");
    let of_pod = |pod: &&Value| {
        let labels = &pod["metadata"]["labels"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let clique = text(&labels["grove.io/podclique"]);
        let place = format!("{clique}-{}", text(&labels["grove.io/podclique-pod-index"]));
        let version = text(&pod["metadata"]["annotations"]["example.com/version"]);
        (place, version)
    };
    pods.iter().map(of_pod).collect()
}

/// Pod 3 of `web` and replica 1 of `grp` have version 2, and the update rests.
fn rests(seen: &Seen) -> Result<(), String> {
    seen.expect_ready_pods(10)?;
    for (place, version) in versions(seen) {
        let is_new = place == "svc-0-web-3" || place.starts_with("svc-0-grp-1-");
        let wanted = if is_new { "2" } else { "1" };
        same(&place, &version, &wanted.to_owned())?;
    }
    let set = seen.one("PodCliqueSet", "svc")?;
    let update = condition(set, "UpdateInProgress");
    same("update", &update, &"False/Partitioned".to_owned())?;
    let progress = &set["status"]["updateProgress"];
    same("turn", &progress["currentlyUpdating"], &Value::Null)
}

#[test]
fn pods_below_the_partition_keep_their_template_until_it_is_lowered() {
    let ns = Namespace::new("canary");
    ns.apply(&partitioned("1", true));
    ns.until("version 1 runs", |seen| runs(seen, "1", 1));
    ns.apply(&partitioned("2", true));
    ns.until("the canary runs", rests);
    for podclique in ["svc-0-web", "svc-0-grp-0-lead", "svc-0-grp-1-work"] {
        recreate(&ns, podclique, rests);
    }
    let labels = "grove.io/podclique=svc-0-web";
    ns.kubectl(&["delete", "pod", "--wait=false", "-l", labels]);
    ns.until("its pods are back as they were", |seen| {
        let mut pods = seen.all("Pod").into_iter();
        let is_going = pods.any(|pod| pod["metadata"]["deletionTimestamp"].is_string());
        same("whether a pod is being deleted", &is_going, &false)?;
        rests(seen)
    });
    ns.apply(&partitioned("2", false));
    ns.until("version 2 runs", |seen| {
        ended(seen, "2", 1)?;
        let set = seen.one("PodCliqueSet", "svc")?;
        same(
            "revisions",
            &set["status"]["replicaRevisions"],
            &Value::Null,
        )
    });
}
