//! An update whose pods do not become ready stops within its budget and is reported.

use serde_json::json;

use super::{ended, running, workload};
use crate::harness::same;

#[test]
fn a_template_that_cannot_be_scheduled_stops_is_reported_and_is_recovered_from() {
    let ns = running("stuck-update");
    let mut next = workload("2");
    let web = &mut next["spec"]["template"]["cliques"][0];
    web["rollingUpdate"] = json!({"maxUnavailable": 1, "progressDeadline": "3s"});
    web["spec"]["podSpec"]["nodeSelector"] = json!({"example.com/nowhere": "true"});
    ns.apply(&next);
    ns.until("it is reported", |seen| {
        let web = seen.one("PodClique", "svc-0-web")?;
        let ready = &web["status"]["readyReplicas"];
        same("Ready pods", ready, &3.into())?;
        let set = seen.one("PodCliqueSet", "svc")?;
        let update = crate::harness::condition(set, "UpdateInProgress");
        let is_reported =
            update.starts_with("Unknown") && update.contains("ProgressDeadlineExceeded");
        same("UpdateInProgress", &is_reported, &true).map_err(|e| format!("{e}: {update}"))?;
        let breach = crate::harness::condition(web, "MinAvailableBreached");
        same("breach", &breach.starts_with("True"), &false)?;
        let ready = crate::harness::condition(set, "Ready");
        same("Ready", &ready, &"True/UpdateStalled".to_owned())
    });
    ns.apply(&workload("1"));
    ns.until("the old template is back", |seen| ended(seen, "1", 3));
}
