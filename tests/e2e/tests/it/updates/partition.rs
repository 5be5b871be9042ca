//! A canary: replicas below the partition keep their templates, whatever happens to them.

use serde_json::{Value, json};

use super::{PODS, ended, recreate, running, workload};
use crate::harness::{Seen, condition, same};

fn partitioned(version: &str, partition: i32) -> Value {
    let mut next = workload(version);
    next["spec"]["updateStrategy"] = json!({"partition": partition});
    next
}

/// Replica 2 has version 2 and the update rests.
fn rests(seen: &Seen) -> Result<(), String> {
    seen.expect_ready_pods(3 * PODS)?;
    let set = seen.one("PodCliqueSet", "svc")?;
    let update = condition(set, "UpdateInProgress");
    same("update", &update, &"False/Partitioned".to_owned())?;
    let ready = condition(set, "Ready");
    same("Ready", &ready, &"True/UpdatePartitioned".to_owned())?;
    let progress = &set["status"]["updateProgress"];
    same("end", &progress["updateEndedAt"], &Value::Null)?;
    for pod in seen.all("Pod") {
        let index = &pod["metadata"]["labels"]["grove.io/podcliqueset-replica-index"];
        let version = &pod["metadata"]["annotations"]["example.com/version"];
        let wanted = if index == "2" { "2" } else { "1" };
        same("version", version, &wanted.into())?;
    }
    Ok(())
}

#[test]
fn replicas_below_the_partition_keep_their_templates_until_it_is_lowered() {
    let ns = running("partition");
    ns.apply(&partitioned("2", 2));
    ns.until("the canary runs", rests);
    // Whatever is lost comes back as it was.
    for podclique in ["svc-0-web", "svc-1-grp-0-lead", "svc-2-web"] {
        recreate(&ns, podclique, rests);
    }
    ns.apply(&partitioned("2", 0));
    ns.until("version 2 runs", |seen| ended(seen, "2", 3));
}
